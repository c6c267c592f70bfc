// What users do with families of the kinds beyond networks, in some of the histories, and what befalls these. Drawn apart from
// the rest of a plan, which stays as it was.
import { mulberry32 } from '../../../../actors/base/clock.ts';
import type { JsonObject } from '../../../../bus/mod.ts';
import { type Draw, drawFrom } from '../../draw.ts';
import { faultsOf } from '../../faults.ts';
import { Trouble } from '../../misfortunes.ts';
import { FAMILIES, OUTER } from './families.ts';
import { lateCreates } from './late-creates.ts';
import type { Planned } from './manifests.ts';
import type { PlannedEvent, Step } from './plan.ts';
import { upheaval } from './upheaval.ts';

interface Scene {
  readonly pods: number;
  readonly namespaces: readonly string[];
  readonly isNamespaceGone: boolean;
  /** Nobody does what is a misfortune to anybody. */
  readonly isCalm: boolean;
  /** How long users are at it, in milliseconds. */
  readonly activeMs: number;
}

/** Families that are drawn more often than others: of servers, and of what is made in several steps. */
const OFTEN = ['machine', 'machine', 'machine', 'picture', 'account', 'login'];

/** Nothing in two of three histories. */
export function furtherOf(seed: number, scene: Scene): readonly Step[] {
  const draw = drawFrom(mulberry32(seed ^ 0xf0e5));
  if (draw.chance(0.63)) return [];
  const { namespaces, pods, isCalm, isNamespaceGone } = scene;
  const steps: Step[] = [];
  for (const namespace of namespaces) {
    const objects = familiesOf(draw, namespace);
    const burstMs = draw.chance(0.5) ? 500 : 20_000;
    const secrets = objects.filter(({ kind }) => kind === 'Secret');
    for (const secret of secrets) content(draw, steps, secret, { ...scene, burstMs });
    const others = objects.filter((object) => !secrets.includes(object));
    for (const object of others) live(draw, steps, object, { ...scene, burstMs, objects });
    if (others.some(({ filter }) => filter?.['name'] === `${OUTER}-${namespace}`))
      steps.push({ atMs: draw.below(30_000), what: 'open', name: namespace });
    if (!isCalm && draw.chance(0.3))
      steps.push(...upheaval(draw, { namespace, objects: others, pods, isNamespaceGone }));
  }
  if (isCalm) return steps;
  steps.push(...faultsOf(seed ^ 0xf0e5, { steps, pods }), ...lateCreates(seed ^ 0xf0e5, { steps, pods }));
  for (const problem of [Trouble.Throttling, Trouble.Outdating])
    if (draw.chance(0.4)) {
      const begun = draw.pick(steps).atMs;
      steps.push({ atMs: begun + draw.below(1_500), what: 'cloudTrouble', problem, forMs: 200 + draw.below(20_000) });
    }
  return steps;
}

/** Some families, each once, in no order that matters. */
function familiesOf(draw: Draw, namespace: string): readonly Planned[] {
  const planned: Planned[] = [];
  const add = (kind: string, name: string, resource: JsonObject, more: Partial<Planned> = {}): string => {
    const detached = more.filter === undefined && kind !== 'Secret' && draw.chance(0.04);
    planned.push({
      kind,
      namespace,
      name: `${name}-${namespace}`,
      resource,
      ...(detached && { onDelete: 'detach' as const }),
      ...more,
    });
    return `${name}-${namespace}`;
  };
  const addSecret = (name: string, key: string): string =>
    add('Secret', name, { [key]: Buffer.from(`content of ${name}`).toString('base64') });
  const names = [...Object.keys(FAMILIES), ...OFTEN];
  const chosen = new Set(Array.from({ length: 1 + draw.below(3) }, () => draw.pick(names)));
  for (const name of chosen) FAMILIES[name]?.({ draw, namespace, add, addSecret });
  return planned;
}

interface Course extends Pick<Scene, 'isCalm' | 'activeMs'> {
  readonly burstMs: number;
}

/** What users do with a Secret that something is made of: it may come late, and change, and go. */
function content(draw: Draw, steps: Step[], object: Planned, { burstMs, activeMs }: Course): void {
  const bornAt = draw.below(draw.chance(0.4) ? activeMs / 2 : burstMs);
  const later = (): number => bornAt + draw.below(activeMs - bornAt);
  const add = (atMs: number, happening: PlannedEvent): void => void steps.push({ ...happening, atMs });
  add(bornAt, { what: 'create', object });
  if (draw.chance(0.3)) add(bornAt + draw.below(50), { what: 'empty', object });
  for (const what of ['empty', 'fill', 'fill'] as const) if (draw.chance(0.4)) add(later(), { what, object });
  if (!draw.chance(0.3)) return;
  const goneAt = later();
  add(goneAt, { what: 'delete', object });
  if (draw.chance(0.7)) add(goneAt + draw.below(10_000), { what: 'create', object });
}

/** What users do with one object. */
function live(
  draw: Draw,
  steps: Step[],
  object: Planned,
  { burstMs, activeMs, isCalm, objects }: Course & { readonly objects: readonly Planned[] },
): void {
  const add = (atMs: number, happening: PlannedEvent): void => void steps.push({ ...happening, atMs });
  const between = (fromMs: number, untilMs: number): number => fromMs + draw.below(Math.max(1, untilMs - fromMs));
  const bornAt = draw.below(burstMs);
  const later = (): number => between(bornAt, activeMs);
  const isManaged = object.filter === undefined;
  const isLeaf = !objects.some((other) => other !== object && isUsedBy(object, other));
  add(bornAt, { what: 'create', object });
  for (let index = 0; isManaged && index < 2; index++)
    if (draw.chance(0.25)) add(later(), { what: 'edit', object, text: `edit ${draw.below(100)}` });
  if (['volumes', 'subports'].some((field) => field in object.resource) && draw.chance(0.4)) {
    const atMs = later();
    add(atMs, { what: 'unrefer', object });
    if (draw.chance(0.6)) add(atMs + draw.below(10_000), { what: 'refer', object });
  }
  if (!isCalm && draw.chance(0.08)) add(later(), { what: 'unsettle', object });
  if (!isCalm && isManaged && draw.chance(0.1)) add(later(), { what: 'drift', object });
  if (!isCalm && isManaged && isLeaf && draw.chance(0.15)) add(later(), { what: 'vanish', object });
  if (!draw.chance(0.4)) return;
  const goneAt = between(bornAt, draw.chance(0.4) ? bornAt + 6_000 : activeMs);
  add(goneAt, { what: 'delete', object });
  if (!draw.chance(0.6)) return;
  add(between(goneAt, draw.chance(0.5) ? goneAt + 500 : activeMs), { what: 'create', object });
  if (draw.chance(0.25)) add(between(goneAt + 500, activeMs + 1_000), { what: 'delete', object });
}

function isUsedBy({ name }: Planned, { resource, filter }: Planned): boolean {
  return JSON.stringify([resource, filter]).includes(JSON.stringify(name));
}
