// What is done to Windows machines, to the ways there, and to the passwords of shares and targets, beside what befalls pods and
// what they stand on.
import type { EstateMachine, Lock } from './estate.ts';
import type { Pod } from './pod.ts';
import { Trouble } from './served-machine.ts';
import type { Machines } from './simulated-machines.ts';
import { between, type Misfortune, ofStand, ofWay, type StandFaultDeps } from './stand-faults.ts';
import { pick } from './user.ts';
import type { WindowsUser } from './windows-user.ts';

export interface WindowsFaultDeps extends StandFaultDeps {
  machines: Machines;
  estate: readonly EstateMachine[];
  locks: readonly Lock[];
  user: WindowsUser;
  /** Makes a new password, which the Secret has from then on when it is written. */
  renew: (secret: string) => string;
}

/** Longest that a way is held, cut or slow, in milliseconds: some calls are given up meanwhile. */
const WAY_MS = 4_000;
const DOWN_MS = 3_000;
const AWAY_MS = 6_000;
/** How long somebody waits for a machine to be at work, to strike then. */
const IDLE_MS = 5_000;
/** A format takes longer. */
const SOON_MS = 150;
const STRUCK = [
  { what: 'work', isMeant: () => true },
  { what: 'a format', isMeant: (call: string) => call === 'volume.formatVolume' },
] as const;
const CALLS = ['changes', 'changes', 'formats', 'looks'] as const;
const LATE_MS = { least: 200, most: 3_000 };

export function windowsMisfortunes(deps: WindowsFaultDeps): readonly Misfortune[] {
  const nodes = deps.estate.flatMap((machine) => {
    const pod = deps.pods.find(({ name }) => name === machine.node);
    return pod === undefined ? [] : ofMachine(deps, machine, pod);
  });
  return [...ofStand(deps), ...nodes, ...ofPasswords(deps)];
}

function ofMachine(deps: WindowsFaultDeps, { node, disks }: EstateMachine, pod: Pod): readonly Misfortune[] {
  const { clock, estate, machines, random, tell } = deps;
  const inject = (trouble: Trouble, what: string, weight: number): Misfortune => ({
    name: `calls ${trouble}`,
    weight,
    to: [`${node} calls`],
    async play() {
      const times = 1 + Math.floor(random() * 5);
      const of = pick(CALLS, random) ?? 'changes';
      const delayMs = trouble === Trouble.Late ? between(deps, LATE_MS.least, LATE_MS.most) : 0;
      tell('chaos', `machine ${node} ${what} its next ${times} calls (${of})`);
      await machines.ask({ ask: 'inject', node, fault: { trouble, times, of, delayMs } });
    },
  });
  return [
    {
      name: 'machine restarted',
      weight: 8,
      to: [node, `${node} disk`],
      async play() {
        const mappings = random() < 0.5 ? 'kept' : 'lost';
        tell('chaos', `machine ${node} goes down, and its mappings are ${mappings}`);
        await pod.kill();
        await machines.ask({ ask: 'goDown', node, mappings });
        await clock.sleep(between(deps, 200, DOWN_MS));
        await machines.ask({ ask: 'comeUp', node });
        tell('chaos', `machine ${node} is there again`);
        pod.start();
        await pod.runs();
      },
    },
    {
      name: 'disk away',
      weight: 6,
      to: [`${node} disk`],
      async play() {
        const { page83 } = pick(disks, random) ?? {};
        if (page83 === undefined) return;
        const to = pick(['', ...estate.map((other) => other.node).filter((name) => name !== node)], random);
        const request = { ask: 'take', node, page83, ...(to && { to }) } as const;
        const { isTaken } = await machines.ask(request);
        if (isTaken !== true) return;
        tell('chaos', `disk ${page83} is taken from machine ${node}${to ? ` to ${to}` : ''}`);
        await clock.sleep(between(deps, 300, AWAY_MS));
        await machines.ask({ ask: 'bringBack', node, page83, ...(to && { from: to }) });
        tell('chaos', `disk ${page83} is back at machine ${node}`);
      },
    },
    ...STRUCK.map(
      ({ what, isMeant }): Misfortune => ({
        name: `struck at ${what}`,
        weight: 5,
        to: [node, `${node} way`],
        async play() {
          if (!(await machines.atWork(node, isMeant, IDLE_MS))) return;
          await clock.sleep(between(deps, 0, SOON_MS));
          if (random() < 0.5) {
            tell('chaos', `resets the way from node ${node} to its machine, which is at ${what}`);
            machines.wayOf(node).reset();
            return;
          }
          tell('chaos', `kills pod ${node}, whose machine is at ${what}`);
          await pod.kill();
          await clock.sleep(between(deps, 0, 1_500));
          tell('chaos', `starts pod ${node} again`);
          pod.start();
          await pod.runs();
        },
      }),
    ),
    inject(Trouble.Unheard, 'does not hear', 3),
    inject(Trouble.Silent, 'does, and does not answer,', 3),
    inject(Trouble.Refused, 'refuses', 2),
    inject(Trouble.Lost, 'does, and says that it did not,', 2),
    inject(Trouble.Late, 'takes long to begin', 3),
    ...ofWay(deps, `the way from node ${node} to its machine`, machines.wayOf(node), [`${node} way`], WAY_MS),
  ];
}

function ofPasswords(deps: WindowsFaultDeps): readonly Misfortune[] {
  const { clock, locks, machines, random, renew, tell, user } = deps;
  const away: Misfortune = {
    name: 'Secret away',
    weight: 4,
    to: ['passwords', 'api'],
    async play() {
      const lock = pick(locks, random);
      if (lock === undefined) return;
      await user.deleteSecret(lock.secret);
      await clock.sleep(between(deps, 0, 3_000));
      await user.writeSecret(lock.secret);
    },
  };
  const changed: Misfortune = {
    name: 'password changed',
    weight: 10,
    to: ['passwords', 'api'],
    async play() {
      const lock = pick(locks, random);
      if (lock === undefined) return;
      const password = renew(lock.secret);
      const atLock = async (): Promise<void> => {
        tell('chaos', `the password of ${Object.values(lock.opens).join(' of ')} changes where it is asked for`);
        await machines.ask({ ask: 'setPassword', of: lock.opens, password });
      };
      const inSecret = (): Promise<void> => user.writeSecret(lock.secret);
      const [first, second] = random() < 0.5 ? [atLock, inSecret] : [inSecret, atLock];
      await first();
      await clock.sleep(between(deps, 0, 3_000));
      await second();
    },
  };
  return [away, changed];
}
