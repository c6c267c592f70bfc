// The service, simulated: for tests and for `troupe dev`.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Lamp } from './client.ts';

export const TOKEN = 'secret';

export interface Answer {
  readonly status: number;
  readonly body?:
    | { readonly [name: string]: string | number }
    | readonly { readonly [name: string]: string | number }[];
}

/** The state of the service, and what it answers. */
export function simulatedLighting(): {
  readonly lamps: ReadonlyMap<string, Lamp>;
  /** Changes or removes one outside. */
  change(id: string, watts: number): void;
  remove(id: string): void;
  answer(request: { method: string; path: string; name?: string | null; token?: string; body?: unknown }): Answer;
} {
  const lamps = new Map<string, Lamp>();
  let last = 0;
  const shown = (lamp: Lamp): { readonly [name: string]: string | number } => ({ ...lamp });
  return {
    lamps,
    change(id, watts) {
      const lamp = lamps.get(id);
      if (lamp !== undefined) lamps.set(id, { ...lamp, watts });
    },
    remove: (id) => void lamps.delete(id),
    answer({ method, path, name, token, body }) {
      if (token !== `Bearer ${TOKEN}`) return { status: 401, body: { message: 'wrong token' } };
      const given = (body ?? {}) as { name?: string; watts?: number; behind?: string };
      if (path === '/lamps' && method === 'GET')
        return { status: 200, body: [...lamps.values()].filter((lamp) => lamp.name === name).map(shown) };
      if (path === '/lamps' && method === 'POST') {
        const id = `lamp-${++last}`;
        const lamp = {
          id,
          name: given.name ?? '',
          watts: given.watts ?? 0,
          ...(given.behind && { behind: given.behind }),
        };
        lamps.set(id, lamp);
        return { status: 201, body: shown(lamp) };
      }
      const id = path.slice('/lamps/'.length);
      const lamp = lamps.get(id);
      if (lamp === undefined) return { status: 404, body: { message: `there is no ${id}` } };
      if (method === 'DELETE') lamps.delete(id);
      if (method === 'PATCH') lamps.set(id, { ...lamp, watts: given.watts ?? lamp.watts });
      return { status: 200, body: shown(lamps.get(id) ?? lamp) };
    },
  };
}

/** The same on loopback. */
export async function startLighting(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const service = simulatedLighting();
  const server = createServer(async (request, response) => {
    const text = (await request.toArray()).join('');
    const { pathname: path, searchParams } = new URL(request.url ?? '/', 'http://lighting.test');
    const { status, body } = service.answer({
      method: request.method ?? 'GET',
      path,
      name: searchParams.get('name'),
      token: request.headers.authorization ?? '',
      body: text === '' ? undefined : JSON.parse(text),
    });
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(() => resolve()).closeAllConnections()),
  };
}
