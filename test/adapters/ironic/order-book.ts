// A door before an Ironic that writes down what it is told to do with nodes, what it says of their states, and what users wish.
import type { JsonObject } from '../../../bus/mod.ts';
import { type Given, type Passing, startGateway, upstream, whole } from '../../chaos/gateway.ts';
import type { Entry, Wish } from './orders.ts';

export interface OrderBook {
  /** For whoever gives orders. */
  readonly url: string;
  readonly entries: readonly Entry[];
  /** So often was somebody told that a node is held. */
  readonly held: number;
  /** Before the object says so. @param host  the node's name @param image  address of what is to be deployed */
  wished(host: string, wish: Wish, image?: string): void;
  /** What is known from elsewhere. */
  note(entry: Entry): void;
  /** The name of a node, if it was made or told of here. */
  nameOf(uuid: string): string | undefined;
  close(): Promise<void>;
}

export interface OrderBookOptions {
  /** What becomes of each request, and whether it goes on; each does, and its answer comes back, by default. */
  readonly meet?: (passing: Passing, goOn: () => Promise<Given | undefined>) => Promise<Given | undefined>;
  /** Told of each entry. */
  readonly onEntry?: (entry: Entry) => void;
}

const PROVISION = /^\/v1\/nodes\/([^/]+)\/states\/provision$/;
const NODE = /^\/v1\/nodes\/([^/]+)$/;
const HELD = 409;

export async function openOrderBook(ironic: string, options: OrderBookOptions = {}): Promise<OrderBook> {
  const { meet = (_, goOn) => goOn(), onEntry } = options;
  const entries: Entry[] = [];
  const enter = (entry: Entry): void => {
    entries.push(entry);
    onEntry?.(entry);
  };
  const behind = upstream();
  const names = new Map<string, string>();
  const states = new Map<string, string>();
  /** How many entries there were after the last order of a host: what was asked before does not know of it. */
  const orderedAt = new Map<string, number>();
  let held = 0;
  const see = (node: JsonObject, since: number): void => {
    const { uuid, name, provision_state: state } = node;
    if (typeof uuid !== 'string') return;
    if (typeof name === 'string') names.set(uuid, name);
    const host = names.get(uuid);
    if (host === undefined || typeof state !== 'string' || since < (orderedAt.get(host) ?? 0)) return;
    if (states.get(uuid) === state) return;
    states.set(uuid, state);
    enter({ what: 'said', host, state });
  };
  const note = ({ method, path, body }: Passing, answer: Given | undefined, since: number): void => {
    const { pathname } = new URL(path, ironic);
    const reported = bodyOf(answer);
    if (answer?.status === HELD) held += 1;
    if (method === 'GET') {
      for (const node of Array.isArray(reported['nodes']) ? (reported['nodes'] as readonly JsonObject[]) : [reported]) {
        see(node, since);
      }
    } else if (method === 'POST' && pathname === '/v1/nodes' && answer?.status === 201) {
      enter({ what: 'made', host: String(reported['name']) });
      see(reported, since);
    } else if (method === 'DELETE' && NODE.test(pathname) && answer?.status === 204) {
      const uuid = NODE.exec(pathname)?.[1] ?? '';
      enter({ what: 'removed', host: names.get(uuid) ?? uuid });
    } else if (method === 'PUT' && PROVISION.test(pathname)) {
      const uuid = PROVISION.exec(pathname)?.[1] ?? '';
      const { target } = JSON.parse(body.toString()) as { readonly target: string };
      const host = names.get(uuid) ?? uuid;
      enter({ what: 'ordered', host, target, status: answer?.status });
      orderedAt.set(host, entries.length);
      states.delete(uuid);
    }
  };
  const gateway = await startGateway((passing) =>
    meet(passing, async () => {
      const since = entries.length;
      const given = await behind.send(ironic, passing);
      const answer = given && (await whole(given));
      note(passing, answer, since);
      return answer;
    }),
  );
  return {
    url: `http://127.0.0.1:${gateway.port}`,
    entries,
    get held() {
      return held;
    },
    wished: (host, wish, image) => enter({ what: 'wished', host, wish, ...(image !== undefined && { image }) }),
    note: enter,
    nameOf: (uuid) => names.get(uuid),
    async close() {
      await gateway.close();
      await behind.close();
    },
  };
}

function bodyOf(answer: Given | undefined): JsonObject {
  const text = Buffer.isBuffer(answer?.body) ? answer.body.toString() : '';
  return text.startsWith('{') ? (JSON.parse(text) as JsonObject) : {};
}
