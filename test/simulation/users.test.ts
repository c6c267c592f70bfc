import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AbsentError, type JsonObject } from '../../bus/mod.ts';
import { Chronicle } from './chronicle.ts';
import type { KubeCall } from './cluster.ts';
import { SimulatedTime } from './time.ts';
import { Users, type UsersDeps } from './users.ts';

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
  const chronicle = new Chronicle(time, { reported: false });
  const users = new Users({ cluster, time, chronicle, onChange: () => undefined } as unknown as UsersDeps);
  users.create({ path: '/secrets/one', body: () => ({ password }), what: 'it' });
  await time.advance(2_000);
  assert.equal([created, users.pending], [[], 1]);
  password = 'second';
  there = undefined;
  await time.advance(2_000);
  assert.equal([created, users.pending], [[['/secrets', { password: 'second' }]], 0]);
});

test.run();
