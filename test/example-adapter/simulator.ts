// The print shop over HTTP, and what may be wrong with it.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from 'troupe/adapter';
import { type Roll, type Slot, simulatedShop } from './simulated-shop.ts';

export interface PrintShop {
  readonly url: string;
  readonly rolls: ReadonlyMap<string, Roll>;
  readonly slots: ReadonlyMap<string, Slot>;
  /** What was asked for, in order: `PUT /slots/uid`. */
  readonly requests: readonly string[];
  /** The next requests that begin so are answered with this status, so many times. */
  fail(request: string, status: number, times: number): void;
  close(): Promise<void>;
}

/** @param options.sheetMs  how long a sheet takes to print, in milliseconds; binding takes as long as one */
export async function startPrintShop({ clock, sheetMs }: { clock: Clock; sheetMs: number }): Promise<PrintShop> {
  const requests: string[] = [];
  const faults: { readonly request: string; readonly status: number; times: number }[] = [];
  const stop = new AbortController();
  const shop = simulatedShop({ clock, sheetMs, stop: stop.signal });

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', url: path = '/' } = request;
    const said = `${method} ${path.split('?')[0]}`;
    requests.push(said);
    const text = (await request.toArray()).join('');
    const fault = faults.find((each) => each.times > 0 && said.startsWith(each.request));
    if (fault !== undefined) {
      fault.times -= 1;
      return send(response, fault.status, { message: 'out of order' });
    }
    const report = (line: object): void => void response.write(`${JSON.stringify(line)}\n`);
    const { status, body, printed } = shop.answer({ method, path, text }, report);
    if (printed === undefined) return send(response, status, body);
    response.writeHead(status, { 'content-type': 'application/x-ndjson' });
    await printed;
    response.end();
  };

  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    rolls: shop.rolls,
    slots: shop.slots,
    requests,
    fail: (request, status, times) => void faults.push({ request, status, times }),
    async close() {
      stop.abort();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
