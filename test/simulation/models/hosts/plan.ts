// Histories of bare-metal hosts before they happen: what users do with them, and what befalls Ironic and the machines. There is
// nothing else in them.
import { mulberry32 } from '../../../../actors/base/clock.ts';
import { type Draw, drawFrom } from '../../draw.ts';
import { ACTIVE_MS, type Misfortune, misfortunes } from '../../misfortunes.ts';
import type { Plan, StepOf } from '../../model.ts';

/** A machine, and the host that stands for it, of whatever life. */
export interface Machine {
  /** Of the simulated machine. */
  readonly name: string;
  readonly namespace: string;
  readonly host: string;
  readonly secret: string;
  readonly bmc: string;
  readonly system: string;
  readonly mac: string;
  /** It boots over the network, where there is room for one at a time. */
  readonly isOnNetwork: boolean;
  /** Its power is never to be cut: it is restarted where others are switched off. */
  readonly isNeverOff: boolean;
  /** What is on its disk users have put there themselves: it is never wiped. */
  readonly isExternal: boolean;
}

export type Landscape = readonly Machine[];

/** Of all BMCs, at first; those that come later begin like it. */
export const PASSWORD = 'Wp7-unlike-anything';

/** What users do with a host and its Secret. */
export const HOST_DEEDS = [
  'create',
  'delete',
  'image',
  'unimage',
  'switchOn',
  'switchOff',
  'reboot',
  'holdOff',
  'letGoOn',
  'detach',
  'attach',
  'pause',
  'unpause',
  'inspect',
  'set',
  'permit',
  'pin',
  'unpin',
  'rotate',
  'spoilSecret',
  'emptySecret',
  'deleteSecret',
  'createSecret',
] as const;
export type HostDeed = (typeof HOST_DEEDS)[number];

/** What befalls one machine, and its node. */
export type HostTrouble = 'hold' | 'bmcAway' | 'deployFails' | 'cleanFails' | 'inspectFails' | 'softIgnored' | 'press';

/** `number` tells what is asked for from what was asked for before. */
export interface HostDone {
  readonly what: 'host';
  readonly deed: HostDeed;
  readonly machine: Machine;
  readonly number: number;
}

/** A second tenant makes a host with a status that names the node of the machine's host, and lets go of it after a while. */
export interface HostForged {
  readonly what: 'forge';
  readonly machine: Machine;
  readonly forMs: number;
}

export interface HostBefallen {
  readonly what: 'hostTrouble';
  readonly problem: HostTrouble;
  readonly machine: Machine;
  readonly forMs: number;
}

/** Ironic's conductor begins anew, or all that it knows is lost. */
export interface IronicLoss {
  readonly what: 'restartIronic' | 'forgetNodes';
}

export type HostHappening = HostDone | HostForged | HostBefallen | IronicLoss;
export type HostPlan = Plan<HostHappening, Landscape>;
type Step = StepOf<HostHappening | Misfortune>;

export function hostPlan(seed: number): Omit<HostPlan, 'model'> {
  const draw = drawFrom(mulberry32((seed * 2_654_435_761) ^ 0x4057));
  const pods = 1 + draw.below(3);
  const namespaces = draw.chance(0.2) ? ['a', 'b'] : ['a'];
  const misfortune = draw.chance(0.25) ? 0 : draw.chance(0.5) ? 0.5 : 1;
  const machines = namespaces.flatMap((namespace) =>
    Array.from({ length: 1 + draw.below(2) }, (_, index) => machineOf(draw, namespace, index)),
  );
  const steps: Step[] = [];
  for (const machine of machines) live(draw, steps, machine);
  if (misfortune > 0) {
    for (const machine of machines) befall(draw, steps, machine, misfortune);
    const between = (fromMs: number, untilMs: number): number => Math.floor(fromMs + draw.below(untilMs - fromMs));
    misfortunes(draw, steps, pods, misfortune);
    for (const what of ['restartIronic', 'forgetNodes'] as const)
      if (draw.chance(0.3 * misfortune)) steps.push({ atMs: between(2_000, ACTIVE_MS), what });
  }
  for (const machine of machines) {
    if (!draw.chance(0.3)) continue;
    steps.push({ atMs: draw.below(ACTIVE_MS), what: 'forge', machine, forMs: 2_000 + draw.below(30_000) });
  }
  steps.sort((one, other) => one.atMs - other.atMs);
  return { seed, pods, namespaces, resyncMs: 0, steps, moments: [], given: machines };
}

function machineOf(draw: Draw, namespace: string, index: number): Machine {
  const number = index + (namespace === 'a' ? 1 : 5);
  return {
    name: `bm${number}`,
    namespace,
    host: `host${index}-${namespace}`,
    secret: `bmc${index}-${namespace}`,
    // Numbers, as no name server is asked for them.
    bmc: `http://10.0.0.${number}:8000`,
    system: '/redfish/v1/Systems/1',
    mac: `52:54:00:00:00:0${number}`,
    isOnNetwork: draw.chance(0.3),
    isNeverOff: draw.chance(0.1),
    isExternal: draw.chance(0.12),
  };
}

/** What users do with one host. */
function live(draw: Draw, steps: Step[], machine: Machine): void {
  let number = 0;
  const add = (atMs: number, deed: HostDeed): void =>
    void steps.push({ atMs, what: 'host', deed, machine, number: ++number });
  const between = (fromMs: number, untilMs: number): number => fromMs + draw.below(Math.max(1, untilMs - fromMs));
  const bornAt = draw.below(draw.chance(0.5) ? 500 : 20_000);
  const later = (): number => between(bornAt, ACTIVE_MS);
  /** The one, and mostly the other some time after it. */
  const pair = (probability: number, one: HostDeed, other: HostDeed): void => {
    if (!draw.chance(probability)) return;
    const atMs = later();
    add(atMs, one);
    if (draw.chance(0.8)) add(atMs + draw.below(15_000), other);
  };
  add(draw.chance(0.8) ? bornAt : bornAt + draw.below(10_000), 'createSecret');
  add(bornAt, 'create');
  for (const probability of [0.7, 0.4, 0.2]) if (draw.chance(probability)) add(later(), 'image');
  if (draw.chance(0.3)) add(later(), 'unimage');
  pair(0.3, 'switchOff', 'switchOn');
  pair(0.2, 'holdOff', 'letGoOn');
  pair(0.25, 'detach', 'attach');
  pair(0.2, 'pause', 'unpause');
  pair(0.15, 'deleteSecret', 'createSecret');
  pair(0.3, 'pin', 'unpin');
  for (const deed of ['reboot', 'rotate'] as const) if (draw.chance(0.25)) add(later(), deed);
  for (const deed of ['inspect', 'set', 'permit', 'spoilSecret', 'emptySecret'] as const)
    if (draw.chance(0.15)) add(later(), deed);
  if (!draw.chance(0.4)) return;
  const goneAt = between(bornAt, draw.chance(0.4) ? bornAt + 6_000 : ACTIVE_MS);
  add(goneAt, 'delete');
  if (!draw.chance(0.7)) return;
  add(goneAt + draw.below(draw.chance(0.5) ? 500 : 20_000), 'create');
  if (draw.chance(0.3)) add(between(goneAt + 500, ACTIVE_MS), 'delete');
  if (draw.chance(0.5)) add(between(goneAt + 500, ACTIVE_MS), 'image');
}

const TROUBLES: readonly HostTrouble[] = [
  'hold',
  'hold',
  'bmcAway',
  'deployFails',
  'cleanFails',
  'inspectFails',
  'softIgnored',
  'press',
];

function befall(draw: Draw, steps: Step[], machine: Machine, intensity: number): void {
  const begun = steps.map(({ atMs }) => atMs);
  for (let index = 0; index < 4; index++) {
    if (!draw.chance(0.4 * intensity)) continue;
    const atMs = draw.chance(0.6) ? draw.pick(begun) + draw.below(6_000) : draw.below(ACTIVE_MS);
    const forMs = 200 + draw.below(20_000);
    steps.push({ atMs, what: 'hostTrouble', problem: draw.pick(TROUBLES), machine, forMs });
  }
}
