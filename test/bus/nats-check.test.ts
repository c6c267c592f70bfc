// What is told of a bus before anybody works on it: to anyone on an open server, to the observer on a secured one.
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ALONE, natsBus } from '../../bus/nats-bus.ts';
import { checkNats, Finding } from '../../bus/nats-check.ts';
import type { BusUser } from '../../bus/permissions.ts';
import { findNatsServer } from '../world/environments.ts';
import { clock } from './harness.ts';
import { securedServer, seedFile } from './secured-server.ts';

const found = await findNatsServer();
const program = 'program' in found ? found.program : '';
const test = suite('examination of a bus');

const OBSERVER: BusUser = { name: 'observer', roles: [{ does: 'observe' }] };
const SERVING: BusUser = { name: 'openstack', roles: [{ does: 'serve', realm: 'openstack' }] };

test('whoever may see all of it is told of streams and of the time; the observer of all but the mail', async () => {
  const server = await securedServer(program, [ALONE, OBSERVER, SERVING]);
  const optionsOf = (user: BusUser) =>
    ({
      url: server.url,
      clock,
      process: user.name,
      user,
      nkeySeedFile: join(server.folder, seedFile(user)),
      tls: { caFile: server.caFile },
    }) as const;
  try {
    const before = await checkNats(optionsOf(ALONE));
    assert.equal(
      before.streams.map(({ seen }) => seen),
      [Finding.Absent, Finding.Absent, Finding.Absent],
    );
    assert.equal([before.jetStream, before.isUsable, before.refused], [Finding.There, true, []]);
    assert.match(before.version, /^2\.\d+\.\d+$/);

    await (await natsBus({ ...optionsOf(ALONE), firstLease: 'immediate' })).close();
    const after = await checkNats(optionsOf(ALONE));
    assert.equal(
      after.streams.map(({ name, holds, seen }) => [name, holds, seen]),
      [
        ['TROUPE_MAIL', 'mail', Finding.There],
        ['KV_TROUPE_LEASES', 'leases', Finding.There],
        ['TROUPE_HISTORY', 'events', Finding.There],
      ],
    );
    if (after.time !== undefined) assert.ok(Math.abs(after.time.at - clock.now()) < 60_000);

    const watched = await checkNats(optionsOf(OBSERVER));
    assert.equal(
      watched.streams.map(({ seen }) => seen),
      [Finding.Untold, Finding.There, Finding.There],
    );
    assert.equal(
      watched.refused.map(({ subject }) => subject),
      ['$JS.API.STREAM.INFO.TROUPE_MAIL'],
    );
    const blind = await checkNats(optionsOf(SERVING));
    assert.is(blind.jetStream, Finding.Untold);
  } finally {
    await server.close();
  }
});

if ('refusal' in found) console.log(`skipped: ${found.refusal}`);
else test.run();
