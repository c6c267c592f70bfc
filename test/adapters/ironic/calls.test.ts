// long
// waits
// limit: 300 s
// What hosts ask of Ironic, and what they write, from nothing to provisioned, at rest and while they wait: a small run of
// `npm run bench -- hosts`.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hosts } from '../../bench/hosts.ts';
import { natsServerOrSkip } from '../../world/environments.ts';

await natsServerOrSkip();
const test = suite('calls of hosts');
const HOSTS = 3;
const SPEED = 10;

/**
 * At most so many a host on its way up: each is made once, but for what its node goes through being looked at, which a busy machine
 * does more often, as it sees more of what is over in a moment.
 */
const CALLS = {
  'GET /nodes/{id}/bios': 10,
  'GET /nodes/{id}/firmware': 12,
  'GET /nodes/{id}/inventory': 4,
  'GET /nodes/{id}/validate': 1,
  'GET /nodes/{id}': 20,
  'GET /ports': 6,
  'POST /nodes': 1,
  'POST /ports': 1,
  'PATCH /nodes/{id}': 2,
  'PUT /nodes/{id}/states/provision': 4,
};

test('hosts come up with few calls and writes, and ask for nothing but one list while they wait', async () => {
  const { figures } = await hosts({
    count: HOSTS,
    latencyMs: 1,
    inFlight: 16,
    profile: false,
    speed: SPEED,
    onProgress: () => undefined,
  });
  const isAtMost = (name: string, most: number): void => {
    const found = figures[name] ?? Number.NaN;
    assert.ok(found <= most, `${name} is ${found}, not ${most} at most`);
  };
  for (const [call, most] of Object.entries(CALLS)) isAtMost(`up.calls.${call}`, most);
  isAtMost('up.writesPerHost', 40);
  isAtMost('up.writesOf.firmwareschemas', 4);
  isAtMost('down.writesPerHost', 14);
  assert.is(figures['settled.writesAMinute'], 0);
  assert.is(figures['waiting.writesAMinute'], 0);
  // One list in ten seconds at most, which begin anywhere.
  isAtMost('waiting.callsAMinute', 12);
  const asked = Object.keys(figures).filter((name) => /^(settled|waiting)\.calls\./.test(name));
  assert.equal(
    asked.filter((name) => !name.endsWith('GET /nodes')),
    [],
    'at rest and waiting there is nothing to ask but what all nodes do',
  );
  assert.is(figures['reaction.count'], HOSTS);
});

test.run();
