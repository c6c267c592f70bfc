// What happens just when the life of an object enters a state: an edit, a deletion, a failure that chance alone would bring
// there once in ten thousand histories. Which object it is, the history says.
import { mulberry32 } from '../../actors/clock.ts';
import type { TraceEvent } from '../../bus/mod.ts';
import { externalResourceMachine } from '../../machines/external-resource/machine.ts';
import { guardMachine } from '../../machines/guard.ts';
import type { KubeObject } from '../../machines/object.ts';
import { bookMachine } from '../example-adapter/book-machine.ts';
import type { Cluster } from './cluster.ts';
import { type Deed, type Means, RULES, type Rule, type Target } from './deeds.ts';
import { FURTHER_RULES } from './further-deeds.ts';
import { BY_PLURAL, idOf, referencesOf } from './kinds.ts';
import { type Draw, drawFrom, type Planned, pluralOf } from './manifests.ts';
import { type Happening, type Plan, TROUBLES, Trouble } from './plan.ts';
import { PRESS_RULES } from './press-deeds.ts';
import type { SimulatedTime } from './time.ts';

export interface Moment extends Means {
  /** As the trace tells it; of a secret with `secret ` before it, of a book with `book `. */
  readonly phase: string;
  /** Of how many times that some object enters it. */
  readonly nth: number;
  readonly afterMs: number;
  /** One, or two at once. */
  readonly deeds: readonly string[];
}

/** What happens while users delete everything. */
const TIDYING: ReadonlySet<Happening['what']> = new Set([
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

const ALL_RULES: Readonly<Record<string, Rule>> = { ...RULES, ...PRESS_RULES, ...FURTHER_RULES };
const PREFIXES: Readonly<Record<string, string>> = { secrets: 'secret ', books: 'book ' };

const ruleOf = (deed: string): Rule => ALL_RULES[deed] as Rule;
const DEEDS = Object.keys(RULES) as readonly Deed[];
/** States that are left in the step in which they are entered are seen by nobody. */
const PASSING = new Set(['starting', 'claiming.entering', 'keeping.recorded', 'keeping.judging']);
const PHASES: readonly string[] = [
  ...leavesOf(externalResourceMachine.root.states['lifecycle'] as { readonly states: object }).filter(
    (phase) => !PASSING.has(phase),
  ),
  ...leavesOf(guardMachine.root).map((phase) => `secret ${phase}`),
];
const BOOK_PHASES: readonly string[] = leavesOf(bookMachine.root)
  .filter((phase) => phase !== 'starting')
  .map((phase) => `book ${phase}`);

/** Two histories of three have some. Drawn apart from the rest of the plan. */
export function momentsOf(
  seed: number,
  { isCalm, isNamespaceGone }: { readonly isCalm: boolean; readonly isNamespaceGone: boolean },
): readonly Moment[] {
  const draw = drawFrom(mulberry32(seed ^ 0x3017e27));
  if (draw.chance(0.33)) return [];
  // In a namespace that goes nobody makes credentials anew.
  const deeds = DEEDS.filter(
    (deed) => (!isCalm || ruleOf(deed).isCalm) && !(isNamespaceGone && /^(strip|replace)Secret/.test(deed)),
  ).flatMap((deed) => Array<Deed>(ruleOf(deed).weight ?? 1).fill(deed));
  return Array.from({ length: 1 + draw.below(16) }, () => momentOf(draw, deeds, PHASES)).flatMap((moment) => {
    const [next] = moment.deeds.flatMap((deed) => ruleOf(deed).leadsTo ?? []);
    if (next === undefined || draw.chance(0.5)) return [moment];
    return [moment, { ...moment, phase: next.phase, deeds: [next.deed], nth: 1, afterMs: 0 }];
  });
}

/** Those of the lives of books, in three of four histories that have any. Drawn apart, too. */
export function pressMomentsOf(seed: number, { isCalm }: { readonly isCalm: boolean }): readonly Moment[] {
  const draw = drawFrom(mulberry32(seed ^ 0xb0070e));
  if (draw.chance(0.25)) return [];
  const deeds = Object.entries<Rule>(PRESS_RULES)
    .filter(([, rule]) => !isCalm || rule.isCalm)
    .flatMap(([deed, { weight = 1 }]) => Array<string>(weight).fill(deed));
  return Array.from({ length: 1 + draw.below(8) }, () => momentOf(draw, deeds, BOOK_PHASES));
}

/** Those of families of further kinds, in three of four histories that have any. Drawn apart, too. */
export function furtherMomentsOf(seed: number, { isCalm }: { readonly isCalm: boolean }): readonly Moment[] {
  const draw = drawFrom(mulberry32(seed ^ 0xf0e70e));
  if (draw.chance(0.25)) return [];
  const deeds = Object.entries<Rule>(FURTHER_RULES)
    .filter(([, rule]) => !isCalm || rule.isCalm)
    .flatMap(([deed, { weight = 1 }]) => Array<string>(weight).fill(deed));
  return Array.from({ length: 1 + draw.below(8) }, () => momentOf(draw, deeds, PHASES, Object.values(Trouble)));
}

function momentOf(
  draw: Draw,
  deeds: readonly string[],
  phases: readonly string[],
  troubles: readonly Trouble[] = TROUBLES,
): Moment {
  const fits = (phase: string, deed: string): boolean => (ruleOf(deed).at ?? /./).test(phase);
  const deed = draw.pick(deeds);
  const phase = draw.pick(phases.filter((candidate) => fits(candidate, deed)));
  return {
    phase,
    nth: draw.pick([1, 1, 1, 2, 3]),
    afterMs: draw.chance(0.6) ? 0 : draw.below(draw.chance(0.8) ? 60 : 3_000),
    deeds: draw.chance(0.5) ? [deed] : [deed, draw.pick(deeds.filter((other) => fits(phase, other)))],
    forMs: draw.chance(0.6) ? draw.below(2_000) : draw.below(20_000),
    trouble: draw.pick(troubles),
  };
}

export interface MomentsDeps {
  readonly plan: Plan;
  readonly time: SimulatedTime;
  readonly cluster: Cluster;
  /** Whether users delete everything: only what can be done to that happens then. */
  readonly isTidying: () => boolean;
  /** Something is to happen so long from now. */
  readonly happen: (happening: Happening, afterMs: number) => void;
}

export class Moments {
  readonly #deps: MomentsDeps;
  /** How many times each moment was there. */
  readonly #count = new Map<Moment, number>();
  readonly #planned = new Map<string, Planned>();
  readonly #lastMs: number;

  constructor(deps: MomentsDeps) {
    this.#deps = deps;
    this.#lastMs = deps.plan.steps.at(-1)?.atMs ?? 0;
    for (const step of deps.plan.steps) if (step.what === 'create') this.#planned.set(keyOf(step.object), step.object);
  }

  /** Of the process that hosts the object. */
  onTrace(pod: number, { actor, type, data }: TraceEvent): void {
    const { plan, time, happen, isTidying } = this.#deps;
    const isLate = time.elapsed() > this.#lastMs;
    if (type !== 'transition' || (isLate && !isTidying())) return;
    const phase = `${PREFIXES[actor.plural] ?? ''}${data['to']}`;
    for (const moment of plan.moments) {
      if (moment.phase !== phase) continue;
      const target = this.#target(actor, pod);
      const all = moment.deeds.map((deed) => ruleOf(deed).does(target, moment));
      if (all.some((happenings) => happenings.length === 0)) continue;
      const count = (this.#count.get(moment) ?? 0) + 1;
      this.#count.set(moment, count);
      if (count !== moment.nth) continue;
      for (const { afterMs = 0, ...happening } of all.flat())
        if (isLate ? TIDYING.has(happening.what) : this.#isPossible(happening as Happening))
          happen(happening as Happening, moment.afterMs + afterMs);
    }
  }

  /** What the runtime itself has made, users do not make. */
  #isPossible(happening: Happening): boolean {
    return happening.what !== 'create' || this.#planned.has(keyOf(happening.object));
  }

  #target({ plural, namespace, name }: TraceEvent['actor'], pod: number): Target {
    const kind = BY_PLURAL.get(plural);
    const object = this.#plannedAs(kind?.kind ?? 'Secret', namespace, name);
    const known = this.#deps.cluster.get(plural, namespace, name) as KubeObject | undefined;
    const references = known === undefined ? [] : referencesOf(known);
    const [reference] = references.filter(({ kind: of, neededFor }) => of !== 'Secret' && neededFor !== 'never');
    const dependency = reference && this.#planned.get(keyOf(reference));
    const other =
      dependency && this.#deps.cluster.get(pluralOf(dependency.kind), dependency.namespace, dependency.name);
    return { object, pod, dependency, isDependencyKnown: other !== undefined && idOf(other) !== undefined };
  }

  /** What the runtime itself has made, no plan knows. */
  #plannedAs(kind: string, namespace: string, name: string): Planned {
    return this.#planned.get(keyOf({ kind, namespace, name })) ?? { kind, namespace, name, resource: {} };
  }
}

const keyOf = ({ kind, namespace, name }: Pick<Planned, 'kind' | 'namespace' | 'name'>): string =>
  `${pluralOf(kind)}/${namespace}/${name}`;

/** The leaf states below a node, as the trace tells them. */
function leavesOf(node: { readonly states: object }, prefix = ''): readonly string[] {
  return Object.entries(node.states).flatMap(([name, state]: [string, { readonly states: object }]) =>
    Object.keys(state.states).length === 0 ? [`${prefix}${name}`] : leavesOf(state, `${prefix}${name}.`),
  );
}
