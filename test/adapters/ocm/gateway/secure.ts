// Requests over TLS that tell which certificate was served.
import { type Agent, request } from 'node:https';

export interface SecureReply {
  readonly status: number;
  readonly body: string;
  /** The header of that name. */
  readonly connection: string;
  /** Of the certificate that was served. */
  readonly serial: string;
}

export function askSecurely(
  url: string,
  agent: Agent,
  { method = 'GET', body }: { method?: string; body?: string } = {},
) {
  return new Promise<SecureReply>((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json' };
    const sent = request(url, { method, agent, headers, servername: 'localhost' }, (response) => {
      const { serialNumber } = (
        response.socket as unknown as { getPeerCertificate(): { serialNumber: string } }
      ).getPeerCertificate();
      let text = '';
      response
        .setEncoding('utf8')
        .on('data', (part: string) => {
          text += part;
        })
        .once('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            body: text,
            connection: response.headers.connection ?? '',
            serial: serialNumber,
          }),
        );
    });
    sent.once('error', reject).end(body);
  });
}
