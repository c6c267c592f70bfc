// What the chapters of the HTTP contract share: a rule is one test over real HTTP, run against every store.
import { isDeepStrictEqual } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Address, Value } from '../../../../../adapters/ocm/gateway/store/store.ts';
import { type Client, json, type Reply } from '../client.ts';
import { collectionAt, testModel } from '../model.ts';
import { serving } from '../served.ts';
import { CLUSTERS, type MakeStore, SERVER_OWNED } from '../store.suite.ts';

export const SERVICE = '/api/clusters_mgmt/v1';
export const VERSIONS = `${SERVICE}/versions`;
export const SUBSCRIPTIONS = '/api/accounts_mgmt/v1/subscriptions';
export const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

export interface Stage {
  readonly client: Client;
  /** Writes as the owner of an object does, and waits until it is served. */
  put(path: string, address: Address, value: Value): Promise<void>;
  /** Waits until all that an object depends on is held by it: before, a deletion may be over at once. */
  settled(path: string, address: Address): Promise<void>;
  readonly takesAnyId: boolean;
}

/** Says what holds, by the number of the section. */
export type Rule = (title: string, work: (stage: Stage) => Promise<void>) => void;

/** A suite of rules; each of them begins with an empty store. */
export function ruleSuite(name: string, make: MakeStore, chapters: readonly ((rule: Rule) => void)[]): void {
  const test = suite(name);
  const rule: Rule = (title, work) => {
    test(title, async () => {
      const model = testModel();
      const under = await make({ model, serverOwned: SERVER_OWNED });
      const served = await serving(under.store, { model });
      const put: Stage['put'] = async (path, address, value) => {
        const collection = collectionAt(model, path);
        await under.put(collection, address, value);
        const table = served.api.served.table(collection);
        const isThere = (): boolean => isDeepStrictEqual(table?.index.get(address)?.value, value);
        // A store delivers when it will: other work of this process has its turn meanwhile.
        while (!isThere()) await new Promise<void>((resolve) => void setImmediate(resolve));
      };
      try {
        const settled: Stage['settled'] = async (path, address) => under.settled?.(collectionAt(model, path), address);
        await work({ client: served.client, put, settled, takesAnyId: under.takesAnyId ?? true });
        assert.equal(served.defects, []);
      } finally {
        await served.close();
        await under.close();
      }
    });
  };
  for (const chapter of chapters) chapter(rule);
  test.run();
}

export async function created(client: Client, path: string, body: Value): Promise<Reply> {
  const reply = await client.post(path, body);
  assert.ok(reply.status === 201 || reply.status === 202, reply.text);
  return reply;
}

export function refused(reply: Reply, status: number, reason: RegExp): void {
  assert.is(reply.status, status, reply.text);
  assert.is(reply.headers['content-type'], 'application/json');
  const { kind, id, reason: given } = json(reply);
  assert.equal({ kind, id }, { kind: 'Error', id: String(status) });
  assert.match(String(given), reason);
}

/** Clusters `c0` and so on. */
export async function fill(client: Client, count: number): Promise<void> {
  for (let n = 0; n < count; n++)
    await created(client, CLUSTERS, { id: `c${n}`, channel: `channel-${n % 3}`, nodes: { compute: n } });
}
