import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AbsentError, type JsonObject } from '../../bus/mod.ts';
import { Chronicle } from './chronicle.ts';
import type { KubeCall } from './cluster.ts';
import { type CreatingDeps, createWhenFree } from './creating.ts';
import { SimulatedTime } from './time.ts';

const test = suite('what users create');

test('a user who waits for the one before to go creates what is right by then', async () => {
  const time = new SimulatedTime();
  const created: unknown[] = [];
  let there: JsonObject | undefined = { metadata: { deletionTimestamp: '2030-01-01T00:00:00Z' } };
  const cluster = {
    call({ method, path, body }: KubeCall) {
      if (method === 'POST') created.push([path, body]);
      if (method === 'GET' && there === undefined) throw new AbsentError('it is gone');
      return there ?? {};
    },
  };
  let password = 'first';
  let isDone = false;
  const deps = { cluster, time, chronicle: new Chronicle(time, { told: false }) } as unknown as CreatingDeps;
  const request = { path: '/secrets/one', body: () => ({ password }), what: 'it' };
  createWhenFree(deps, request, {
    done: () => {
      isDone = true;
    },
  });
  await time.advance(2_000);
  assert.equal([created, isDone], [[], false]);
  password = 'second';
  there = undefined;
  await time.advance(2_000);
  assert.equal([created, isDone], [[['/secrets', { password: 'second' }]], true]);
});

test.run();
