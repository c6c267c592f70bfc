// What is done to a cloud, to the ways there, and to the password of those who ask it, beside what befalls pods and what they stand on.
import type { Fault } from '../../adapters/openstack/simulator/mod.ts';
import type { TcpProxy } from '../bus/proxy.ts';
import type { World } from '../world/world.ts';
import { CREDENTIALS, type Kind } from '../world/world.ts';
import type { Counterparts } from './counterparts.ts';
import { between, type Misfortune, ofStand, ofWay, type StandFaultDeps } from './stand-faults.ts';
import { pick } from './user.ts';

export interface FaultDeps extends StandFaultDeps {
  world: World;
  stand: Counterparts;
  /** To what images are made of. */
  files: TcpProxy;
  /** Told of each new password. */
  onPassword: (password: string) => void;
}

export function misfortunes(deps: FaultDeps): readonly Misfortune[] {
  return [...ofStand(deps), ...ofCloud(deps), ...ofSecrets(deps)];
}

function ofCloud(deps: FaultDeps): readonly Misfortune[] {
  const { stand, files, random, tell } = deps;
  const { cloud } = stand;
  const change = /^\/(?!auth)/;
  const inject = (name: string, what: string, make: () => Fault): Misfortune => ({
    name,
    weight: 2,
    to: ['cloud faults'],
    async play() {
      const times = 1 + Math.floor(random() * 8);
      tell('chaos', `the cloud ${what} the next ${times} changes`);
      await cloud.inject({ times, ...make() });
    },
  });
  const methods = ['POST', 'POST', 'PUT', 'PATCH', 'DELETE'];
  const method = (): string => pick(methods, random) ?? 'POST';
  return [
    ...ofWay(deps, 'the way to the cloud', cloud.way, ['cloud'], 4_000),
    ...ofWay(deps, 'the way to the files of images', files, ['files'], 4_000),
    inject('answers lost', 'makes, and does not answer,', () => ({
      match: { method: method(), path: change },
      dropAfterWork: true,
    })),
    inject('requests lost', 'does not hear', () => ({
      match: { method: method(), path: change },
      dropBeforeWork: true,
    })),
    inject('errors', 'answers 500 to', () => ({ match: { method: method(), path: change }, status: 500 })),
    inject('overload', 'answers 503, later please, to', () => ({
      match: { path: change },
      status: 503,
      headers: { 'retry-after': '1' },
    })),
    inject('slow', 'takes long for', () => ({
      match: { method: method(), path: change },
      delayMs: between(deps, 200, 1_500),
    })),
    {
      name: 'tokens expired',
      weight: 3,
      to: ['tokens'],
      async play() {
        tell('chaos', 'all tokens of the cloud expire');
        await cloud.expireTokens();
      },
    },
  ];
}

function ofSecrets(deps: FaultDeps): readonly Misfortune[] {
  const { clock, random, tell } = deps;
  return [
    {
      name: 'secret rotated',
      weight: 3,
      to: ['tokens', 'api'],
      async play() {
        const password = `pw-${random().toString(36).slice(2)}`;
        deps.onPassword(password);
        const atCloud = async (): Promise<void> => {
          tell('chaos', 'the password changes at the cloud');
          await deps.stand.cloud.setPassword(password);
        };
        const inSecret = async (): Promise<void> => {
          tell('chaos', 'the password changes in the Secret');
          await writeSecret(deps, password);
        };
        const [first, second] = random() < 0.5 ? [atCloud, inSecret] : [inSecret, atCloud];
        await first();
        await clock.sleep(between(deps, 0, 3_000));
        await second();
      },
    },
  ];
}

export async function writeSecret(
  { stand, world }: Pick<FaultDeps, 'stand' | 'world'>,
  password: string,
): Promise<void> {
  await world.secret(CREDENTIALS, stand.cloud.cloudsYaml(password));
}

/** @returns the version of the last change */
export async function changeSomething(
  { world, random }: Pick<FaultDeps, 'world' | 'random'>,
  times: number,
): Promise<string | undefined> {
  const object = pick(
    world.follower.all().filter(({ kind }) => kind !== 'Secret'),
    random,
  );
  let version: string | undefined;
  for (let change = 0; change < times && object !== undefined; change++) {
    const annotations = { 'chaos.test/change': String(change) };
    ({ resourceVersion: version } = (
      await world.patch(object.kind as Kind, object.metadata.name, { metadata: { annotations } })
    ).metadata);
  }
  return version;
}
