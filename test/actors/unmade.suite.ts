// Objects that can have no resource yet: nothing of ours holds them, whoever looks after them next (33.F1, 33.F2).
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../bus/mod.ts';
import type { OpenGround } from '../world/environments.ts';
import { CREDENTIALS, checkIn, condition, type Kind, type World } from '../world/world.ts';

/** Why an object can have none. */
interface Case {
  readonly kind: Kind;
  readonly name: string;
  readonly manifest: JsonObject;
}

async function casesIn(world: World): Promise<readonly Case[]> {
  const with_ = (suffix: string, cloudCredentialsRef: JsonObject, kind: Kind = 'Network'): Case => {
    const name = world.name(suffix);
    return { kind, name, manifest: world.managed(kind, name, {}, { cloudCredentialsRef }) };
  };
  const { cloudName } = world.ground;
  const yaml = (auth: JsonObject): string => JSON.stringify({ clouds: { [cloudName]: { auth } } });
  const login = { username: 'nobody', password: 'wrong', project_name: 'none', user_domain_name: 'Default' };
  const dead = { auth_url: 'http://127.0.0.1:1/v3', ...login, project_domain_name: 'Default' };
  await world.secret(world.name('dead'), yaml(dead));
  await world.secret(world.name('keyless'), { 'other.yaml': 'x' });
  const router = world.name('no-router');
  const plug = world.name('plug');
  const lone = world.name('lone');
  const foreign = world.name('import');
  return [
    with_('no-secret', { secretName: world.name('missing'), cloudName }),
    with_('no-cloud', { secretName: CREDENTIALS, cloudName: 'no-such-cloud' }),
    with_('no-answer', { secretName: world.name('dead'), cloudName }),
    with_('no-key', { secretName: world.name('keyless'), cloudName }),
    {
      kind: 'RouterInterface',
      name: plug,
      manifest: {
        apiVersion: 'openstack.k-orc.cloud/v1alpha1',
        kind: 'RouterInterface',
        metadata: { name: plug },
        spec: { type: 'Subnet', routerRef: router, subnetRef: world.name('no-subnet') },
      },
    },
    {
      kind: 'Subnet',
      name: lone,
      manifest: world.managed('Subnet', lone, { networkRef: world.name('absent'), ipVersion: 4, cidr: '10.0.0.0/24' }),
    },
    {
      kind: 'Network',
      name: foreign,
      manifest: world.unmanaged('Network', foreign, { filter: { name: world.name('nothing') } }),
    },
  ];
}

export function describeUnmade(test: Test, openGround: OpenGround): void {
  const check = checkIn(test, openGround);

  check(
    '33.F1, 33.F2: what can have no resource carries no finalizer of ours, and goes after a restart',
    async (world) => {
      const cases = await casesIn(world);
      await world.apply(...cases.map(({ manifest }) => manifest));
      const reported = (kind: Kind, name: string): Promise<unknown> =>
        world.until(kind, name, 'reported', (object) => (condition(object, 'Progressing').message ?? '') !== '');
      for (const { kind, name } of cases) await reported(kind, name);
      for (const { kind, name } of cases)
        assert.equal((await world.read(kind, name))?.metadata.finalizers ?? [], [], `${kind} ${name}`);
      await world.stop();
      await world.start();
      for (const { kind, name } of cases) {
        await world.delete(kind, name);
        await world.gone(kind, name);
      }
      // Nothing is left of their claims: what they referred to can go, too.
      for (const name of ['dead', 'keyless'].map((suffix) => world.name(suffix))) {
        await world.delete('Secret', name);
        await world.gone('Secret', name);
      }
    },
  );

  check('33.F1: what is held by others and can have no resource goes when they let go', async (world) => {
    const name = world.name('held');
    const manifest = world.managed(
      'Network',
      name,
      {},
      {
        cloudCredentialsRef: { secretName: CREDENTIALS, cloudName: 'no-such-cloud' },
      },
    );
    await world.apply(manifest);
    await world.patch('Network', name, { metadata: { finalizers: ['example.org/held'] } });
    await world.until('Network', name, 'reported', (object) => (condition(object, 'Progressing').message ?? '') !== '');
    await world.delete('Network', name);
    await world.eventually('its claims end', () => {
      const last = world.eventsOf('Network', name, 'transition').at(-1)?.data['to'];
      return last === 'deleted' ? undefined : String(last);
    });
    assert.equal((await world.read('Network', name))?.metadata.finalizers, ['example.org/held']);
    await world.patch('Network', name, { metadata: { finalizers: [] } });
    await world.gone('Network', name);
  });

  check('33.F1: a network that is made carries the finalizer before its create is sent', async (world) => {
    const name = world.name('made');
    await world.apply(world.managed('Network', name));
    await world.available('Network', name);
    const states = world.eventsOf('Network', name, 'transition').map(({ data }) => data['to']);
    const [guarding, creating] = ['building.addingFinalizer', 'building.creating'].map((state) =>
      states.indexOf(state),
    );
    assert.ok((guarding ?? -1) >= 0 && (guarding ?? 0) < (creating ?? -1), states.join());
    assert.ok((await world.read('Network', name))?.metadata.finalizers?.includes('openstack.k-orc.cloud/network'));
  });
}
