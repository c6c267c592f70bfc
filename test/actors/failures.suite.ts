// Failures are not quiet: each is told by an Event with a count, by one warning in the log, and with what to do about it.
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../bus/mod.ts';
import type { OpenGround } from '../world/environments.ts';
import { checkIn, condition, type Kind, type World } from '../world/world.ts';
import { type CoreEvent, eventsOf, reported } from './told.ts';

/** Contents of a Secret with which nothing works. */
interface Trouble {
  readonly content: (world: World) => Readonly<Record<string, string>>;
  /** Of the Event; `SECRET` stands for the name of the Secret. */
  readonly message: RegExp;
  /** In the trace, and of the metric. */
  readonly failure: string;
}

const WRONG_PASSWORD = 'wrong-1x';
const AT_CLOUD = "of cloud 'openstack' in the key 'clouds\\.yaml' of Secret/SECRET";

export const TROUBLES = {
  'a wrong password': {
    content: ({ ground }) => ({
      'clouds.yaml': ground.cloudsYaml.replace(/password:.*/, `password: ${WRONG_PASSWORD}`),
    }),
    message: new RegExp(
      `^TransientError: authentication answered 401: the identity service refuses the credentials; correct 'auth' ${AT_CLOUD}: `,
    ),
    failure: 'credentials',
  },
  'a cloud that cannot be reached': {
    content: ({ ground }) => ({
      'clouds.yaml': ground.cloudsYaml.replace(/auth_url:.*/, 'auth_url: http://127.0.0.1:1/v3'),
    }),
    message: new RegExp(
      `^TransientError: .*ECONNREFUSED.*; see that the cloud answers there, or correct 'auth\\.auth_url' ${AT_CLOUD}$`,
    ),
    failure: 'unreachable',
  },
  'a host that nobody knows': {
    content: ({ ground }) => ({
      'clouds.yaml': ground.cloudsYaml.replace(/auth_url:.*/, 'auth_url: http://no-such-host.invalid/v3'),
    }),
    message: new RegExp(
      `^TransientError: .*(ENOTFOUND|EAI_AGAIN).*; see that the cloud answers there, or correct 'auth\\.auth_url' ${AT_CLOUD}$`,
    ),
    failure: 'unreachable',
  },
  'a clouds.yaml that is none': {
    content: () => ({ 'clouds.yaml': 'clouds: [\n  password: x' }),
    message: /^TransientError: failed to unmarshal .*; correct the key 'clouds\.yaml' of Secret\/SECRET$/,
    failure: 'credentials',
  },
  'a cloud of another name': {
    content: () => ({ 'clouds.yaml': 'clouds: { elsewhere: { auth: {} } }' }),
    message:
      /^TransientError: no cloud named: openstack, .*; add cloud 'openstack' in the key 'clouds\.yaml' of Secret\/SECRET, or correct spec\.cloudCredentialsRef\.cloudName of Network\/\S+$/,
    failure: 'credentials',
  },
  'a key of another name': {
    content: () => ({ 'cloud.yaml': 'clouds: {}' }),
    message:
      /^TransientError: OpenStack credentials secret SECRET did not contain key clouds\.yaml; put a clouds\.yaml under the key 'clouds\.yaml' of Secret\/SECRET$/,
    failure: 'credentials',
  },
} satisfies Readonly<Record<string, Trouble>>;

export function describeFailures(test: Test, openGround: OpenGround): void {
  const check = checkIn(test, openGround);

  for (const [title, { content, message, failure }] of Object.entries(TROUBLES)) {
    check(`${title}: an Event that counts, one warning, what to change, no secret`, async (world) => {
      const [name, secretName] = [world.name('net'), world.name('clouds')];
      await world.secret(secretName, content(world));
      const ref = { cloudCredentialsRef: { secretName, cloudName: world.ground.cloudName } };
      await world.apply(world.managed('Network', name, {}, ref));
      const event = await repeated(world, 'Network', name);
      assert.is(event.type, 'Warning');
      assert.match(event.message.replaceAll(secretName, 'SECRET'), message);
      assert.equal(
        (await eventsOf(world, name)).map(({ reason }) => reason),
        ['Failed'],
      );
      const warnings = world.lines('warn').filter((line) => line['name'] === name);
      assert.equal([warnings.length, warnings[0]?.['error']], [1, event.message]);
      const failures = world.eventsOf('Network', name, 'transition').flatMap(({ data }) => data['failure'] ?? []);
      assert.ok(failures.length > 2 && failures.every((each) => each === failure), JSON.stringify(failures));
      assert.not.ok(JSON.stringify([event, world.logs, world.events]).includes(WRONG_PASSWORD));

      // All is well again; the next trouble is another series.
      await world.secret(secretName, world.ground.cloudsYaml);
      await world.available('Network', name);
      await world.patch('Secret', secretName, { data: { 'clouds.yaml': null } });
      await world.secret(secretName, content(world));
      await world.patch('Network', name, { spec: { resource: { description: 'other' } } });
      await world.eventually('the log is warned once more', () => {
        const { length } = world.lines('warn').filter((line) => line['name'] === name);
        return length === 2 ? undefined : `${length} warnings`;
      });
      await world.secret(secretName, world.ground.cloudsYaml);
      await world.available('Network', name);
    });
  }

  check('one failure that passes at once is nobody’s news', async (world) => {
    const name = world.name('net');
    world.simulator.faults.inject({ match: { method: 'POST', path: /\/networks$/ }, times: 1, status: 500 });
    await world.apply(world.managed('Network', name));
    await world.available('Network', name);
    await reported(world, name, 'Created');
    assert.equal((await eventsOf(world, name)).length, 1);
    assert.equal(world.lines('warn'), []);
  });

  check(
    'a spec that the cloud refuses is said to be refused; what cannot be changed is to be made anew',
    async (world) => {
      const [net, subnet, port] = [world.name('net'), world.name('subnet'), world.name('port')];
      const addresses = [{ ip: '10.10.1.300', subnetRef: subnet }];
      await world.apply(
        world.managed('Network', net),
        world.managed('Subnet', subnet, { networkRef: net, ipVersion: 4, cidr: '10.10.1.0/24' }),
        world.managed('Port', port, { networkRef: net, addresses, description: 'fine' }),
      );
      const { message, count } = await repeated(world, 'Port', port);
      assert.ok(count > 1);
      assert.match(
        message,
        /^TransientError: the cloud refuses this spec: POST \/ports of service 'network' answered 400: .*10\.10\.1\.300/,
      );
      assert.ok(
        message.endsWith(`; spec.resource.addresses cannot be changed: delete Port/${port} and create it again`),
        message,
      );
      // The condition is as the contract has it.
      const failing = await world.progressing(
        'Port',
        port,
        'TransientError',
        /^POST \/ports of service 'network' answered 400: /,
      );
      assert.is(condition(failing, 'Progressing').status, 'True');
      assert.equal(failuresOf(world, 'Port', port), ['spec']);
    },
  );

  check('an immutable field that is added later is told to have no effect', async (world) => {
    const [net, owner] = [world.name('net'), world.name('owner')];
    await world.apply(world.managed('Network', net), world.managed('Project', owner));
    await world.available('Network', net);
    await world.available('Project', owner);
    await world.patch('Network', net, { spec: { resource: { dnsDomain: 'example.org.', projectRef: owner } } });
    const { type, message } = await reported(world, net, 'FieldsNotApplied');
    const what = 'spec.resource.dnsDomain, spec.resource.projectRef cannot be set once the resource is made';
    assert.equal([type, message], ['Warning', `${what}, and has no effect; delete Network/${net} and create it again`]);
    const done = await world.available('Network', net);
    assert.is(condition(done, 'Progressing').reason, 'Success');
    // What can be changed is, and is not complained of.
    await world.patch('Network', net, {
      spec: { resource: { dnsDomain: null, projectRef: null, description: 'new' } },
    });
    await world.until('Network', net, 'changed', ({ status }) => status?.resource?.['description'] === 'new');
    assert.equal((await eventsOf(world, net)).filter(({ reason }) => reason === 'FieldsNotApplied').length, 1);
  });

  check('the deletion of an object that was never made touches nothing of its name', async (world) => {
    const [network, name] = [world.name('net'), world.name('port')];
    const valueSpecs = [{ key: 'shared', value: 'true' }];
    await world.apply(
      world.managed('Network', network, {}),
      world.managed('Port', name, { networkRef: network, valueSpecs }),
    );
    const { status } = await world.available('Network', network);
    const refused = await world.progressing('Port', name, 'InvalidConfiguration', /valueSpecs must not set 'shared'/);
    assert.equal(refused.metadata.finalizers ?? [], []);
    const port = { name, network_id: String(status?.id), fixed_ips: [], security_groups: [] };
    await world.cloud('POST', '/ports', { port });
    await world.delete('Port', name);
    await world.gone('Port', name);
    const [left] = await world.contents('ports');
    assert.is(left?.['name'], name);
    await world.cloud('DELETE', `/ports/${left?.['id']}`);
  });
}

function failuresOf(world: World, kind: Kind, name: string): readonly JsonObject[string][] {
  return [...new Set(world.eventsOf(kind, name, 'transition').flatMap(({ data }) => data['failure'] ?? []))];
}

/** The Event of a failure that has come more than once. */
function repeated(world: World, kind: Kind, name: string): Promise<CoreEvent> {
  return reported(world, name, 'Failed', ({ count }) => count > 1, kind);
}
