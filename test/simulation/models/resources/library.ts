// What users do with what the print shop makes for them, in half of the histories, and what befalls it. Drawn apart from
// the rest of a plan, which stays as it was.
import { mulberry32 } from '../../../../actors/base/clock.ts';
import { type Draw, drawFrom } from '../../draw.ts';
import { faultsOf } from '../../faults.ts';
import type { Planned } from './manifests.ts';
import type { PlannedEvent, Step } from './plan.ts';

interface Scene {
  readonly pods: number;
  readonly namespaces: readonly string[];
  /** Nobody does what is a misfortune to anybody. */
  readonly isCalm: boolean;
  /** How long users are at it, in milliseconds. */
  readonly activeMs: number;
}

/** Sheets of a book: most are printed in less than a lease lasts. */
const PAGES = [1, 1, 2, 4, 8, 30];

/** Nothing in every other history. */
export function libraryOf(seed: number, { pods, namespaces, isCalm, activeMs }: Scene): readonly Step[] {
  const draw = drawFrom(mulberry32(seed ^ 0xb00c5));
  if (draw.chance(0.5)) return [];
  const steps: Step[] = [];
  const objects = namespaces.flatMap((namespace) => shelf(draw, namespace, namespaces));
  const burstMs = draw.chance(0.5) ? 500 : 20_000;
  for (const object of objects) live(draw, steps, object, { burstMs, activeMs, isCalm });
  if (!isCalm) steps.push(...faultsOf(seed ^ 0xb00c5, { steps, pods }));
  return steps;
}

/** The objects of one namespace, in no order that matters. */
function shelf(draw: Draw, namespace: string, namespaces: readonly string[]): readonly Planned[] {
  const count = (most: number): number => 1 + draw.below(most);
  const papers = Array.from(
    { length: count(2) },
    (_, index): Planned => ({ kind: 'Paper', namespace, name: `paper${index}-${namespace}`, resource: { grams: 90 } }),
  );
  const books: Planned[] = [];
  for (let index = count(3); index > 0; index--) {
    const of = draw.chance(0.5) ? draw.pick(namespaces) : namespace;
    const paperRef = { name: `paper${draw.below(papers.length)}-${of}`, ...(of !== namespace && { namespace: of }) };
    const sequelTo = books.length > 0 && draw.chance(0.4) ? draw.pick(books).name : undefined;
    books.push({
      kind: 'Book',
      namespace,
      name: `book${index}-${namespace}`,
      resource: { title: 'first', pages: draw.pick(PAGES), paperRef, ...(sequelTo !== undefined && { sequelTo }) },
      ...(draw.chance(0.3) && { version: 'v1alpha1' }),
    });
  }
  return [...papers, ...books];
}

interface Course {
  readonly burstMs: number;
  readonly activeMs: number;
  readonly isCalm: boolean;
}

/** What users do with one object. */
function live(draw: Draw, steps: Step[], object: Planned, { burstMs, activeMs, isCalm }: Course): void {
  const add = (atMs: number, happening: PlannedEvent): void => void steps.push({ ...happening, atMs });
  const between = (fromMs: number, untilMs: number): number => fromMs + draw.below(Math.max(1, untilMs - fromMs));
  const isBook = object.kind === 'Book';
  const bornAt = draw.below(burstMs);
  const later = (): number => between(bornAt, activeMs);
  add(bornAt, { what: 'create', object });
  for (let index = 0; index < 2; index++)
    if (draw.chance(0.2)) add(later(), { what: 'edit', object, text: `edit ${draw.below(100)}` });
  if (isBook && draw.chance(0.4)) add(later(), { what: 'reprint', object });
  for (const what of ['tamper', 'takeChild'] as const)
    if (isBook && draw.chance(0.2)) add(later(), { what, object, child: draw.below(2) });
  if (object.resource['sequelTo'] !== undefined && draw.chance(0.3)) {
    const atMs = later();
    add(atMs, { what: 'unrefer', object });
    if (draw.chance(0.5)) add(atMs + draw.below(5_000), { what: 'refer', object });
  }
  if (!isCalm && draw.chance(0.1)) add(later(), { what: 'unsettle', object });
  if (!isCalm) for (const what of ['drift', 'vanish'] as const) if (draw.chance(0.1)) add(later(), { what, object });
  if (!draw.chance(0.45)) return;
  const goneAt = between(bornAt, draw.chance(0.4) ? bornAt + 6_000 : activeMs);
  add(goneAt, { what: 'delete', object });
  if (!draw.chance(0.6)) return;
  add(between(goneAt, draw.chance(0.5) ? goneAt + 500 : activeMs), { what: 'create', object });
  if (draw.chance(0.25)) add(between(goneAt + 500, activeMs + 1_000), { what: 'delete', object });
}
