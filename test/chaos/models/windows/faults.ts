// Faults of Windows machines, of the ways there, and of the passwords of shares and targets.
import { callFaults, type FaultDeps, killedFor, ofWay, passwordChange } from '../../faults.ts';
import type { Fault, Run } from '../../model.ts';
import type { Pod } from '../../pod.ts';
import { between, pick } from '../../random.ts';
import type { EstateMachine, Lock } from './estate.ts';
import { type CallFault, Trouble } from './served-machine.ts';
import type { Machines } from './simulated-machines.ts';
import type { WindowsUser } from './user.ts';

export interface WindowsFaultDeps extends FaultDeps, Pick<Run, 'passwords' | 'pods'> {
  machines: Machines;
  estate: readonly EstateMachine[];
  locks: readonly Lock[];
  user: WindowsUser;
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
const TROUBLES: readonly (readonly [Trouble, string, number])[] = [
  [Trouble.Unheard, 'does not hear', 3],
  [Trouble.Silent, 'does, and does not answer,', 3],
  [Trouble.Refused, 'refuses', 2],
  [Trouble.Lost, 'does, and says that it did not,', 2],
  [Trouble.Late, 'takes long to begin', 3],
];

export function windowsFaults(deps: WindowsFaultDeps): readonly Fault[] {
  const { clock, estate, locks, machines, pods, passwords, random, report, user } = deps;
  const ofMachines = estate.flatMap((machine) => {
    const pod = pods.find(({ name }) => name === machine.node);
    return pod === undefined ? [] : ofMachine(deps, machine, pod);
  });
  return [
    ...ofMachines,
    {
      name: 'Secret away',
      weight: 4,
      to: ['passwords', 'api'],
      only: 'living',
      async play() {
        const lock = pick(locks, random);
        if (lock === undefined) return;
        await user.deleteSecret(lock.secret);
        await clock.sleep(between(random, 0, 3_000));
        await user.writeSecret(lock.secret);
      },
    },
    passwordChange(deps, {
      weight: 10,
      to: ['passwords', 'api'],
      choose() {
        const lock = pick(locks, random);
        if (lock !== undefined) passwords.renew(lock.secret);
        return lock;
      },
      async atLock({ opens, secret }) {
        report('chaos', `the password of ${Object.values(opens).join(' of ')} changes where it is asked for`);
        await machines.call.setPassword(opens, passwords.of(secret));
      },
      inSecret: ({ secret }) => user.writeSecret(secret),
    }),
  ];
}

function ofMachine(deps: WindowsFaultDeps, { node, disks }: EstateMachine, pod: Pod): readonly Fault[] {
  const { clock, estate, machines, random, report } = deps;
  const { call } = machines;
  const system = { name: `machine ${node}`, calls: 'calls', most: 5, to: [`${node} calls`] };
  return [
    {
      name: 'machine restarted',
      weight: 8,
      to: [node, `${node} disk`],
      async play() {
        const mappings = random() < 0.5 ? 'kept' : 'lost';
        report('chaos', `machine ${node} goes down, and its mappings are ${mappings}`);
        await pod.kill();
        await call.goDown(node, mappings);
        await clock.sleep(between(random, 200, DOWN_MS));
        await call.comeUp(node);
        report('chaos', `machine ${node} is there again`);
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
        const others = estate.map((other) => other.node).filter((name) => name !== node);
        const to = pick([undefined, ...others], random);
        if (!(await call.take(node, page83, to))) return;
        report('chaos', `disk ${page83} is taken from machine ${node}${to === undefined ? '' : ` to ${to}`}`);
        await clock.sleep(between(random, 300, AWAY_MS));
        await call.bringBack(node, page83, to);
        report('chaos', `disk ${page83} is back at machine ${node}`);
      },
    },
    ...STRUCK.map(
      ({ what, isMeant }): Fault => ({
        name: `struck at ${what}`,
        weight: 5,
        to: [node, `${node} way`],
        async play() {
          if (!(await machines.atWork(node, isMeant, IDLE_MS))) return;
          await clock.sleep(between(random, 0, SOON_MS));
          if (random() < 0.5) {
            report('chaos', `resets the way from node ${node} to its machine, which is at ${what}`);
            machines.wayOf(node).reset();
          } else await killedFor(deps, pod, 1_500, `, whose machine is at ${what}`);
        },
      }),
    ),
    ...callFaults<Omit<CallFault, 'times'>>(
      deps,
      system,
      (fault) => call.inject(node, fault),
      TROUBLES.map(([problem, what, weight]) => {
        const delayMs = (): number => (problem === Trouble.Late ? between(random, LATE_MS.least, LATE_MS.most) : 0);
        const make = () => ({ problem, of: pick(CALLS, random) ?? 'changes', delayMs: delayMs() });
        return [`calls ${problem}`, what, weight, make];
      }),
    ),
    ...ofWay(deps, `the way from node ${node} to its machine`, machines.wayOf(node), [`${node} way`], WAY_MS),
  ];
}
