// Faults of pods, of the servers of the environment, and of the ways between, whatever the pods control.

import { type TcpProxy, Way } from '../bus/proxy.ts';
import { forgetStreams } from '../world/environments.ts';
import type { Environment } from './environment.ts';
import type { Fault, Run } from './model.ts';
import type { Pod } from './pod.ts';
import { between } from './random.ts';

export type FaultDeps = Pick<Run, 'clock' | 'random' | 'report'>;

export interface EnvironmentFaultDeps
  extends Pick<Run, 'clock' | 'random' | 'report' | 'environment' | 'pace' | 'pods'> {
  /** So many changes of one kind that its watch cannot go on where it was. @returns the version of the last */
  changeSomething: (times: number) => Promise<string | undefined>;
}

/** All of the environment. */
export function environmentFaults(deps: EnvironmentFaultDeps): readonly Fault[] {
  return [...deps.pods.filter(({ faults }) => faults === 'all').flatMap((pod) => ofPod(deps, pod)), ...ofServers(deps)];
}

/** What does not happen to these counterparts, and why; a line each. */
export function leftOut({ api }: Environment): readonly string[] {
  return api.kill === undefined
    ? ['leaves out that the API server is restarted: TROUPE_CHAOS_RESTART_KUBE names no command that does it']
    : [];
}

function ofPod(deps: EnvironmentFaultDeps, pod: Pod): readonly Fault[] {
  const { clock, environment, pace, random, report } = deps;
  const { leaseMs } = pace;
  const { name } = pod;
  const { api } = pod.ways;
  const frozen = async (ms: number): Promise<void> => {
    report('chaos', `freezes pod ${name} for ${seconds(ms)}`);
    pod.freeze();
    await clock.sleep(ms);
    report('chaos', `lets pod ${name} go on`);
    pod.thaw();
  };
  return [
    {
      name: 'kill',
      weight: 4,
      to: [name],
      play: () => killedFor(deps, pod, 2_500),
    },
    { name: 'freeze past the lease', weight: 3, to: [name], play: () => frozen(leaseMs * between(random, 1.1, 2)) },
    { name: 'freeze', weight: 1, to: [name], play: () => frozen(between(random, 200, leaseMs)) },
    ...ofWay(deps, `pod ${name}'s way to NATS`, pod.ways.nats, [`${name} nats`], 6_000),
    ...ofWay(deps, `pod ${name}'s way to the API server`, api.proxy, [`${name} api`], 6_000),
    {
      name: 'watch expired',
      weight: 2,
      to: [`${name} api`, 'api'],
      only: 'living',
      async play() {
        report('chaos', `cuts pod ${name}'s way to the API server, and changes more meanwhile than it remembers`);
        api.proxy.cut();
        try {
          const version = await deps.changeSomething(environment.api.missed);
          if (version !== undefined) api.outdate(version);
        } finally {
          report('chaos', `heals pod ${name}'s way to the API server: its watches are too old (410)`);
          api.proxy.heal();
        }
      },
    },
    ...(api.refuse === undefined ? [] : [refused(deps, name, api.refuse)]),
  ];
}

function refused({ random, report }: EnvironmentFaultDeps, name: string, refuse: (times: number) => void): Fault {
  return {
    name: 'pod refused',
    weight: 2,
    to: [`${name} api`],
    async play() {
      const times = 1 + Math.floor(random() * 4);
      report('chaos', `the API server refuses pod ${name}'s token for its next ${times} requests (401)`);
      refuse(times);
    },
  };
}

/**
 * @param limitMs  longest that each lasts
 * @param lateEffectMs  longest that requests are held, which arrive afterwards, also those of who has gone; the same unless stated
 */
export function ofWay(
  deps: FaultDeps,
  way: string,
  proxy: TcpProxy,
  to: readonly string[],
  limitMs: number,
  lateEffectMs = limitMs,
): readonly Fault[] {
  const { clock, random, report } = deps;
  const during = async (
    what: string,
    begin: () => void,
    end: () => void,
    leastMs: number,
    mostMs = limitMs,
  ): Promise<void> => {
    const ms = between(random, leastMs, mostMs);
    report('chaos', `${what} for ${seconds(ms)}`);
    begin();
    await clock.sleep(ms);
    end();
    report('chaos', `heals ${way}`);
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
      ways.includes(Way.There) ? lateEffectMs : limitMs,
    );
  };
  return [
    {
      name: 'reset',
      weight: 1,
      to,
      async play() {
        report('chaos', `resets all connections on ${way}`);
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
        const ms = between(random, 20, 300);
        return during(`slows ${way} down by ${Math.round(ms)} ms`, () => proxy.delay(ms), proxy.heal, 1_000);
      },
    },
  ];
}

function ofServers(deps: EnvironmentFaultDeps): readonly Fault[] {
  const { clock, environment, random, report } = deps;
  const { kill } = environment.api;
  const restarted = async (what: string, kill: () => Promise<() => Promise<void>>, limitMs: number): Promise<void> => {
    report('chaos', `kills ${what}`);
    const startAgain = await kill();
    await clock.sleep(between(random, 0, limitMs));
    await startAgain();
    report('chaos', `${what} is there again`);
  };
  const forget = async (which: 'mail' | 'all'): Promise<void> => {
    report('chaos', `deletes the stream of mail${which === 'all' ? ' and the one of leases' : ''}`);
    await forgetStreams(environment.nats, which);
  };
  return [
    { name: 'NATS restarted', weight: 3, to: ['nats'], play: () => restarted('NATS', environment.killNats, 3_000) },
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

/** Kills a pod, and starts it again within so many milliseconds. */
export async function killedFor(
  { clock, random, report }: FaultDeps,
  pod: Pod,
  limitMs: number,
  why = '',
): Promise<void> {
  report('chaos', `kills pod ${pod.name}${why}`);
  await pod.kill();
  await clock.sleep(between(random, 0, limitMs));
  report('chaos', `starts pod ${pod.name} again`);
  pod.start();
  await pod.runs();
}

/** A password that changes where it is asked for and in the Secret, one before the other. */
export function passwordChange<Lock>(
  { clock, random }: FaultDeps,
  fault: Pick<Fault, 'weight' | 'to'> & {
    /** @returns undefined: there is none */
    readonly choose: () => Lock | undefined;
    readonly atLock: (lock: Lock) => Promise<void>;
    readonly inSecret: (lock: Lock) => Promise<void>;
  },
): Fault {
  const { weight, to, choose, atLock, inSecret } = fault;
  return {
    name: 'password changed',
    weight,
    to,
    only: 'living',
    async play() {
      const lock = choose();
      if (lock === undefined) return;
      const [first, second] = random() < 0.5 ? [atLock, inSecret] : [inSecret, atLock];
      await first(lock);
      await clock.sleep(between(random, 0, 3_000));
      await second(lock);
    },
  };
}

/** Something that becomes of the next calls to a system: its name, how the story tells it, its weight, and what is injected. */
export type CallFault<Injected> = readonly [name: string, what: string, weight: number, make: () => Injected];

/** @param inject  makes it so for the next calls */
export function callFaults<Injected>(
  { random, report }: FaultDeps,
  system: { readonly name: string; readonly calls: string; readonly most: number; readonly to: readonly string[] },
  inject: (fault: Injected & { readonly times: number }) => unknown,
  faults: readonly CallFault<Injected>[],
): readonly Fault[] {
  return faults.map(([name, what, weight, make]) => ({
    name,
    weight,
    to: system.to,
    async play() {
      const times = 1 + Math.floor(random() * system.most);
      report('chaos', `${system.name} ${what} the next ${times} ${system.calls}`);
      await inject({ times, ...make() });
    },
  }));
}

export function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
