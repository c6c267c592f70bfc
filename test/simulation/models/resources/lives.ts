// Moments in the lives of resources, books and the Secrets that they use: where they may be, and what is done to whom.
import { mulberry32 } from '../../../../actors/base/clock.ts';
import type { Address } from '../../../../bus/mod.ts';
import { deletionGuardMachine } from '../../../../machines/deletion-guard.ts';
import { externalResourceMachine } from '../../../../machines/external-resource/machine.ts';
import type { KubeObject } from '../../../../machines/object.ts';
import { bookMachine } from '../../../example-adapter/book-machine.ts';
import type { Cluster } from '../../cluster.ts';
import { drawFrom } from '../../draw.ts';
import { type Misfortune, type Named, Trouble } from '../../misfortunes.ts';
import { type Later, type Lives, leavesOf, type Moment, momentOf, weighted } from '../../moments.ts';
import { BY_PLURAL, idOf, referencesOf } from './kinds.ts';
import { type Planned, pluralOf } from './manifests.ts';
import { FURTHER_RULES, PRESS_RULES, type ResourceRules, RULES, SUSPENDED_RULES, type Target } from './moment-rules.ts';
import type { ResourceDeed, ResourcePlan } from './plan.ts';

/** What happens while users delete everything. */
const TIDYING: ReadonlySet<(ResourceDeed | Misfortune)['what']> = new Set([
  'edit',
  'rename',
  'letGo',
  'unown',
  'rotateSecret',
  'cloudTrouble',
  'loseKube',
  'slowKube',
  'slowMail',
  'crash',
]);

const ALL_RULES: ResourceRules = joined(RULES, PRESS_RULES, FURTHER_RULES, SUSPENDED_RULES);
const PREFIXES: Readonly<Record<string, string>> = { secrets: 'secret ', books: 'book ' };

/** States that are left in the step in which they are entered are seen by nobody. */
const PASSING = new Set(['starting', 'claiming.checkingFinalizer', 'reconciling.recorded', 'reconciling.evaluating']);
const PHASES: readonly string[] = [
  ...leavesOf(externalResourceMachine.root.states['lifecycle'] as { readonly states: object }).filter(
    (phase) => !PASSING.has(phase),
  ),
  ...leavesOf(deletionGuardMachine.root).map((phase) => `secret ${phase}`),
];
const BOOK_PHASES: readonly string[] = leavesOf(bookMachine.root)
  .filter((phase) => phase !== 'starting')
  .map((phase) => `book ${phase}`);

/** @throws {Error} two of them have one name: moments of one would be done as the other says */
function joined(...tables: readonly ResourceRules[]): ResourceRules {
  const entries = tables.flatMap((table) => Object.entries(table));
  const names = entries.map(([name]) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Error(`two rules are called '${twice}'`);
  return Object.fromEntries(entries);
}

/** Two histories of three have some. Drawn apart from the rest of the plan. */
export function momentsOf(
  seed: number,
  { isCalm, isNamespaceGone }: { readonly isCalm: boolean; readonly isNamespaceGone: boolean },
): readonly Moment[] {
  const draw = drawFrom(mulberry32(seed ^ 0x3017e27));
  if (draw.chance(0.33)) return [];
  // In a namespace that goes nobody makes credentials anew.
  const deeds = weighted(
    RULES,
    (deed) => isMeant(deed, isCalm) && !(isNamespaceGone && /^(strip|replace)Secret/.test(deed)),
  );
  const count = 1 + draw.below(16);
  const moments = Array.from({ length: count }, () => momentOf(draw, { rules: ALL_RULES, deeds, phases: PHASES }));
  return moments.flatMap((moment) => {
    const [next] = moment.deeds.flatMap((deed) => ALL_RULES[deed]?.leadsTo ?? []);
    if (next === undefined || draw.chance(0.5)) return [moment];
    return [moment, { ...moment, phase: next.phase, deeds: [next.deed], nth: 1, afterMs: 0 }];
  });
}

const isMeant = (deed: string, isCalm: boolean): boolean => !isCalm || ALL_RULES[deed]?.isCalm === true;

/** Those of the lives of books, in three of four histories that have any. Drawn apart, too. */
export function pressMomentsOf(seed: number, isCalm: boolean): readonly Moment[] {
  return someMoments(seed ^ 0xb0070e, { rules: PRESS_RULES, phases: BOOK_PHASES, isCalm });
}

/** Those of families of further kinds, in three of four histories that have any. Drawn apart, too. */
export function furtherMomentsOf(seed: number, isCalm: boolean): readonly Moment[] {
  return someMoments(seed ^ 0xf0e70e, { rules: FURTHER_RULES, phases: PHASES, isCalm }, Object.values(Trouble));
}

/** Those in which the machine of a process is paused, in one of six histories in which anything goes wrong. Drawn apart, too. */
export function suspendedMomentsOf(seed: number, isCalm: boolean): readonly Moment[] {
  const draw = drawFrom(mulberry32(seed ^ 0x5a5e4d));
  if (isCalm || !draw.chance(1 / 6)) return [];
  const deeds = Object.keys(SUSPENDED_RULES);
  return Array.from({ length: 1 + draw.below(3) }, () => ({
    phase: draw.pick(['building.adopting', 'building.adopting', 'building.creating', 'claiming.awaitingDependencies']),
    nth: 1 + draw.below(3),
    afterMs: draw.chance(0.7) ? 0 : draw.below(60),
    deeds: [draw.pick(deeds)],
    forMs: draw.below(30_000),
    problem: 'failing',
  }));
}

function someMoments(
  seed: number,
  { rules, phases, isCalm }: { rules: ResourceRules; phases: readonly string[]; isCalm: boolean },
  troubles?: readonly Trouble[],
): readonly Moment[] {
  const draw = drawFrom(mulberry32(seed));
  if (draw.chance(0.25)) return [];
  const deeds = weighted(rules, (deed) => isMeant(deed, isCalm));
  return Array.from({ length: 1 + draw.below(8) }, () => momentOf(draw, { rules: ALL_RULES, deeds, phases }, troubles));
}

export class ResourceLives implements Lives<ResourceDeed> {
  readonly #cluster: Cluster;
  readonly #planned = new Map<string, Planned>();

  constructor(cluster: Cluster, { steps }: ResourcePlan) {
    this.#cluster = cluster;
    for (const step of steps) if (step.what === 'create') this.#planned.set(keyOf(step.object), step.object);
  }

  phaseOf(plural: string, state: string): string {
    return `${PREFIXES[plural] ?? ''}${state}`;
  }

  deedsAt(moment: Moment, actor: Address, pod: number): readonly (readonly Later<ResourceDeed>[])[] {
    const target = this.#target(actor, pod);
    return moment.deeds.map((deed) => ALL_RULES[deed]?.does(target, moment) ?? []);
  }

  /** What the runtime itself has made, users do not make. */
  isPossible(happening: ResourceDeed | Misfortune, isTidying: boolean): boolean {
    if (isTidying) return TIDYING.has(happening.what);
    return happening.what !== 'create' || this.#planned.has(keyOf(happening.object));
  }

  #target({ plural, namespace, name }: Address, pod: number): Target {
    const kind = BY_PLURAL.get(plural)?.kind ?? 'Secret';
    // What the runtime itself has made, no plan knows.
    const object = this.#planned.get(keyOf({ kind, namespace, name })) ?? { kind, namespace, name, resource: {} };
    const known = this.#cluster.get(plural, namespace, name) as KubeObject | undefined;
    const references = known === undefined ? [] : referencesOf(known);
    const [reference] = references.filter(({ kind: of, neededFor }) => of !== 'Secret' && neededFor !== 'never');
    const dependency = reference && this.#planned.get(keyOf(reference));
    const other = dependency && this.#cluster.get(pluralOf(dependency.kind), dependency.namespace, dependency.name);
    return { object, pod, dependency, isDependencyKnown: other !== undefined && idOf(other) !== undefined };
  }
}

const keyOf = ({ kind, namespace, name }: Named): string => `${pluralOf(kind)}/${namespace}/${name}`;
