// What users do with objects of the cloud and of the print shop, when, and what goes wrong meanwhile: drawn from a seed.
import { mulberry32 } from '../../../../actors/base/clock.ts';
import { type Draw, drawFrom } from '../../draw.ts';
import { faultsOf } from '../../faults.ts';
import { ACTIVE_MS, type Misfortune, misfortunes } from '../../misfortunes.ts';
import type { Plan, StepOf } from '../../model.ts';
import { setbacksOf } from '../../setbacks.ts';
import { foreignersOf } from './foreigners.ts';
import { furtherOf } from './further.ts';
import { lateCreates } from './late-creates.ts';
import { libraryOf } from './library.ts';
import { furtherMomentsOf, momentsOf, pressMomentsOf, suspendedMomentsOf } from './lives.ts';
import { landscape, type Planned } from './manifests.ts';
import { namesakes } from './namesakes.ts';
import { upheaval } from './upheaval.ts';

interface Fields {
  readonly object: Planned;
  readonly text: string;
  /** Which of those that an object makes for itself. */
  readonly child: number;
  readonly namespace: string;
  readonly name: string;
  /** It looks in all as the object asks for. */
  readonly isAlike: boolean;
}

type Reported<What extends string, Field extends keyof Fields> = Readonly<Record<What, Field>>;

/** What users do, and what becomes of what is in the cloud and in the print shop, with what is told of each. */
type Deeds = Reported<'create' | 'delete' | 'unsettle' | 'letGo' | 'nonsense' | 'empty' | 'fill', 'object'> &
  Reported<'edit' | 'rename', 'object' | 'text'> &
  // References are taken off, and put on again; another print is asked for.
  Reported<'unrefer' | 'refer' | 'reprint', 'object'> &
  Reported<'tamper' | 'freeze' | 'takeChild', 'object' | 'child'> &
  // By hand (`hands.ts`).
  Reported<'pin' | 'unpin' | 'unguard' | 'unown' | 'forgetId' | 'deleteInForeground' | 'unpinKeepsake', 'object'> &
  Reported<'deleteNamespace' | 'deleteSecret' | 'createSecret' | 'rotateSecret', 'namespace'> &
  // An operator makes what the floating IPs of a namespace need, or a network that imports look for.
  Reported<'open' | 'appear', 'name'> &
  // Somebody else changes the resource, or makes what looks like it.
  Reported<'drift' | 'vanish' | 'build' | 'fail' | 'twins' | 'usurp', 'object'> &
  Reported<'foreign', 'object' | 'isAlike'>;

export type ResourceDeed = {
  [What in keyof Deeds]: { readonly what: What } & Pick<Fields, Deeds[What]>;
}[keyof Deeds];
export type Doers = { readonly [What in keyof Deeds]: (deed: Pick<Fields, Deeds[What]>) => void };

export type PlannedEvent = ResourceDeed | Misfortune;
export type Step = StepOf<PlannedEvent>;

/** What there is from the beginning. */
export interface Given {
  readonly hasPress: boolean;
}

export type ResourcePlan = Plan<ResourceDeed, Given>;
/** But for the model that it is of. */
export type ResourceHistory = Omit<ResourcePlan, 'model'>;

/** The deletion of a domain, of a project of others and of what is imported has conditions that are no part of the protocol. */
const EDITED = new Set(['Network', 'Subnet', 'Router', 'Port', 'SecurityGroup', 'Project', 'Domain']);

export function resourcePlan(seed: number): ResourceHistory {
  const random = mulberry32(seed * 2_654_435_761);
  for (let index = 0; index < 8; index++) random();
  const draw = drawFrom(random);
  const pods = 1 + draw.below(3);
  const namespaces = draw.chance(0.2) ? ['a', 'b'] : ['a'];
  const steps: Step[] = [];
  const at = (fromMs: number, untilMs: number): number => Math.floor(fromMs + draw.below(untilMs - fromMs));
  // A third of the histories is calm: what waits there waits for nothing else.
  const misfortune = draw.chance(0.25) ? 0 : draw.chance(0.5) ? 0.5 : 1;
  const isCalm = misfortune === 0;
  for (const [place, namespace] of namespaces.entries()) {
    const objects = landscape(draw, namespace, place + 1);
    steps.push({ atMs: at(0, 3_000), what: 'createSecret', namespace });
    const burst = draw.chance(0.5) ? 500 : 20_000;
    for (const object of objects) live(draw, steps, at, object, burst);
    if (objects.some(({ filter }) => filter?.['name'] === `outside-${namespace}`))
      steps.push({ atMs: at(0, 40_000), what: 'appear', name: `outside-${namespace}` });
    const isNamespaceGone = draw.chance(0.12);
    if (misfortune > 0 && draw.chance(0.5))
      steps.push(...upheaval(draw, { namespace, objects, pods, isNamespaceGone }));
    // Without credentials what may have been built is never cleaned up, and nobody can make them anew in there.
    if (!isNamespaceGone && draw.chance(0.15)) {
      const goneAt = at(20_000, ACTIVE_MS);
      steps.push({ atMs: goneAt, what: 'deleteSecret', namespace });
      if (draw.chance(0.8)) steps.push({ atMs: goneAt + at(100, 20_000), what: 'createSecret', namespace });
    }
    if (draw.chance(0.15)) steps.push({ atMs: at(5_000, ACTIVE_MS), what: 'rotateSecret', namespace });
    if (isNamespaceGone) steps.push({ atMs: at(10_000, ACTIVE_MS), what: 'deleteNamespace', namespace });
    const managed = objects.filter(
      ({ kind, filter }) => filter === undefined && ['Network', 'Subnet', 'Port'].includes(kind),
    );
    for (const what of ['drift', 'vanish', 'build', 'fail'] as const)
      if (managed.length > 0 && draw.chance(0.15 * misfortune))
        steps.push({ atMs: at(3_000, ACTIVE_MS), what, object: draw.pick(managed) });
  }
  for (const step of [...steps]) {
    if (step.what !== 'create' || step.object.kind !== 'Network' || step.object.filter !== undefined) continue;
    for (const what of ['twins', 'usurp'] as const)
      if (draw.chance(0.06 * misfortune)) steps.push({ atMs: step.atMs + at(0, 400), what, object: step.object });
  }
  misfortunes(draw, steps, pods, misfortune);
  if (misfortune > 0) steps.push(...faultsOf(seed, { steps, pods }));
  if (misfortune > 0) steps.push(...lateCreates(seed, { steps, pods }));
  steps.push(...namesakes(seed, { namespaces, activeMs: ACTIVE_MS }));
  const library = libraryOf(seed, { pods, namespaces, isCalm, activeMs: ACTIVE_MS });
  const hasPress = library.length > 0;
  const further = furtherOf(seed, {
    pods,
    namespaces,
    isCalm,
    isNamespaceGone: steps.some(({ what }) => what === 'deleteNamespace'),
    activeMs: ACTIVE_MS,
  });
  steps.push(...library, ...further);
  if (misfortune > 0) steps.push(...setbacksOf(seed, { steps, pods }));
  const foreigners = isCalm ? { steps: [], moments: [] } : foreignersOf(seed, { steps });
  steps.push(...foreigners.steps);
  steps.sort((one, other) => one.atMs - other.atMs);
  const isNamespaceGone = steps.some(({ what }) => what === 'deleteNamespace');
  const resyncMs = draw.chance(0.3) ? draw.pick([20_000, 120_000]) : 0;
  return {
    seed,
    pods,
    namespaces,
    resyncMs,
    steps,
    moments: [
      ...momentsOf(seed, { isCalm, isNamespaceGone }),
      ...(hasPress ? pressMomentsOf(seed, isCalm) : []),
      ...(further.length > 0 ? furtherMomentsOf(seed, isCalm) : []),
      ...foreigners.moments,
      ...suspendedMomentsOf(seed, isCalm),
    ],
    given: { hasPress },
  };
}

/** What users do with one object. */
function live(
  draw: Draw,
  steps: Step[],
  at: (fromMs: number, untilMs: number) => number,
  object: Planned,
  burst: number,
): void {
  const bornAt = at(0, burst);
  steps.push({ atMs: bornAt, what: 'create', object });
  const isEditable = EDITED.has(object.kind) && object.filter === undefined;
  for (let index = 0; isEditable && index < 2; index++)
    if (draw.chance(0.2))
      steps.push({ atMs: at(bornAt, ACTIVE_MS), what: 'edit', object, text: `edit ${draw.below(1_000)}` });
  if ('securityGroupRefs' in object.resource && draw.chance(0.3))
    steps.push({ atMs: at(bornAt, ACTIVE_MS), what: 'unrefer', object });
  if (isEditable && draw.chance(0.06)) steps.push({ atMs: at(bornAt, ACTIVE_MS), what: 'nonsense', object });
  if (draw.chance(0.08)) steps.push({ atMs: at(bornAt, ACTIVE_MS), what: 'unsettle', object });
  if (!draw.chance(0.45)) return;
  const goneAt = at(bornAt, draw.chance(0.4) ? bornAt + 3_000 : ACTIVE_MS);
  steps.push({ atMs: goneAt, what: 'delete', object });
  if (isEditable && draw.chance(0.06)) steps.push({ atMs: goneAt + at(50, 5_000), what: 'letGo', object });
  if (!draw.chance(0.6)) return;
  steps.push({ atMs: at(goneAt, draw.chance(0.5) ? goneAt + 500 : ACTIVE_MS), what: 'create', object });
  if (draw.chance(0.25)) steps.push({ atMs: at(goneAt + 500, ACTIVE_MS + 1_000), what: 'delete', object });
}
