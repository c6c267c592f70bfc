// A print shop, as its HTTP API has it: rolls of paper, and slots on a press in which books are printed and bound.
//
// Rolls are made by POST, twice if asked twice; slots by PUT, under a name. A print goes on when nobody listens any more. It
// keeps nothing across its end, knows no users, and answers what it does not know with 404.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from 'troupe/adapter';

export interface Roll {
  readonly id: string;
  readonly name: string;
  grams: number;
}

export interface Slot {
  readonly name: string;
  readonly pages: number;
  state: 'reserved' | 'printing' | 'printed' | 'binding' | 'bound';
  sheets: number;
  /** How often a print was begun in it, ever. */
  prints: number;
}

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
  const rolls = new Map<string, Roll>();
  const slots = new Map<string, Slot>();
  const requests: string[] = [];
  const faults: { readonly request: string; readonly status: number; times: number }[] = [];
  const stop = new AbortController();
  let made = 0;

  /** Whether the job is still wanted: nobody threw its slot away. */
  const isWanted = (slot: Slot): boolean => slots.get(slot.name) === slot && !stop.signal.aborted;
  const print = async (slot: Slot, tell: (line: object) => void): Promise<void> => {
    while (slot.sheets < slot.pages && isWanted(slot)) {
      await clock.sleep(sheetMs, stop.signal);
      slot.sheets += 1;
      tell({ sheets: slot.sheets, of: slot.pages });
    }
    slot.state = 'printed';
  };
  const bind = async (slot: Slot): Promise<void> => {
    await clock.sleep(sheetMs, stop.signal);
    slot.state = 'bound';
  };

  const answerRolls = (method: string, id: string, url: URL, body: { name: string; grams: number }): Answer => {
    if (method === 'POST') {
      const roll: Roll = { id: `roll-${++made}`, name: body.name, grams: body.grams };
      rolls.set(roll.id, roll);
      return [201, roll];
    }
    if (id === '') return [200, [...rolls.values()].filter(({ name }) => name === url.searchParams.get('name'))];
    const roll = rolls.get(id);
    if (roll === undefined) return [404, { message: `there is no roll '${id}'` }];
    if (method === 'PATCH') roll.grams = body.grams;
    if (method === 'DELETE') rolls.delete(id);
    return [200, roll];
  };
  const answerSlots = (method: string, name: string, job: string, body: { pages: number }): Answer => {
    if (method === 'PUT' && !slots.has(name)) {
      slots.set(name, { name, pages: body.pages, state: 'reserved', sheets: 0, prints: 0 });
    }
    const slot = slots.get(name);
    if (slot === undefined) return [404, { message: `there is no slot '${name}'` }];
    if (method === 'DELETE') slots.delete(name);
    if (method !== 'POST') return [200, slot];
    if (job === 'recycling') Object.assign(slot, { state: 'reserved', sheets: 0 });
    if (job === 'binding') {
      if (slot.state !== 'printed') return [409, { message: `slot '${name}' is ${slot.state}` }];
      slot.state = 'binding';
      void bind(slot);
    }
    return [202, slot];
  };
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET' } = request;
    const url = new URL(request.url ?? '/', 'http://localhost');
    const [, collection, name = '', job = ''] = url.pathname.split('/').map(decodeURIComponent);
    const said = `${method} ${url.pathname}`;
    requests.push(said);
    const text = (await request.toArray()).join('');
    const fault = faults.find((each) => each.times > 0 && said.startsWith(each.request));
    if (fault !== undefined) {
      fault.times -= 1;
      return send(response, [fault.status, { message: 'out of order' }]);
    }
    const body = text === '' ? {} : JSON.parse(text);
    if (collection === 'rolls') return send(response, answerRolls(method, name, url, body));
    if (collection !== 'slots') return send(response, [404, { message: 'there are rolls and slots' }]);
    const slot = slots.get(name);
    if (method !== 'POST' || job !== 'prints' || slot === undefined) {
      return send(response, answerSlots(method, name, job, body));
    }
    // Asked twice it prints twice, on top of each other.
    slot.state = 'printing';
    slot.prints += 1;
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    await print(slot, (line) => response.write(`${JSON.stringify(line)}\n`));
    response.end();
  };

  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    rolls,
    slots,
    requests,
    fail: (request, status, times) => void faults.push({ request, status, times }),
    async close() {
      stop.abort();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Answer = readonly [status: number, body: object];

function send(response: ServerResponse, [status, body]: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
