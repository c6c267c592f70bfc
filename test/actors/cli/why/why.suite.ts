// `troupe why` as a user asks it, of objects as a running or absent troupe leaves them, on any API server.
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { Ink } from '../../../../actors/cli/colors.ts';
import { type WhyDeps, why } from '../../../../actors/cli/why/why.ts';
import { openstackWith } from '../../../../adapters/openstack/mod.ts';
import { SHARDS, TerminalError } from '../../../../bus/mod.ts';
import type { OpenGround } from '../../../world/environments.ts';
import { CREDENTIALS, checkIn, type World } from '../../../world/world.ts';

interface Answer {
  readonly code: number;
  readonly out: string;
  /** Of the output. */
  readonly last: string;
}

/** How it is asked, where that is not as by default. */
type Asking = Partial<Pick<WhyDeps, 'output' | 'namespace' | 'adapters' | 'openBus' | 'shards'>>;

export async function ask(
  world: World,
  names: readonly string[],
  {
    output,
    namespace = world.namespace,
    adapters = [openstackWith({})],
    openBus = async () => undefined,
    shards = SHARDS,
  }: Asking = {},
): Promise<Answer> {
  const stream = new PassThrough();
  const written = text(stream);
  const config = { kubeconfig: world.ground.kubeconfig, inCluster: undefined };
  try {
    const code = await why({
      config,
      adapters,
      openBus,
      shards,
      clock: world.clock,
      names,
      namespace,
      output,
      home: undefined,
      out: stream,
      ink: Ink.Plain,
    });
    stream.end();
    const out = await written;
    return { code, out, last: out.trimEnd().split('\n').at(-1) ?? '' };
  } finally {
    stream.end();
  }
}

/** The lease that another controller holds while it leads. @returns `<namespace>/<name>` */
export async function holdLeaderLease(world: World, holderIdentity: string): Promise<string> {
  const name = 'f35396c5.k-orc.cloud';
  const renewTime = new Date(world.clock.now()).toISOString().replace('Z', '000Z');
  const body = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name },
    spec: { holderIdentity, leaseDurationSeconds: 600, renewTime, acquireTime: renewTime },
  };
  const path = `/apis/coordination.k8s.io/v1/namespaces/${world.namespace}/leases`;
  await world.client.call({ method: 'POST', path, body });
  return `${world.namespace}/${name}`;
}

/** As a leader does that is stopped. @param lease  with its namespace */
export async function releaseLeaderLease(world: World, lease: string): Promise<void> {
  const [namespace, name] = lease.split('/');
  const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${name}`;
  const body = { spec: { holderIdentity: '', leaseDurationSeconds: 1 } };
  await world.client.call({ method: 'PATCH', path, body, contentType: 'application/merge-patch+json' });
}

export function describeWhy(test: Test, openGround: OpenGround): void {
  const check = checkIn(test, openGround);

  check('what is available waits for nothing, however it is named', async (world) => {
    const name = world.name('net');
    await world.apply(world.managed('Network', name));
    await world.available('Network', name);
    for (const names of [
      [`network/${name}`],
      [`Network/${name}`],
      [`networks/${name}`],
      ['network', name],
      [`networks.openstack.k-orc.cloud/${name}`],
      [`networks.v1alpha1.openstack.k-orc.cloud/${name}`],
    ]) {
      const { code, out } = await ask(world, names);
      assert.equal([code, out], [0, `Network/${name}  available\n\nNetwork/${name} waits for nothing\n`]);
    }
    const secret = await ask(world, [`secret/${CREDENTIALS}`]);
    assert.equal([secret.code, secret.last], [0, `Secret/${CREDENTIALS} waits for nothing`]);
  });

  check('a subnet whose network was refused, as text and as JSON', async (world) => {
    const [net, subnet] = [world.name('net'), world.name('subnet')];
    await world.outside(net);
    await world.outside(net);
    await world.apply(
      world.managed('Network', net),
      world.managed('Subnet', subnet, { networkRef: net, ipVersion: 4, cidr: '192.168.155.0/24' }),
    );
    await world.progressing('Subnet', subnet, 'Progressing', `Waiting for Network/${net} to be ready`);
    const refusal = 'InvalidConfiguration: found more than one matching OpenStack resource during adoption';
    await world.progressing('Network', net, 'InvalidConfiguration', /more than one/);
    const { code, out, last } = await ask(world, ['subnet', subnet]);
    assert.is(code, 1);
    assert.is(last, `root cause: Network/${net}: ${refusal}; correct its spec, or what it represents`);
    const [first = '', second = ''] = out.split('\n');
    assert.match(first, new RegExp(`^Subnet/${subnet}  waiting for \\d+ s: Waiting for Network/${net} to be ready$`));
    assert.match(second, new RegExp(`^└─ Network/${net}  failed for \\d+ s: ${refusal} \\(Available False\\)$`));

    const json = JSON.parse((await ask(world, [`subnet/${subnet}`], { output: 'json' })).out);
    assert.equal(
      [json.namespace, json.object, json.waits, json.rootCause.summary],
      [world.namespace, `Subnet/${subnet}`, true, `Network/${net}: ${refusal}`],
    );
    assert.is(json.finding.needs[0].progressing.reason, 'InvalidConfiguration');
  });

  check(
    'everything waits for a secret that is not there',
    async (world) => {
      const [net, subnet] = [world.name('net'), world.name('subnet')];
      const missing = `Waiting for Secret/${CREDENTIALS} to be created`;
      await world.apply(
        world.managed('Network', net),
        world.managed('Subnet', subnet, { networkRef: net, ipVersion: 4, cidr: '192.168.155.0/24' }),
      );
      await world.progressing('Network', net, 'Progressing', missing);
      await world.progressing('Subnet', subnet, 'Progressing', missing);
      const { code, out, last } = await ask(world, [`subnet/${subnet}`]);
      assert.is(code, 1);
      assert.match(
        out,
        new RegExp(`├─ Secret/${CREDENTIALS}  absent\n└─ Network/${net}  waiting for \\d+ s: ${missing}\n`),
      );
      const advice = `create it, or correct the reference in Subnet/${subnet}`;
      assert.is(last, `root cause: Secret/${CREDENTIALS} does not exist; ${advice}`);
    },
    { credentials: 'absent' },
  );

  check('a deleted network and a deleted secret are held by the subnet that uses them', async (world) => {
    const [net, subnet] = [world.name('net'), world.name('subnet')];
    await world.apply(
      world.managed('Network', net),
      world.managed('Subnet', subnet, { networkRef: net, ipVersion: 4, cidr: '192.168.155.0/24' }),
    );
    await world.available('Subnet', subnet);
    await world.delete('Network', net);
    const held = `Waiting for finalizer openstack.k-orc.cloud/subnet to be removed (held by Subnet/${subnet})`;
    await world.progressing('Network', net, 'Progressing', held);
    const { code, out, last } = await ask(world, [`network/${net}`]);
    assert.is(code, 1);
    assert.match(
      out,
      new RegExp(
        `finalizer openstack.k-orc.cloud/subnet\n. {2}└─ Subnet/${subnet}  available\n|└─ finalizer openstack.k-orc.cloud/subnet\n   └─ Subnet/${subnet}  available\n`,
      ),
    );
    const refers = `Subnet/${subnet} still refers to Network/${net}, and is not deleted`;
    assert.is(last, `root cause: ${refers}; delete Subnet/${subnet}, or wait until it is`);

    await world.delete('Secret', CREDENTIALS);
    const secret = await ask(world, [`secret/${CREDENTIALS}`]);
    assert.is(secret.code, 1);
    assert.match(secret.out, new RegExp(`Network/${net}  deleting for \\d+ s\n`));
    const uses = `Subnet/${subnet} still refers to Secret/${CREDENTIALS}, and is not deleted`;
    assert.ok(secret.out.includes(uses), secret.out);
    await world.delete('Subnet', subnet);
    await world.gone('Network', net);
  });

  check(
    'without troupe nobody looks at anything',
    async (world) => {
      const name = world.name('net');
      await world.apply(world.managed('Network', name));
      const { code, last } = await ask(world, [`network/${name}`]);
      assert.is(code, 1);
      assert.match(
        last,
        /^root cause: no process has looked at Network\/\S+ since it was applied, for \d+ s; see that troupe runs/,
      );
    },
    { runtime: 'stopped' },
  );

  check(
    'with another controller in the lead it says so',
    async (world) => {
      const name = world.name('net');
      await world.apply(world.managed('Network', name));
      const lease = await holdLeaderLease(world, 'orc-manager');
      const led = `ORC leads: orc-manager holds the lease ${lease}, and Troupe touches nothing meanwhile`;
      const { code, last } = await ask(world, [`network/${name}`]);
      assert.is(code, 1);
      assert.ok(last.startsWith(`root cause: ${led}; see that ORC works, or scale its Deployment to zero`), last);
      const all = await ask(world, []);
      assert.ok(all.out.includes(`root cause: ${led}`) && all.out.includes(`1 waits for it: Network/${name}`), all.out);
    },
    { runtime: 'stopped' },
  );

  check('a whole namespace', async (world) => {
    const [net, subnet] = [world.name('net'), world.name('subnet')];
    await world.apply(
      world.managed('Network', net, { projectRef: 'nobody' }),
      world.managed('Subnet', subnet, { networkRef: net, ipVersion: 4, cidr: '192.168.155.0/24' }),
    );
    await world.progressing('Network', net, 'Progressing', 'Waiting for Project/nobody to be created');
    await world.progressing('Subnet', subnet, 'Progressing', `Waiting for Network/${net} to be ready`);
    const { code, out } = await ask(world, []);
    const cause = `Project/nobody does not exist; create it, or correct the reference in Network/${net}`;
    assert.is(code, 1);
    assert.match(out, /^namespace \S+: 2 of 2 objects wait, or something is wrong with them\n\n/);
    assert.ok(out.includes(`root cause: ${cause}\n  2 wait for it: `), out);
    const json = JSON.parse((await ask(world, [], { output: 'json' })).out);
    assert.equal([json.objects, json.waiting, json.causes[0].waiting.length], [2, 2, 2]);
  });

  check(
    'what makes no sense is refused, and says what would',
    async (world) => {
      const refusal = async (names: readonly string[], output?: string): Promise<string> => {
        try {
          await ask(world, names, output === undefined ? {} : { output });
        } catch (error) {
          assert.instance(error, TerminalError);
          return (error as Error).message;
        }
        throw new Error('it was answered');
      };
      for (const names of [['network'], ['network/'], ['network/a/b'], ['network', 'a', 'b'], ['network/a', 'extra']]) {
        assert.is(
          await refusal(names),
          `'why' cannot take '${names.join(' ')}': 'troupe why --help' lists what it takes`,
        );
      }
      assert.match(await refusal(['netwrok/a']), /^there is no kind 'netwrok'; did you mean 'network'\?$/);
      assert.is(await refusal(['network/a'], 'yaml'), "--output must be text or json; got 'yaml'");
    },
    { runtime: 'stopped' },
  );
}
