// An upheaval: users replace objects by others of the same names while mail is late, or while a process is away for longer
// than its leases last. What is on its way then, or is said by whoever comes back, is about objects that have successors.
import type { Draw } from '../../draw.ts';
import type { Planned } from './manifests.ts';
import type { PlannedEvent, Step } from './plan.ts';

interface Scene {
  readonly namespace: string;
  readonly objects: readonly Planned[];
  readonly pods: number;
  /** Nobody can make credentials anew in there. */
  readonly isNamespaceGone: boolean;
}

/** When things happen, in milliseconds: a process leaves, is away, and comes back. */
interface Course {
  readonly beginsAt: number;
  readonly leavesAt: number;
  readonly returnsAt: number;
}

const between = (draw: Draw, fromMs: number, untilMs: number): number =>
  fromMs + draw.below(Math.max(1, untilMs - fromMs));

export function upheaval(draw: Draw, scene: Scene): readonly Step[] {
  // While everything is new, or at rest.
  const beginsAt = draw.chance(0.5) ? between(draw, 50, 3_000) : between(draw, 8_000, 45_000);
  const leavesAt = beginsAt + between(draw, 100, 1_800);
  const course = { beginsAt, leavesAt, returnsAt: leavesAt + between(draw, 15_500, 28_000) };
  const isAlone = scene.pods === 1 || draw.chance(0.3);
  if (!isAlone && draw.chance(0.25)) return legacy(draw, beginsAt, scene);
  const befalls = isAlone ? lateness : draw.chance(0.3) ? severance : absence;
  return [...befalls(draw, course, scene.pods), ...replacement(draw, course, scene)];
}

/**
 * A process is cut off, and goes on with what it had begun for as long as its leases last. About when they end, the cloud,
 * which had refused everything, takes what it is asked for, and takes its time.
 */
function severance(draw: Draw, { beginsAt, leavesAt, returnsAt }: Course, pods: number): readonly Step[] {
  const wellAt = leavesAt + between(draw, 6_000, 13_000);
  const pod = draw.below(pods);
  return [
    { atMs: beginsAt, what: 'cloudTrouble', problem: 'failing', forMs: wellAt - beginsAt },
    { atMs: leavesAt, what: 'cutBus', pod, forMs: returnsAt - leavesAt },
    { atMs: wellAt, what: 'cloudTrouble', problem: 'slow', forMs: between(draw, 6_000, 14_000) },
  ];
}

/** A process is away, with mail on its way. When it comes back everybody is busy. */
function absence(draw: Draw, { beginsAt, leavesAt, returnsAt }: Course, pods: number): readonly Step[] {
  const steps: Step[] = [];
  const pod = draw.below(pods);
  // What was its own is then another's for good: a process that starts anew is another one.
  if (draw.chance(0.4)) {
    const atMs = between(draw, leavesAt, returnsAt - 1_000);
    steps.push({ atMs, what: 'crash', pod: (pod + 1) % pods, forMs: between(draw, 200, 1_500) });
  }
  const [slowMs, forMs] = [leavesAt - beginsAt, returnsAt - leavesAt];
  if (draw.chance(0.8)) steps.push({ atMs: beginsAt, what: 'standStill', pod, slowMs, forMs });
  else steps.push({ atMs: leavesAt, what: draw.pick(['crash', 'cutBus']), pod, forMs });
  for (const atMs of [beginsAt, returnsAt - 1_000]) {
    const lastMs = between(draw, 1_500, 6_000);
    if (draw.chance(0.3)) steps.push({ atMs, what: draw.pick(['slowKube', 'loseKube']), forMs: lastMs });
    if (draw.chance(0.4)) {
      const problem = draw.pick(['slow', 'failing'] as const);
      steps.push({ atMs, what: 'cloudTrouble', problem, forMs: lastMs });
    }
  }
  if (draw.chance(0.7)) steps.push({ atMs: returnsAt - 1_500, what: 'slowMail', forMs: 4_000 });
  return steps;
}

/**
 * Users replace objects, and a process says what it makes of that, and dies. When others have taken its place, users replace
 * them once more, and what it said arrives.
 */
function legacy(draw: Draw, beginsAt: number, { namespace, objects, pods, isNamespaceGone }: Scene): readonly Step[] {
  const stallsAt = between(draw, beginsAt, beginsAt + 1_500);
  const diesAt = between(draw, stallsAt + 200, stallsAt + 2_500);
  const arrivesAt = between(draw, stallsAt + 16_000, stallsAt + 24_000);
  const pod = draw.below(pods);
  const steps: Step[] = [
    { atMs: stallsAt, what: 'stallBus', pod, forMs: arrivesAt - stallsAt },
    { atMs: diesAt, what: 'crash', pod, forMs: between(draw, 200, 1_500) },
  ];
  const replace = (taken: PlannedEvent, made: PlannedEvent, fromMs: number, untilMs: number): void => {
    const atMs = between(draw, fromMs, untilMs);
    steps.push({ ...taken, atMs }, { ...made, atMs: atMs + draw.below(300) });
  };
  for (const [fromMs, untilMs] of [
    [beginsAt, diesAt],
    [stallsAt + 14_000, arrivesAt],
  ] as const) {
    const share = draw.pick([0.3, 0.7]);
    for (const object of objects)
      if (draw.chance(share)) replace({ what: 'delete', object }, { what: 'create', object }, fromMs, untilMs);
    if (!isNamespaceGone && draw.chance(0.3))
      replace({ what: 'deleteSecret', namespace }, { what: 'createSecret', namespace }, fromMs, untilMs);
  }
  return steps;
}

/** All mail is late. */
function lateness(draw: Draw, { beginsAt }: Course): readonly Step[] {
  return [{ atMs: beginsAt, what: 'slowMail', forMs: between(draw, 5_000, 20_000) }];
}

/** When users take what away. */
const Manner = {
  /** All at once, as whoever deletes a file of manifests and applies it again. */
  Together: 'together',
  /** First what is built on others, and these when the process comes back. */
  InTurn: 'inTurn',
  /** Some now and then. */
  Anyhow: 'anyhow',
} as const;
/** Kinds that are built on others of the same landscape. */
const BUILT_ON_OTHERS = new Set(['Subnet', 'Port', 'RouterInterface']);

/** Users take objects away, and have most of them again as soon as they can. */
function replacement(draw: Draw, course: Course, { namespace, objects, isNamespaceGone }: Scene): readonly Step[] {
  const steps: Step[] = [];
  const add = (atMs: number, happening: PlannedEvent): void => void steps.push({ ...happening, atMs });
  const { beginsAt, leavesAt, returnsAt } = course;
  const manner = draw.pick([Manner.Together, Manner.InTurn, Manner.Anyhow]);
  const onceAt = between(draw, beginsAt, leavesAt);
  const moment = (kind: string): number => {
    if (manner === Manner.Together) return onceAt + draw.below(300);
    const isFirst = manner === Manner.InTurn ? BUILT_ON_OTHERS.has(kind) : draw.chance(0.5);
    if (isFirst) return between(draw, beginsAt, leavesAt);
    return draw.chance(0.5) ? between(draw, leavesAt, returnsAt) : between(draw, returnsAt - 1_500, returnsAt + 1_000);
  };
  const share = manner === Manner.Together ? 1 : draw.pick([0.3, 0.7]);
  for (const object of objects) {
    if (!draw.chance(share)) continue;
    if ('securityGroupRefs' in object.resource && draw.chance(0.3))
      add(moment(object.kind), { what: 'unrefer', object });
    const goneAt = moment(object.kind);
    add(goneAt, { what: 'delete', object });
    if (!draw.chance(0.8)) continue;
    const backAt = draw.chance(0.8) ? goneAt + draw.below(300) : between(draw, goneAt, returnsAt);
    add(backAt, { what: 'create', object });
    if (draw.chance(0.2)) add(between(draw, backAt + 500, returnsAt + 2_000), { what: 'delete', object });
  }
  if (!isNamespaceGone && draw.chance(manner === Manner.Together ? 0.8 : 0.3)) {
    const goneAt = moment('Secret');
    add(goneAt, { what: 'deleteSecret', namespace });
    add(goneAt + draw.below(1_000), { what: 'createSecret', namespace });
  }
  return steps;
}
