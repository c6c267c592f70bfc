// HTTP basic authentication, which all paths but the version documents ask for.
import { Refusal, type SimulatedRequest } from './exchange.ts';

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

const PUBLIC = /^\/(v1\/?)?(\?.*)?$/;

/** @throws {Refusal} 401 */
export function authorize(
  { url, headers }: { readonly url: string; readonly headers: SimulatedRequest['headers'] },
  { username, password }: Credentials,
): void {
  if (PUBLIC.test(url)) return;
  const given = headers['authorization'];
  if (given === undefined) throw unauthorized('Authorization required');
  const expected = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  if (given !== expected) throw unauthorized('Incorrect username or password');
}

function unauthorized(message: string): Refusal {
  const headers = { 'WWW-Authenticate': 'Basic realm="Baremetal API"' };
  return new Refusal({ status: 401, body: { error: { message, code: 401 } }, headers });
}
