// What many ask for at once, and how often it is asked of the API server: a thousand owners of one object cost a few writes.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { together } from '../../../adapters/http/batch.ts';
import { type KubeClient, objects, type Resource } from '../../../adapters/kubernetes/mod.ts';
import type { Json, JsonObject } from '../../../bus/mod.ts';
import type { OwnerReference } from '../../../machines/object.ts';

const test = suite('asked for together');

const SCHEMAS: Resource = {
  realm: 'metal3',
  group: 'metal3.io',
  version: 'v1alpha1',
  kind: 'FirmwareSchema',
  plural: 'firmwareschemas',
};
const OWNERS = 1_000;
const ownerOf = (number: number): OwnerReference => ({
  apiVersion: 'metal3.io/v1alpha1',
  kind: 'HostFirmwareSettings',
  name: `h-${number}`,
  uid: `uid-${number}`,
});

/** An API server with one schema, which answers a turn later. */
function scene() {
  const owners: Json[] = [ownerOf(0) as unknown as JsonObject];
  const calls: string[] = [];
  /** Owners that an answer told of, or a request named. */
  const reported = { owners: 0 };
  const client = {
    async call({ method, body }: { readonly method: string; readonly body?: Json }) {
      calls.push(method);
      await new Promise((resolve) => setImmediate(resolve));
      for (const { op, path, value } of (body ?? []) as unknown as readonly {
        op: string;
        path: string;
        value: Json;
      }[]) {
        if (op === 'remove') owners.splice(Number(path.split('/').at(-1)), 1);
        if (path !== '/metadata/ownerReferences/-') continue;
        owners.push(value);
        reported.owners += 1;
      }
      reported.owners += owners.length;
      const metadata = { name: 's', namespace: 'ns', uid: 'u', resourceVersion: '1', ownerReferences: [...owners] };
      return { body: { apiVersion: 'metal3.io/v1alpha1', kind: 'FirmwareSchema', metadata } };
    },
  } as unknown as KubeClient;
  return { api: objects({ client }), calls, owners, reported };
}

test('a thousand who share an object are put among its owners by two reads and two writes', async () => {
  const { api, calls, owners, reported } = scene();
  await Promise.all(
    Array.from({ length: OWNERS }, async (_, number) => {
      const found = await api.applied(SCHEMAS, 'ns', 's', 'metal3/firmware');
      if (found === undefined) throw new Error('it is not there');
      await api.addOwner(SCHEMAS, found.object, ownerOf(number + 1));
    }),
  );
  assert.is(owners.length, OWNERS + 1);
  assert.is(new Set(owners.map((owner) => (owner as JsonObject)['uid'])).size, OWNERS + 1);
  assert.ok(calls.length <= 6, `${calls.length} calls`);
  assert.ok(reported.owners <= 6 * OWNERS, `${reported.owners} owners traveled`);
});

test('a thousand who leave an object do so by a read and two writes, and the last one is told that it is', async () => {
  const { api, calls, owners } = scene();
  const everybody = Array.from({ length: OWNERS }, (_, number) => ownerOf(number));
  owners.push(...(everybody.slice(1) as unknown as Json[]));
  const found = await api.get(SCHEMAS, 'ns', 's');
  if (found === undefined) throw new Error('it is not there');
  calls.length = 0;
  const ends = await Promise.allSettled(everybody.map(({ uid }) => api.removeOwner(SCHEMAS, found, uid)));
  const refused = ends.filter((end) => end.status === 'rejected');
  assert.is(refused.length, 1);
  assert.is(refused[0]?.reason.code, 'conflict');
  assert.is(owners.length, 1);
  assert.equal(calls, ['PATCH', 'GET', 'PATCH']);
});

test('each is answered by a run that began after it asked, and a failure is of those that it was for (HTTP-BATCH-1, HTTP-BATCH-2)', async () => {
  const share = together<number, readonly number[]>();
  const runs: PromiseWithResolvers<readonly number[]>[] = [];
  const asked: (readonly number[])[] = [];
  const run = (asks: readonly number[]): Promise<readonly number[]> => {
    asked.push(asks);
    const deferred = Promise.withResolvers<readonly number[]>();
    runs.push(deferred);
    return deferred.promise;
  };
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const first = share('a', 1, run);
  const later = [share('a', 2, run), share('a', 3, run)];
  const other = share('b', 4, run);
  assert.equal(asked, [[1], [4]], 'one key waits for no other');
  runs[0]?.reject(new Error('no answer'));
  assert.is(await first.catch(({ message }: Error) => message), 'no answer');
  await turn();
  assert.equal(asked.at(-1), [2, 3]);
  const last = share('a', 5, run);
  runs[2]?.resolve([2, 3]);
  assert.equal(await Promise.all(later), [
    [2, 3],
    [2, 3],
  ]);
  await turn();
  assert.equal(asked.at(-1), [5]);
  runs[3]?.resolve([5]);
  runs[1]?.resolve([4]);
  assert.equal([await last, await other], [[5], [4]]);
  await turn();
  void share('a', 6, run);
  assert.equal(asked.at(-1), [6], 'nothing is left of those before');
});

test.run();
