// What is done to pods, to what they stand on, and to the ways between.
import type { Fault } from '../../adapters/openstack/simulator/mod.ts';
import type { Clock } from '../../bus/mod.ts';
import { forgetStreams } from '../actors/grounds.ts';
import type { World } from '../actors/harness.ts';
import { CREDENTIALS, type Kind } from '../actors/harness.ts';
import { type TcpProxy, Way } from '../bus/proxy.ts';
import type { Counterparts } from './counterparts.ts';
import type { Pod } from './pod.ts';
import type { Teller } from './story.ts';
import { pick } from './user.ts';

export interface FaultDeps {
  world: World;
  counterparts: Counterparts;
  pods: readonly Pod[];
  /** To what images are made of. */
  files: TcpProxy;
  clock: Clock;
  random: () => number;
  tell: Teller;
  /** Told of each new password. */
  onPassword: (password: string) => void;
}

/** One misfortune, from its beginning to its end. */
export interface Misfortune {
  readonly name: string;
  /** How often it comes, next to the others. */
  readonly weight: number;
  /** What it happens to: nothing else may happen to that meanwhile. */
  readonly to: readonly string[];
  play(): Promise<void>;
}

export function misfortunes(deps: FaultDeps): readonly Misfortune[] {
  return [...deps.pods.flatMap((pod) => ofPod(deps, pod)), ...ofServers(deps), ...ofCloud(deps), ...ofSecrets(deps)];
}

/** What does not happen to these counterparts, and why; a line each. */
export function leftOut({ api }: Counterparts): readonly string[] {
  return api.kill === undefined
    ? ['leaves out that the API server is restarted: TROUPE_CHAOS_RESTART_KUBE names no command that does it']
    : [];
}

function ofPod(deps: FaultDeps, pod: Pod): readonly Misfortune[] {
  const { clock, counterparts, tell } = deps;
  const { leaseMs } = counterparts.pace;
  const { name } = pod;
  const { api } = pod.ways;
  const frozen = async (ms: number): Promise<void> => {
    tell('chaos', `freezes pod ${name} for ${seconds(ms)}`);
    pod.freeze();
    await clock.sleep(ms);
    tell('chaos', `lets pod ${name} go on`);
    pod.thaw();
  };
  return [
    {
      name: 'kill',
      weight: 4,
      to: [name],
      async play() {
        tell('chaos', `kills pod ${name}`);
        await pod.kill();
        await clock.sleep(between(deps, 0, 2_500));
        tell('chaos', `starts pod ${name} again`);
        pod.start();
        await pod.runs();
      },
    },
    { name: 'freeze past the lease', weight: 3, to: [name], play: () => frozen(leaseMs * between(deps, 1.1, 2)) },
    { name: 'freeze', weight: 1, to: [name], play: () => frozen(between(deps, 200, leaseMs)) },
    ...ofWay(deps, `pod ${name}'s way to NATS`, pod.ways.nats, [`${name} nats`], 6_000),
    ...ofWay(deps, `pod ${name}'s way to the API server`, api.proxy, [`${name} api`], 6_000),
    {
      name: 'watch expired',
      weight: 2,
      to: [`${name} api`, 'api'],
      async play() {
        tell('chaos', `cuts pod ${name}'s way to the API server, and changes more meanwhile than it remembers`);
        api.proxy.cut();
        try {
          const version = await changeSomething(deps);
          if (version !== undefined) api.outdate(version);
        } finally {
          tell('chaos', `heals pod ${name}'s way to the API server: its watches are too old (410)`);
          api.proxy.heal();
        }
      },
    },
    ...(api.refuse === undefined ? [] : [refused(deps, name, api.refuse)]),
  ];
}

function refused({ random, tell }: FaultDeps, name: string, refuse: (times: number) => void): Misfortune {
  return {
    name: 'pod refused',
    weight: 2,
    to: [`${name} api`],
    async play() {
      const times = 1 + Math.floor(random() * 4);
      tell('chaos', `the API server refuses pod ${name}'s token for its next ${times} requests (401)`);
      refuse(times);
    },
  };
}

function ofWay(
  deps: FaultDeps,
  way: string,
  proxy: TcpProxy,
  to: readonly string[],
  limitMs: number,
): readonly Misfortune[] {
  const { clock, random, tell } = deps;
  const during = async (what: string, begin: () => void, end: () => void, leastMs: number): Promise<void> => {
    const ms = between(deps, leastMs, limitMs);
    tell('chaos', `${what} for ${seconds(ms)}`);
    begin();
    await clock.sleep(ms);
    end();
    tell('chaos', `heals ${way}`);
  };
  const hold = (what: string, ...ways: readonly Way[]): Promise<void> => {
    const isReset = random() < 0.5;
    return during(
      `lets nothing through on ${way}${what}${isReset ? ', and then resets it,' : ''}`,
      () => proxy.hold(...ways),
      () => {
        if (isReset) proxy.reset();
        proxy.heal();
      },
      300,
    );
  };
  return [
    {
      name: 'reset',
      weight: 1,
      to,
      async play() {
        tell('chaos', `resets all connections on ${way}`);
        proxy.reset();
      },
    },
    { name: 'cut', weight: 1, to, play: () => during(`cuts ${way}`, proxy.cut, proxy.heal, 300) },
    { name: 'half-open', weight: 1, to, play: () => hold('', Way.There, Way.Back) },
    { name: 'answers held', weight: 1, to, play: () => hold(' back', Way.Back) },
    { name: 'requests held', weight: 1, to, play: () => hold(' there', Way.There) },
    {
      name: 'slow',
      weight: 1,
      to,
      play() {
        const ms = between(deps, 20, 300);
        return during(`slows ${way} down by ${Math.round(ms)} ms`, () => proxy.delay(ms), proxy.heal, 1_000);
      },
    },
  ];
}

function ofServers(deps: FaultDeps): readonly Misfortune[] {
  const { clock, counterparts, tell, world } = deps;
  const { kill } = counterparts.api;
  const { nats } = world.ground;
  const restarted = async (what: string, kill: () => Promise<() => Promise<void>>, limitMs: number): Promise<void> => {
    tell('chaos', `kills ${what}`);
    const startAgain = await kill();
    await clock.sleep(between(deps, 0, limitMs));
    await startAgain();
    tell('chaos', `${what} is there again`);
  };
  const forget = async (which: 'mail' | 'all'): Promise<void> => {
    tell('chaos', `deletes the stream of mail${which === 'all' ? ' and the one of leases' : ''}`);
    if (nats !== undefined) await forgetStreams(nats, which);
  };
  return [
    { name: 'NATS restarted', weight: 3, to: ['nats'], play: () => restarted('NATS', counterparts.killNats, 3_000) },
    { name: 'mail deleted', weight: 2, to: ['nats'], play: () => forget('mail') },
    { name: 'streams deleted', weight: 1, to: ['nats'], play: () => forget('all') },
    ...(kill === undefined
      ? []
      : [
          {
            name: 'API server restarted',
            weight: 3,
            to: ['api'],
            play: () => restarted('the API server', kill, 2_000),
          },
        ]),
  ];
}

function ofCloud(deps: FaultDeps): readonly Misfortune[] {
  const { counterparts, files, random, tell } = deps;
  const { cloud } = counterparts;
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
          await deps.counterparts.cloud.setPassword(password);
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
  { counterparts, world }: Pick<FaultDeps, 'counterparts' | 'world'>,
  password: string,
): Promise<void> {
  await world.secret(CREDENTIALS, counterparts.cloud.cloudsYaml(password));
}

/** So many changes of one kind that its watch cannot go on where it was. @returns the version of the last */
async function changeSomething({ world, random, counterparts }: FaultDeps): Promise<string | undefined> {
  const object = pick(
    world.follower.all().filter(({ kind }) => kind !== 'Secret'),
    random,
  );
  let version: string | undefined;
  for (let change = 0; change < counterparts.api.missed && object !== undefined; change++) {
    const annotations = { 'chaos.test/change': String(change) };
    ({ resourceVersion: version } = (
      await world.patch(object.kind as Kind, object.metadata.name, { metadata: { annotations } })
    ).metadata);
  }
  return version;
}

function between({ random }: Pick<FaultDeps, 'random'>, least: number, most: number): number {
  return least + random() * (most - least);
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
