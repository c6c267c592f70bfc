// A history before it happens: what users do and what goes wrong, when. Made from a seed alone, and smaller when parts are
// left out.
import { mulberry32 } from '../../actors/clock.ts';
import { type Faulty, faultsOf } from './faults.ts';
import { furtherOf } from './further.ts';
import type { HostHappening, Landscape } from './host-plan.ts';
import { lateCreates } from './late-creates.ts';
import { libraryOf } from './library.ts';
import { type Draw, drawFrom, landscape, type Planned, SECRET } from './manifests.ts';
import { furtherMomentsOf, type Moment, momentsOf, pressMomentsOf } from './moments.ts';
import { namesakes } from './namesakes.ts';
import { upheaval } from './upheaval.ts';
import type { Estate } from './windows-estate.ts';
import type { WindowsHappening } from './windows-plan.ts';

/** What happens in the cloud while it is in trouble. */
export const Trouble = {
  /** It refuses with 500 or 503. */
  Failing: 'failing',
  /** It refuses what is to be made or changed, as if the spec were wrong. */
  Refusing: 'refusing',
  /** It takes seconds. */
  Slow: 'slow',
  /** Connections break before it has done anything. */
  Dropping: 'dropping',
  /** It does what it is asked for, and its answer is lost. */
  Forgetful: 'forgetful',
  /** It does what it is asked for, and says that it failed. */
  Confused: 'confused',
  /** It answers with a page for people. */
  Babbling: 'babbling',
  /** It says that it has changed or deleted, and has not. */
  Lying: 'lying',
  /** It says that too much is asked, and when to come again. */
  Throttling: 'throttling',
  /** It says of what is to be changed or deleted that it was changed meanwhile. */
  Outdating: 'outdating',
} as const;
export type Trouble = (typeof Trouble)[keyof typeof Trouble];
/** Those of all histories; the others come with the further kinds. */
export const TROUBLES: readonly Trouble[] = Object.values(Trouble).filter(
  (trouble) => trouble !== Trouble.Throttling && trouble !== Trouble.Outdating,
);

export type Happening =
  | { readonly what: 'create'; readonly object: Planned }
  | { readonly what: 'edit' | 'unrefer'; readonly object: Planned; readonly text: string }
  /** A user changes what its resource is looked for by. */
  | { readonly what: 'rename'; readonly object: Planned; readonly text: string }
  /** A user writes nonsense into the spec, takes the status away, or lets the resource go without its object. */
  | { readonly what: 'nonsense' | 'unsettle' | 'letGo'; readonly object: Planned }
  | { readonly what: 'delete'; readonly object: Planned }
  /** What was taken off by `unrefer` is referred to again. */
  | { readonly what: 'refer'; readonly object: Planned }
  /** A user asks for another print, or spoils, freezes or takes away one of what the object makes for itself. */
  | { readonly what: 'reprint'; readonly object: Planned }
  | { readonly what: 'tamper' | 'takeChild' | 'freeze'; readonly object: Planned; readonly child: number }
  /** By hand (`hands.ts`). */
  | { readonly what: 'pin' | 'unpin' | 'unguard' | 'unown' | 'forgetId'; readonly object: Planned }
  | { readonly what: 'deleteInForeground' | 'unpinKeepsake'; readonly object: Planned }
  | { readonly what: 'deleteNamespace'; readonly namespace: string }
  | { readonly what: 'deleteSecret' | 'createSecret' | 'rotateSecret'; readonly namespace: string }
  | { readonly what: 'crash' | 'stop'; readonly pod: number; readonly forMs: number }
  /** After `slowMs` in which its mail is slow: what is on its way then arrives when it goes on. */
  | { readonly what: 'standStill'; readonly pod: number; readonly slowMs: number; readonly forMs: number }
  /**
   * Stands still from so long after it asked for the renewal of its leases until so long after the end that they had before
   * that. What it has sent arrives meanwhile, and what it is sent waits at its door.
   */
  | { readonly what: 'stopAtRenewal'; readonly pod: number; readonly afterMs: number; readonly beyondMs: number }
  /** Some code of its kind throws for the object. */
  | { readonly what: 'fault'; readonly object: Planned; readonly code: Faulty; readonly forMs: number }
  | { readonly what: 'cutBus' | 'cutKube'; readonly pod: number; readonly forMs: number }
  /** What is sent meanwhile, or is on its way, arrives afterwards: a network that loses packets, and sends them again. */
  | { readonly what: 'stallBus'; readonly pod: number; readonly forMs: number }
  | { readonly what: 'breakWatches'; readonly pod: number }
  | { readonly what: 'slowMail' | 'slowKube' | 'loseKube'; readonly forMs: number }
  | { readonly what: 'wipeMail' | 'wipeLeases' | 'wipeAll' }
  | { readonly what: 'rollBack'; readonly byMs: number }
  | { readonly what: 'cloudTrouble'; readonly trouble: Trouble; readonly forMs: number }
  /** The cloud does whatever is to be made when its sender has given up, so long after the deadline. */
  | { readonly what: 'lateCreates'; readonly forMs: number; readonly byMs: number }
  | { readonly what: 'expireTokens' }
  /** A user takes what a Secret holds out of it, or puts it in again. */
  | { readonly what: 'empty' | 'fill'; readonly object: Planned }
  /** An operator makes what the floating IPs of a namespace need. */
  | { readonly what: 'open'; readonly name: string }
  | { readonly what: 'appear'; readonly name: string }
  | { readonly what: 'drift' | 'vanish' | 'build' | 'fail'; readonly object: Planned }
  /** Somebody makes networks of the same name, or writes the id of one into the status. */
  | { readonly what: 'twins' | 'usurp'; readonly object: Planned }
  | HostHappening
  | WindowsHappening;

export type Step = Happening & { readonly atMs: number };

export interface Plan {
  readonly seed: number;
  readonly pods: number;
  readonly namespaces: readonly string[];
  /** 0: never. */
  readonly resyncMs: number;
  /** Ordered by `atMs`. */
  readonly steps: readonly Step[];
  readonly moments: readonly Moment[];
  /** The print shop is open. */
  readonly hasPress: boolean;
  /** The machines, where there are hosts in place of all else. */
  readonly machines?: Landscape;
  /** The storage of Windows machines, where that is there in place of all else. */
  readonly estate?: Estate;
}

/** How long users and misfortunes are at it, in milliseconds. */
export const ACTIVE_MS = 90_000;
/** The deletion of a domain, of a project of others and of what is imported has conditions that are no part of the protocol. */
const EDITED = new Set(['Network', 'Subnet', 'Router', 'Port', 'SecurityGroup', 'Project', 'Domain']);

export function planOf(seed: number): Plan {
  const random = mulberry32(seed * 2_654_435_761);
  for (let index = 0; index < 8; index++) random();
  const draw = drawFrom(random);
  const pods = 1 + draw.below(3);
  const namespaces = draw.chance(0.2) ? ['a', 'b'] : ['a'];
  const steps: Step[] = [];
  const at = (fromMs: number, untilMs: number): number => Math.floor(fromMs + draw.below(untilMs - fromMs));
  // A third of the histories is calm: what waits there waits for nothing else.
  const misfortune = draw.chance(0.25) ? 0 : draw.chance(0.5) ? 0.5 : 1;
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
  misfortunes(draw, steps, at, pods, misfortune);
  if (misfortune > 0) steps.push(...faultsOf(seed, { steps, pods }));
  if (misfortune > 0) steps.push(...lateCreates(seed, { steps, pods }));
  steps.push(...namesakes(seed, { namespaces, activeMs: ACTIVE_MS }));
  const library = libraryOf(seed, { pods, namespaces, isCalm: misfortune === 0, activeMs: ACTIVE_MS });
  const hasPress = library.length > 0;
  const further = furtherOf(seed, {
    pods,
    namespaces,
    isCalm: misfortune === 0,
    isNamespaceGone: steps.some(({ what }) => what === 'deleteNamespace'),
    activeMs: ACTIVE_MS,
  });
  steps.push(...library, ...further);
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
      ...momentsOf(seed, { isCalm: misfortune === 0, isNamespaceGone }),
      ...(hasPress ? pressMomentsOf(seed, { isCalm: misfortune === 0 }) : []),
      ...(further.length > 0 ? furtherMomentsOf(seed, { isCalm: misfortune === 0 }) : []),
    ],
    hasPress,
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
    steps.push({ atMs: at(bornAt, ACTIVE_MS), what: 'unrefer', object, text: '' });
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

/** What befalls processes, the bus, the API server and whatever is asked by those. */
export function misfortunes(
  draw: Draw,
  steps: Step[],
  at: (fromMs: number, untilMs: number) => number,
  pods: number,
  intensity: number,
): void {
  // Rather while something is under way than at any time.
  const begun = steps.map(({ atMs }) => atMs);
  const when = (): number => (draw.chance(0.6) ? draw.pick(begun) + at(10, 1_500) : at(500, ACTIVE_MS));
  const some = (most: number, probability: number, make: () => Happening): void => {
    for (let index = 0; index < most; index++)
      if (draw.chance(probability * intensity)) steps.push({ atMs: when(), ...make() });
  };
  const pod = (): number => draw.below(pods);
  const forMs = (most: number): number => 200 + draw.below(most);
  some(3, 0.35, () => ({ what: 'crash', pod: pod(), forMs: forMs(20_000) }));
  some(1, 0.3, () => ({ what: 'stop', pod: pod(), forMs: forMs(20_000) }));
  some(2, 0.4, () => ({
    what: 'standStill',
    pod: pod(),
    slowMs: draw.chance(0.7) ? 100 + draw.below(2_000) : 0,
    // Rather longer than a lease lasts.
    forMs: draw.chance(0.7) ? 14_000 + draw.below(16_000) : forMs(40_000),
  }));
  some(2, 0.25, () => ({ what: 'cutBus', pod: pod(), forMs: forMs(25_000) }));
  some(2, 0.25, () => ({ what: 'cutKube', pod: pod(), forMs: forMs(15_000) }));
  some(2, 0.25, () => ({ what: 'breakWatches', pod: pod() }));
  some(1, 0.3, () => ({ what: 'slowMail', forMs: forMs(20_000) }));
  some(1, 0.3, () => ({ what: 'slowKube', forMs: forMs(20_000) }));
  some(1, 0.3, () => ({ what: 'loseKube', forMs: forMs(20_000) }));
  some(1, 0.25, () => ({ what: 'wipeMail' }));
  some(1, 0.1, () => ({ what: 'wipeLeases' }));
  some(1, 0.1, () => ({ what: 'wipeAll' }));
  some(1, 0.25, () => ({ what: 'rollBack', byMs: forMs(20_000) }));
  some(3, 0.4, () => ({
    what: 'cloudTrouble',
    trouble: draw.pick(TROUBLES),
    forMs: forMs(draw.chance(0.1) ? 240_000 : 20_000),
  }));
  some(1, 0.15, () => ({ what: 'expireTokens' }));
}

export { SECRET };
