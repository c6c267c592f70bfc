// What is done to pods, to the servers that they stand on, and to the ways between, whatever the pods care for.
import type { Clock } from '../../bus/mod.ts';
import { type TcpProxy, Way } from '../bus/proxy.ts';
import { forgetStreams } from '../world/environments.ts';
import type { Pod } from './pod.ts';
import type { Pace, Stand } from './stand.ts';
import type { Teller } from './story.ts';

export interface StandFaultDeps {
  stand: Stand & { readonly pace: Pace };
  pods: readonly Pod[];
  clock: Clock;
  random: () => number;
  tell: Teller;
  /** So many changes of one kind that its watch cannot go on where it was. @returns the version of the last */
  changeSomething: (times: number) => Promise<string | undefined>;
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

/** All of it. */
export function ofStand(deps: StandFaultDeps): readonly Misfortune[] {
  return [...deps.pods.flatMap((pod) => ofPod(deps, pod)), ...ofServers(deps)];
}

/** What does not happen to these counterparts, and why; a line each. */
export function leftOut({ api }: Stand): readonly string[] {
  return api.kill === undefined
    ? ['leaves out that the API server is restarted: TROUPE_CHAOS_RESTART_KUBE names no command that does it']
    : [];
}

function ofPod(deps: StandFaultDeps, pod: Pod): readonly Misfortune[] {
  const { clock, stand, tell } = deps;
  const { leaseMs } = stand.pace;
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
          const version = await deps.changeSomething(stand.api.missed);
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

function refused({ random, tell }: StandFaultDeps, name: string, refuse: (times: number) => void): Misfortune {
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

/**
 * @param limitMs  longest that each lasts
 * @param lateMs  longest that requests are held, which arrive afterwards, also those of who has gone; the same unless stated
 */
export function ofWay(
  deps: Pick<StandFaultDeps, 'clock' | 'random' | 'tell'>,
  way: string,
  proxy: TcpProxy,
  to: readonly string[],
  limitMs: number,
  lateMs = limitMs,
): readonly Misfortune[] {
  const { clock, random, tell } = deps;
  const during = async (
    what: string,
    begin: () => void,
    end: () => void,
    leastMs: number,
    mostMs = limitMs,
  ): Promise<void> => {
    const ms = between(deps, leastMs, mostMs);
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
      ways.includes(Way.There) ? lateMs : limitMs,
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

function ofServers(deps: StandFaultDeps): readonly Misfortune[] {
  const { clock, stand, tell } = deps;
  const { kill } = stand.api;
  const restarted = async (what: string, kill: () => Promise<() => Promise<void>>, limitMs: number): Promise<void> => {
    tell('chaos', `kills ${what}`);
    const startAgain = await kill();
    await clock.sleep(between(deps, 0, limitMs));
    await startAgain();
    tell('chaos', `${what} is there again`);
  };
  const forget = async (which: 'mail' | 'all'): Promise<void> => {
    tell('chaos', `deletes the stream of mail${which === 'all' ? ' and the one of leases' : ''}`);
    await forgetStreams(stand.nats, which);
  };
  return [
    { name: 'NATS restarted', weight: 3, to: ['nats'], play: () => restarted('NATS', stand.killNats, 3_000) },
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

export function between({ random }: Pick<StandFaultDeps, 'random'>, least: number, most: number): number {
  return least + random() * (most - least);
}

export function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
