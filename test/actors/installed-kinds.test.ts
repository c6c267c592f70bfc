// A process with the adapters for OpenStack and for metal3.io on clusters that have the kinds of one of them, or of neither: it
// serves what there is, says in one line what there is not, and serves that too once it comes.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Role } from '../../actors/base/config.ts';
import { installCrds } from '../../actors/cli/crds.ts';
import type { RuntimeDeps } from '../../actors/process/runtime.ts';
import { metal3Contracts } from '../../adapters/ironic/api/contracts.ts';
import { AbsentError, type JsonObject } from '../../bus/mod.ts';
import { inMemory } from '../world/environments.ts';
import { checkIn, type World } from '../world/world.ts';
import { configuredMetal3 } from './metal3-adapter.ts';

const test = suite('installed kinds');
const check = checkIn(test, inMemory);

/** How long something is left alone to see what it says, in milliseconds. */
const WATCHED_MS = 1_000;
const NONE_OF = (realm: string): string => `the kinds of '${realm}' are not installed here`;
const FINALIZER = 'test.metal3.io';

async function start(world: World): Promise<void> {
  const adapters: RuntimeDeps['adapters'] = [world.openstack(), configuredMetal3];
  await world.start({ adapters, roles: new Set([...Object.values(Role), ...adapters.map(({ role }) => role)]) });
}

const installMetal3 = ({ client, clock }: World, contracts = metal3Contracts): Promise<void> =>
  installCrds(client, clock, () => undefined, contracts);

const hosts = ({ namespace }: World): string => `/apis/metal3.io/v1alpha1/namespaces/${namespace}/baremetalhosts`;

async function createHost(world: World, name: string): Promise<void> {
  const body = { apiVersion: 'metal3.io/v1alpha1', kind: 'BareMetalHost', metadata: { name }, spec: { online: true } };
  await world.client.call({ method: 'POST', path: hosts(world), body });
}

async function finalizersOf(world: World, name: string): Promise<readonly string[] | undefined> {
  try {
    const { body } = await world.client.call({ method: 'GET', path: `${hosts(world)}/${name}` });
    return (body['metadata'] as { readonly finalizers?: readonly string[] }).finalizers ?? [];
  } catch (error) {
    if (error instanceof AbsentError) return undefined;
    throw error;
  }
}

/** A host is taken care of, and let go when it is deleted. */
async function livesAndGoes(world: World, name: string): Promise<void> {
  await createHost(world, name);
  await world.eventually('the host is cared for', async () =>
    (await finalizersOf(world, name))?.includes(FINALIZER) ? undefined : 'not yet',
  );
  await world.client.call({ method: 'DELETE', path: `${hosts(world)}/${name}` });
  await world.eventually('the host is gone', async () =>
    (await finalizersOf(world, name)) === undefined ? undefined : 'not yet',
  );
}

async function networkLivesAndGoes(world: World, suffix: string): Promise<void> {
  const name = world.name(suffix);
  await world.apply(world.managed('Network', name));
  await world.available('Network', name);
  await world.delete('Network', name);
  await world.gone('Network', name);
}

const reported = (world: World, message: string): number =>
  world.logs.filter(({ msg, level }: JsonObject) => msg === message && level === 30).length;

/** It was said, once, and there was no warning of anything. */
async function saysOnce(world: World, message: string): Promise<void> {
  await world.eventually(message, () => (reported(world, message) > 0 ? undefined : 'it is not said'));
  await world.clock.sleep(WATCHED_MS);
  assert.is(reported(world, message), 1);
  assert.equal(world.lines('warn'), []);
}

check(
  'a cluster without the kinds of metal3.io: OpenStack is served as ever, and hosts once there can be any',
  async (world) => {
    await start(world);
    await saysOnce(world, NONE_OF('metal3'));
    assert.is(reported(world, NONE_OF('openstack')), 0);
    await world.eventually('the mail is complete', () =>
      world.bus.mailbox.epoch().seededAt === undefined ? 'it is not seeded' : undefined,
    );
    await networkLivesAndGoes(world, 'before');
    await installMetal3(world);
    await livesAndGoes(world, 'late');
    await networkLivesAndGoes(world, 'after');
    assert.equal(world.lines('warn'), []);
  },
  { runtime: 'stopped' },
);

check(
  'a cluster with the kinds of metal3.io alone: hosts are served, and OpenStack once there can be any',
  async (world) => {
    await installMetal3(world);
    await start(world);
    await saysOnce(world, NONE_OF('openstack'));
    assert.is(reported(world, NONE_OF('metal3')), 0);
    await livesAndGoes(world, 'first');
    await world.installCrds();
    await world.follow();
    await networkLivesAndGoes(world, 'late');
    await livesAndGoes(world, 'second');
    assert.equal(world.lines('warn'), []);
  },
  { runtime: 'stopped', crds: 'absent' },
);

check(
  'a kind that is missing where others of its adapter are there is warned of by its name, until it comes',
  async (world) => {
    await installMetal3(
      world,
      metal3Contracts.filter(({ plural }) => plural !== 'hostclaims'),
    );
    await start(world);
    await livesAndGoes(world, 'first');
    const missing =
      "the API server does not know 'hostclaims.metal3.io': apply its CustomResourceDefinition (troupe crds --apply)";
    await world.eventually('it is warned of', () =>
      world.lines('warn').some(({ msg }) => msg === missing) ? undefined : 'not yet',
    );
    await installMetal3(world);
    await world.eventually('it works again', () =>
      world.logs.some(({ msg, plural }) => msg === 'watch restored' && plural === 'hostclaims') ? undefined : 'not yet',
    );
    assert.is(reported(world, NONE_OF('metal3')), 0);
  },
  { runtime: 'stopped' },
);

test.run();
