// What goes wrong and how it is told: the condition of the contract or one clear line, no crash, no flood of lines, and
// recovery without a restart once the cause is gone.
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../bus/mod.ts';
import type { OpenGround } from '../world/environments.ts';
import type { Seen } from '../world/watched-objects.ts';
import { CREDENTIALS, checkIn, condition, KINDS, type Kind, type World } from '../world/world.ts';

/** How long something wrong is left alone to see what it says, in milliseconds. */
const WATCHED_MS = 1_000;
/** Lines that one object in trouble may cause meanwhile: attempts back off from 100 ms, each a few changes of state. */
const LINES_LIMIT = 50;

interface Refusal {
  readonly title: string;
  readonly kind: Kind;
  readonly spec: (world: World) => JsonObject;
  readonly message: RegExp;
}

const network = { cloudCredentialsRef: { secretName: 's', cloudName: 'c' } };
const subnet = { networkRef: 'net', ipVersion: 4, cidr: '10.0.0.0/24' };

const REFUSALS: readonly Refusal[] = [
  {
    title: 'without credentials',
    kind: 'Network',
    spec: () => ({ resource: {} }),
    message: /spec\.cloudCredentialsRef.*[Rr]equired/,
  },
  {
    title: 'managed without resource',
    kind: 'Network',
    spec: () => network,
    message: /resource must be specified when policy is managed/,
  },
  {
    title: 'managed with import',
    kind: 'Network',
    spec: () => ({ ...network, resource: {}, import: { filter: { name: 'n' } } }),
    message: /import may not be specified when policy is managed/,
  },
  {
    title: 'unmanaged without import',
    kind: 'Network',
    spec: () => ({ ...network, managementPolicy: 'unmanaged' }),
    message: /import must be specified when policy is unmanaged/,
  },
  {
    title: 'unmanaged with resource',
    kind: 'Network',
    spec: () => ({ ...network, managementPolicy: 'unmanaged', import: { filter: { name: 'n' } }, resource: {} }),
    message: /resource may not be specified when policy is unmanaged/,
  },
  {
    title: 'an unknown policy',
    kind: 'Network',
    spec: () => ({ ...network, managementPolicy: 'some', resource: {} }),
    message: /spec\.managementPolicy.*Unsupported value/,
  },
  {
    title: 'a name with a comma',
    kind: 'Network',
    spec: () => ({ ...network, resource: { name: 'a,b' } }),
    message: /spec\.resource\.name.*should match '\^\[\^,\]\+\$'/,
  },
  {
    title: 'an MTU that is too small',
    kind: 'Network',
    spec: () => ({ ...network, resource: { mtu: 67 } }),
    message: /spec\.resource\.mtu.*greater than or equal to 68/,
  },
  {
    title: 'a text for a number',
    kind: 'Network',
    spec: () => ({ ...network, resource: { mtu: 'many' } }),
    message: /spec\.resource\.mtu/,
  },
  {
    title: 'an id that is no UUID',
    kind: 'Network',
    spec: () => ({ ...network, managementPolicy: 'unmanaged', import: { id: 'mine' } }),
    message: /spec\.import\.id.*uuid/,
  },
  {
    title: 'an empty filter',
    kind: 'Network',
    spec: () => ({ ...network, managementPolicy: 'unmanaged', import: { filter: {} } }),
    message: /spec\.import\.filter.*at least 1 propert/,
  },
  {
    title: 'a subnet without a network',
    kind: 'Subnet',
    spec: () => ({ ...network, resource: { ...subnet, networkRef: undefined as never } }),
    message: /spec\.resource\.networkRef.*[Rr]equired/,
  },
  {
    title: 'a subnet of another version of IP',
    kind: 'Subnet',
    spec: () => ({ ...network, resource: { ...subnet, ipVersion: 5 } }),
    message: /spec\.resource\.ipVersion.*Unsupported value: 5/,
  },
  {
    title: 'a subnet without a prefix',
    kind: 'Subnet',
    spec: () => ({ ...network, resource: { ...subnet, cidr: 'everything' } }),
    message: /spec\.resource\.cidr.*cidr/,
  },
];

const WRONG_CREDENTIALS: readonly {
  readonly content: (world: World) => Readonly<Record<string, string>>;
  readonly message: (world: World) => string | RegExp;
}[] = [
  // a wrong password
  {
    content: (world) => ({ 'clouds.yaml': withPassword(world, 'wrong-1x') }),
    message: () => /401|authentication/i,
  },
  // a secret without clouds.yaml
  {
    content: () => ({ 'something.yaml': 'clouds: {}' }),
    message: () => `OpenStack credentials secret wrong-1 did not contain key clouds.yaml`,
  },
  // a cloud that is not in clouds.yaml
  {
    content: () => ({ 'clouds.yaml': 'clouds: { elsewhere: { auth: {} } }' }),
    message: (world) => `no cloud named: ${world.ground.cloudName}, in the provided config`,
  },
  // a clouds.yaml that is none
  {
    content: () => ({ 'clouds.yaml': 'clouds: [\n  password: x' }),
    message: () => /^failed to unmarshal clouds credentials stored in secret wrong-3: /,
  },
  // a cloud at a port where nobody listens
  {
    content: (world) => ({
      'clouds.yaml': world.ground.cloudsYaml.replace(/auth_url:.*/, 'auth_url: http://127.0.0.1:1/v3'),
    }),
    message: () => /127\.0\.0\.1:1.*ECONNREFUSED|ECONNREFUSED.*127\.0\.0\.1:1/,
  },
];

/** As the sessions of the world reach the cloud, with something else in it. */
function withPassword(world: World, password: string): string {
  return world.ground.cloudsYaml.replace(/password:.*/, `password: ${password}`);
}

export function describeBadness(test: Test, openGround: OpenGround): void {
  const check = checkIn(test, openGround);

  check('the API server refuses what cannot be meant, and names the field', async (world) => {
    for (const { title, kind, spec, message } of REFUSALS) {
      try {
        await world.apply({ ...world.object(kind, world.name('refused'), {}), spec: spec(world) });
        assert.unreachable(`${title}: it was taken`);
      } catch (error) {
        assert.match((error as Error).message, message, `${title}: ${(error as Error).message}`);
      }
    }
  });

  check(
    'credentials that are wrong are told, not in a flood, and recovered from when they are right',
    async (world) => {
      const names = WRONG_CREDENTIALS.map((_, index) => world.name(`net${index}`));
      const secret = (index: number): JsonObject => ({
        cloudCredentialsRef: { secretName: `wrong-${index}`, cloudName: world.ground.cloudName },
      });
      for (const [index, { content }] of WRONG_CREDENTIALS.entries())
        await world.secret(`wrong-${index}`, content(world));
      await world.apply(...names.map((name, index) => world.managed('Network', name, {}, secret(index))));
      for (const [index, { message }] of WRONG_CREDENTIALS.entries()) {
        const reported = await world.progressing('Network', String(names[index]), 'TransientError', message(world));
        assert.is(condition(reported, 'Progressing').status, 'True');
        assert.is(condition(reported, 'Available').status, 'False');
        assert.not.ok(condition(reported, 'Progressing').message.includes('wrong-1x'));
      }
      await staysQuiet(world, WRONG_CREDENTIALS.length);
      for (const index of names.keys())
        await world.secret(`wrong-${index}`, { 'clouds.yaml': world.ground.cloudsYaml });
      for (const name of names) await world.available('Network', name);
      assert.is((await world.contents('networks')).length, names.length);
    },
  );

  check('an object in trouble can be deleted once its secret is right', async (world) => {
    const name = world.name('net');
    await world.apply(world.managed('Network', name));
    await world.available('Network', name);
    await world.secret(CREDENTIALS, withPassword(world, 'wrong-1x'));
    await world.delete('Network', name);
    await world.progressing('Network', name, 'TransientError', /401|authentication/i);
    await world.secret(CREDENTIALS, world.ground.cloudsYaml);
    await world.gone('Network', name);
    assert.is((await world.contents('networks')).length, 0);
  });

  check(
    'what was never built goes without credentials',
    async (world) => {
      const name = world.name('net');
      await world.apply(world.managed('Network', name));
      await world.progressing('Network', name, 'Progressing', `Waiting for Secret/${CREDENTIALS} to be created`);
      await world.delete('Network', name);
      await world.gone('Network', name);
    },
    { credentials: 'absent' },
  );

  check('a conflict is terminal until the spec changes', async (world) => {
    const [net, name] = [world.name('net'), world.name('subnet')];
    const resource = {
      networkRef: net,
      ipVersion: 4,
      cidr: '192.0.2.0/24',
      allocationPools: [{ start: '192.0.2.10', end: '192.0.2.20' }],
    };
    await world.apply(
      world.managed('Network', net),
      world.managed('Subnet', name, { ...resource, gateway: { type: 'IP', ip: '192.0.2.15' } }),
    );
    const prefix = /^invalid configuration creating resource: .*[Gg]ateway ip 192\.0\.2\.15 conflicts/;
    const failed = await world.progressing('Subnet', name, 'InvalidConfiguration', prefix);
    assert.is(condition(failed, 'Progressing').status, 'False');
    assert.is(condition(failed, 'Available').status, 'False');
    const calls = world.eventsOf('Subnet', name, 'call').length;
    await staysQuiet(world);
    assert.is(world.eventsOf('Subnet', name, 'call').length, calls);
    await world.patch('Subnet', name, { spec: { resource: { gateway: { ip: '192.0.2.1' } } } });
    await world.available('Subnet', name);
  });

  check('an exceeded quota is tried again until there is room', async (world) => {
    const [owner, name] = [world.name('owner'), world.name('net')];
    await world.apply(world.managed('Project', owner));
    const { status } = await world.available('Project', owner);
    await world.cloud('PUT', `/quotas/${status?.id}`, { quota: { network: 0 } });
    await world.apply(world.managed('Network', name, { projectRef: owner }));
    const reported = await world.progressing(
      'Network',
      name,
      'TransientError',
      /[Qq]uota exceeded.*; quota 'network' is used up, /,
    );
    assert.is(condition(reported, 'Progressing').status, 'True');
    await staysQuiet(world);
    await world.cloud('PUT', `/quotas/${status?.id}`, { quota: { network: 5 } });
    await world.available('Network', name);
    await world.cloud('DELETE', `/quotas/${status?.id}`);
    assert.is((await world.contents('networks')).length, 1);
  });

  check('one object in trouble does not hold up its neighbors', async (world) => {
    await world.secret('wrong', withPassword(world, 'wrong-1x'));
    const ref = { cloudCredentialsRef: { secretName: 'wrong', cloudName: world.ground.cloudName } };
    const names = Array.from({ length: 10 }, (_, index) => world.name(`n${index}`));
    await world.apply(
      ...names.map((name) => world.managed('Network', `${name}-wrong`, {}, ref)),
      ...names.map((name) => world.managed('Network', name)),
    );
    for (const name of names) await world.available('Network', name);
    for (const name of names) await world.progressing('Network', `${name}-wrong`, 'TransientError', /./);
    assert.is((await world.contents('networks')).length, names.length);
  });
}

/** What only a simulated cloud can be made to do. */
export function describeSimulatedBadness(test: Test, openGround: OpenGround): void {
  const check = checkIn(test, openGround);

  for (const [title, fault, message] of [
    ['500', { status: 500, body: { message: 'the database is away' } }, /500/],
    ['503 with Retry-After', { status: 503, headers: { 'retry-after': '1' } }, /503/],
    ['429', { status: 429 }, /429/],
    ['garbage', { garbage: '<html>oops</html>' }, /./],
    ['an answer without a resource', { garbage: '{"network": {}}' }, /the answer holds no network with an id/],
    ['a connection that breaks after the work', { dropAfterWork: true }, /./],
  ] as const) {
    check(`${title} on a create is tried again, and makes one network only (I4)`, async (world) => {
      const name = world.name('net');
      const { faults } = world.simulator;
      const injected = faults.inject({ match: { service: 'network', method: 'POST' }, times: 3, ...fault });
      await world.apply(world.managed('Network', name));
      await world.until('Network', name, 'in trouble or made', (object) => {
        const { reason, message: text } = condition(object, 'Progressing');
        return reason === 'Success' || (reason === 'TransientError' && message.test(text));
      });
      await world.available('Network', name);
      injected.remove();
      assert.is((await world.contents('networks')).length, 1);
    });
  }

  for (const [title, fault] of [
    ['a connection that breaks before the work', { dropBeforeWork: true }],
    ['a gateway that does not wait for the cloud', { status: 504 }],
  ] as const) {
    check(`${title} on a create: looked for soon, and not made again while it may be under way (I4)`, async (world) => {
      const name = world.name('net');
      const { faults } = world.simulator;
      const injected = faults.inject({ match: { service: 'network', method: 'POST' }, times: 1, ...fault });
      await world.apply(world.managed('Network', name));
      const isInTrouble = (object: Seen): boolean => condition(object, 'Progressing').reason === 'TransientError';
      await world.until('Network', name, 'in trouble', isInTrouble);
      // Longer than several looks take.
      await world.clock.sleep(1_000);
      injected.remove();
      assert.is((await world.contents('networks')).length, 0);
      // What the first call makes at last is found, and nothing else is made.
      await world.outside(name);
      await world.available('Network', name);
      assert.is((await world.contents('networks')).length, 1);
    });
  }

  check('a list that fails is no empty list', async (world) => {
    const name = world.name('net');
    await world.outside(name);
    const injected = world.simulator.faults.inject({
      match: { service: 'network', method: 'GET' },
      times: 4,
      status: 500,
    });
    await world.apply(world.managed('Network', name));
    await world.progressing('Network', name, 'TransientError', /500/);
    await world.available('Network', name);
    assert.ok(injected.hits >= 1);
    assert.is((await world.contents('networks')).length, 1);
  });

  check('a read that fails keeps what was known of the resource', async (world) => {
    const name = world.name('net');
    await world.apply(world.managed('Network', name));
    await world.available('Network', name);
    const fault = world.simulator.faults.inject({
      match: { service: 'network', method: 'GET' },
      times: 99,
      status: 502,
    });
    await world.patch('Network', name, { spec: { resource: { description: 'new' } } });
    const reported = await world.progressing('Network', name, 'TransientError', /502/);
    assert.is(condition(reported, 'Available').status, 'Unknown');
    assert.is(reported.status?.resource?.['name'], name);
    fault.remove();
    assert.is((await world.available('Network', name)).status?.resource?.['description'], 'new');
  });

  check('tokens that expire early are renewed without a word', async (world) => {
    const name = world.name('net');
    await world.apply(world.managed('Network', name));
    await world.available('Network', name);
    for (const description of ['one', 'two', 'three']) {
      world.simulator.expireTokens();
      await world.patch('Network', name, { spec: { resource: { description } } });
      await world.until('Network', name, 'changed', ({ status }) => status?.resource?.['description'] === description);
    }
    const reasons = world.follower.history('Network', name).map((object) => condition(object, 'Progressing').reason);
    assert.not.ok(reasons.includes('TransientError'), reasons.join());
    assert.equal(world.lines('warn'), []);
  });

  check('a cloud that answers nothing is given up at the deadline, and deletion waits for it', async (world) => {
    const name = world.name('net');
    await world.apply(world.managed('Network', name));
    await world.available('Network', name);
    const fault = world.simulator.faults.inject({ match: { method: 'DELETE' }, times: 2, status: 500 });
    await world.delete('Network', name);
    await world.progressing('Network', name, 'TransientError', /500/);
    await world.gone('Network', name);
    assert.is(fault.hits, 2);
    assert.is((await world.contents('networks')).length, 0);
  });

  check(
    'definitions that are all missing at the start are told in one line, and work once they are there',
    async (world) => {
      const warnings = (): readonly unknown[] => world.lines('warn').map(({ msg }) => msg);
      const none =
        'the API server knows none of the kinds: apply their CustomResourceDefinitions (troupe crds --apply)';
      await world.eventually('they are missed', () => (warnings().length > 0 ? undefined : 'not yet'));
      await world.clock.sleep(WATCHED_MS);
      assert.equal(warnings(), [none]);
      await world.installCrds();
      await world.follow();
      await world.apply(world.managed('Network', world.name('net')));
      await world.available('Network', world.name('net'));
    },
    { crds: 'absent' },
  );
}

/** What only an API server of our own can be made to do. */
export function describeLostApiServer(test: Test, openGround: OpenGround): void {
  const check = checkIn(test, openGround);

  check(
    'the API server is away while a network is being made: it is made once, and everything goes on',
    async (world) => {
      const { interruptApi } = world.ground;
      if (interruptApi === undefined) throw new Error('this API server cannot be cut off');
      const [before, during, after] = ['before', 'during', 'after'].map((suffix) => world.name(suffix)) as [
        string,
        string,
        string,
      ];
      await world.apply(world.managed('Network', before));
      await world.available('Network', before);
      world.simulator.setLatency(500);
      await world.apply(world.managed('Network', during));
      await world.eventually('it is being made', () => {
        const phase = world.eventsOf('Network', during, 'transition').at(-1)?.data['to'];
        return phase === 'building.creating' ? undefined : String(phase);
      });
      const heal = await interruptApi();
      await world.eventually('it was made, and nobody could be told', async () => {
        return (await world.contents('networks')).length === 2 ? undefined : 'not yet';
      });
      await world.clock.sleep(WATCHED_MS);
      world.simulator.setLatency(0);
      await heal();
      await world.available('Network', during);
      await world.apply(world.managed('Network', after));
      await world.available('Network', after);
      await world.delete('Network', before);
      await world.gone('Network', before);
      assert.is((await world.contents('networks')).length, 2);
      const lines = world.lines('warn').map(({ msg }) => msg);
      // Each watch may tell of it once.
      assert.ok(lines.length >= 1 && lines.length < 20 + KINDS.length, JSON.stringify(lines));
    },
  );
}

/** What only a bus of our own can be made to do. */
export function describeInterruptions(test: Test, openGround: OpenGround): void {
  const check = checkIn(test, openGround);

  for (const awayMs of [500, 3_000]) {
    check(
      `NATS is away for ${awayMs / 1_000} s: a line says so, and everything goes on`,
      async (world) => {
        const { interruptBus } = world.ground;
        if (interruptBus === undefined) throw new Error('this bus cannot be interrupted');
        await world.apply(world.managed('Network', world.name('before')));
        await world.available('Network', world.name('before'));
        const restart = await interruptBus();
        await world.apply(world.managed('Network', world.name('during')));
        await world.clock.sleep(awayMs);
        await restart();
        await world.available('Network', world.name('during'));
        await world.apply(world.managed('Network', world.name('after')));
        await world.available('Network', world.name('after'));
        await world.delete('Network', world.name('before'));
        await world.gone('Network', world.name('before'));
        const lines = world.lines('warn').map(({ msg }) => msg);
        assert.ok(
          lines.some((line) => /nats|disconnect|connection/i.test(String(line))),
          JSON.stringify(lines),
        );
        assert.ok(lines.length < 20, JSON.stringify(lines));
        assert.is((await world.contents('networks')).length, 2);
      },
      { leaseMs: 2_000 },
    );
  }

  check(
    'the mail is lost: what is used stays guarded, what is new is made, and everything goes in the end (P8, P11)',
    async (world) => {
      const [net, name] = [world.name('net'), world.name('subnet')];
      await world.apply(
        world.managed('Network', net),
        world.managed('Subnet', name, { networkRef: net, ipVersion: 4, cidr: '192.0.2.0/24' }),
      );
      await world.available('Subnet', name);
      await world.loseMail();
      await world.delete('Network', net);
      await world.apply(world.managed('Network', world.name('after')));
      const held = /^Waiting for finalizer openstack\.k-orc\.cloud\/subnet to be removed/;
      await world.progressing('Network', net, 'Progressing', held);
      await world.available('Network', world.name('after'));
      await world.clock.sleep(WATCHED_MS);
      assert.is((await world.contents('networks')).length, 2);
      await world.delete('Subnet', name);
      await world.gone('Subnet', name);
      await world.gone('Network', net);
      assert.is((await world.contents('subnets')).length, 0);
    },
    { leaseMs: 2_000 },
  );
}

/** Nothing floods the log while something is wrong; what is wrong is no error of ours. */
async function staysQuiet(world: World, objects = 1): Promise<void> {
  const before = world.lines('info').length;
  await world.clock.sleep(WATCHED_MS);
  const lines = world.lines('info').slice(before);
  assert.ok(lines.length < LINES_LIMIT * objects, `${lines.length} lines: ${JSON.stringify(lines.slice(0, 20))}`);
  assert.equal(world.lines('error'), []);
}
