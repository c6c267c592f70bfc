// Histories of the storage of Windows machines before they happen: what there is, what users declare of it, and what befalls the
// machines. There is nothing else in them.
import { mulberry32 } from '../../../../actors/base/clock.ts';
import { type Draw, drawFrom } from '../../draw.ts';
import { ACTIVE_MS, type Misfortune, misfortunes } from '../../misfortunes.ts';
import type { Plan, StepOf } from '../../model.ts';
import { beforehandOf, type Estate, estateOf, NAMESPACE, type PlannedSecret, SECOND, type Thing } from './estate.ts';
import { secondTenantOf } from './tenant.ts';

/**
 * What users do with one object. `edit` and `editBack` write what it has for that; `moveAway` and `moveBack` the Kubernetes node of one
 * that stands for a machine.
 */
export type ThingDeed = 'create' | 'delete' | 'edit' | 'editBack' | 'pin' | 'unpin' | 'moveAway' | 'moveBack';

/** What users do with a Secret, and with what it is the key to. */
export type SecretDeed = 'createSecret' | 'deleteSecret' | 'emptySecret' | 'spoilSecret' | 'rotate';

/** What becomes of the calls of a machine for a while. */
export type MachineTrouble = 'failing' | 'forgetful' | 'slow' | 'hanging';

/** What people do on a machine, or with its disks. `number` draws which. */
export const HAND_DEEDS = [
  'vanish',
  'bringBack',
  'swap',
  'move',
  'offline',
  'online',
  'partition',
  'spoilVolume',
  'unmount',
  'block',
  'unblock',
  'map',
  'unmap',
  'breakMapping',
  'disconnect',
] as const;
export type HandDeed = (typeof HAND_DEEDS)[number];

export interface ThingDone {
  readonly what: 'thing';
  readonly deed: ThingDeed;
  readonly thing: Thing;
}

export interface SecretDone {
  readonly what: 'windowsSecret';
  readonly deed: SecretDeed;
  /** Of the Secret. */
  readonly namespace: string;
  readonly name: string;
  readonly number: number;
}

export interface MachineBefallen {
  readonly what: 'machineTrouble';
  readonly problem: MachineTrouble;
  readonly node: string;
  readonly forMs: number;
}

export interface ByHand {
  readonly what: 'machineHand';
  readonly deed: HandDeed;
  readonly node: string;
  readonly number: number;
}

export type WindowsHappening = ThingDone | SecretDone | MachineBefallen | ByHand;

const TROUBLES: readonly MachineTrouble[] = ['failing', 'forgetful', 'slow', 'hanging'];

/** Streams of chance of their own: the first tenant has the same histories with and without them. */
const BEFOREHAND = 0x19;
const TENANT = 0x2b;

export type WindowsPlan = Plan<WindowsHappening, Estate>;
type Step = StepOf<WindowsHappening | Misfortune>;

/** @param given.isAlone  there is no second tenant in any case */
export function windowsPlan(seed: number, { isAlone = false } = {}): Omit<WindowsPlan, 'model'> {
  const draw = drawFrom(mulberry32((seed * 2_654_435_761) ^ 0x57d0));
  const pods = 1 + draw.below(2);
  const misfortune = draw.chance(0.25) ? 0 : draw.chance(0.5) ? 0.5 : 1;
  const common = estateOf(draw);
  const chance = drawFrom(mulberry32((seed * 2_654_435_761) ^ BEFOREHAND));
  const first: Estate = { ...common, beforehand: beforehandOf(chance, common) };
  const steps: Step[] = [];
  for (const thing of first.things) live(draw, steps, thing);
  for (const secret of first.secrets) keep(draw, steps, secret, misfortune);
  if (misfortune > 0) {
    befall(draw, steps, first, misfortune);
    misfortunes(draw, steps, first.nodes.length + pods, misfortune);
  }
  const tenancy = drawFrom(mulberry32((seed * 2_654_435_761) ^ TENANT));
  const second = isAlone ? undefined : secondTenantOf(tenancy, first);
  if (second !== undefined) {
    for (const thing of second.things) live(tenancy, steps, thing);
    for (const secret of second.secrets) keep(tenancy, steps, secret, misfortune);
    for (const thing of [...second.contested, ...second.things]) move(tenancy, steps, thing);
  }
  const { things = [], secrets = [] } = second ?? {};
  const given = { ...first, things: [...first.things, ...things], secrets: [...first.secrets, ...secrets] };
  const namespaces = second === undefined ? [NAMESPACE] : [NAMESPACE, SECOND];
  steps.sort((one, other) => one.atMs - other.atMs);
  return { seed, pods, namespaces, resyncMs: 0, steps, moments: [], given };
}

/** What becomes of the name of a machine: it is given up, and asked for again. */
function move(draw: Draw, steps: Step[], thing: Thing): void {
  if (thing.kind !== 'WindowsStorageNode') return;
  const add = (atMs: number, deed: ThingDeed): void => void steps.push({ atMs, what: 'thing', deed, thing });
  if (thing.isBornElsewhere === true) add(1_000 + draw.below(30_000), 'moveBack');
  if (!draw.chance(thing.namespace === NAMESPACE ? 0.7 : 0.3)) return;
  const awayAt = 5_000 + draw.below(ACTIVE_MS - 30_000);
  add(awayAt, 'moveAway');
  if (draw.chance(0.8)) add(awayAt + draw.below(60_000), 'moveBack');
}

/** What users do with one object. */
function live(draw: Draw, steps: Step[], thing: Thing): void {
  const add = (atMs: number, deed: ThingDeed): void => void steps.push({ atMs, what: 'thing', deed, thing });
  const between = (fromMs: number, untilMs: number): number => fromMs + draw.below(Math.max(1, untilMs - fromMs));
  const bornAt = draw.below(draw.chance(0.6) ? 500 : 25_000);
  add(bornAt, 'create');
  if (thing.edit !== undefined && draw.chance(0.35)) {
    const atMs = between(bornAt, ACTIVE_MS);
    add(atMs, 'edit');
    if (draw.chance(0.6)) add(atMs + draw.below(20_000), 'editBack');
  }
  if (draw.chance(0.08)) {
    const atMs = between(bornAt, ACTIVE_MS);
    add(atMs, 'pin');
    add(atMs + draw.below(25_000), 'unpin');
  }
  if (!draw.chance(0.35)) return;
  const goneAt = between(bornAt, draw.chance(0.4) ? bornAt + 6_000 : ACTIVE_MS);
  add(goneAt, 'delete');
  if (!draw.chance(0.7)) return;
  add(goneAt + draw.below(draw.chance(0.5) ? 500 : 20_000), 'create');
  if (draw.chance(0.3)) add(between(goneAt + 500, ACTIVE_MS), 'delete');
}

/** What users do with one Secret. */
function keep(draw: Draw, steps: Step[], { namespace, name }: PlannedSecret, misfortune: number): void {
  let number = 0;
  const add = (atMs: number, deed: SecretDeed): void =>
    void steps.push({ atMs, what: 'windowsSecret', deed, namespace, name, number: ++number });
  add(draw.chance(0.7) ? draw.below(500) : draw.below(25_000), 'createSecret');
  if (draw.chance(0.35)) add(draw.below(ACTIVE_MS), 'rotate');
  if (misfortune === 0) return;
  for (const deed of ['deleteSecret', 'emptySecret', 'spoilSecret'] as const)
    if (draw.chance(0.15)) {
      const atMs = draw.below(ACTIVE_MS);
      add(atMs, deed);
      if (draw.chance(0.7)) add(atMs + draw.below(20_000), deed === 'deleteSecret' ? 'createSecret' : 'rotate');
    }
}

function befall(draw: Draw, steps: Step[], { nodes }: Estate, intensity: number): void {
  const begun = steps.map(({ atMs }) => atMs);
  const when = (): number =>
    draw.chance(0.6) ? draw.pick(begun) + draw.below(6_000) : 1_000 + draw.below(ACTIVE_MS - 1_000);
  for (const { name: node } of nodes) {
    for (let index = 0; index < 3; index++)
      if (draw.chance(0.35 * intensity))
        steps.push({
          atMs: when(),
          what: 'machineTrouble',
          problem: draw.pick(TROUBLES),
          node,
          forMs: 200 + draw.below(20_000),
        });
    for (let index = 0; index < 4; index++)
      if (draw.chance(0.3 * intensity))
        steps.push({ atMs: when(), what: 'machineHand', deed: draw.pick(HAND_DEEDS), node, number: draw.below(1_000) });
  }
}
