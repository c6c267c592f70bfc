// What happens just when the life of an object enters a state: an edit, a deletion, a failure that chance alone would bring
// there once in ten thousand histories. Which object it is, the history says.
import type { Address, TraceEvent } from '../../bus/mod.ts';
import type { Draw } from './draw.ts';
import { type Misfortune, TROUBLES, type Trouble } from './misfortunes.ts';
import type { Deed, Environment, Plan } from './model.ts';
import type { SimulatedTime } from './time.ts';

/** How what a moment brings is done. */
export interface Means {
  /** How long it lasts, or until it is taken back. */
  readonly forMs: number;
  readonly problem: Trouble;
}

export interface Moment extends Means {
  /** As the trace tells it, with what the model has before it. */
  readonly phase: string;
  /** Of how many times that some object enters it. */
  readonly nth: number;
  readonly afterMs: number;
  /** One, or two at once. */
  readonly deeds: readonly string[];
}

export type Later<Own extends Deed = Deed> = (Own | Misfortune) & { readonly afterMs?: number };

/** What may be done to an object, and where that makes a difference. */
export interface Rule<Target = never, Own extends Deed = Deed> {
  /** Where it makes a difference; any phase by default. */
  readonly at?: RegExp;
  /** It is no misfortune: no status may tell of an error. */
  readonly isCalm?: true;
  /** How much more often than others. */
  readonly weight?: number;
  /** What it leads to is a moment, too. */
  readonly leadsTo?: { readonly phase: string; readonly deed: string };
  readonly does: (target: Target, means: Means) => readonly Later<Own>[];
}

export type Rules = Readonly<Record<string, Rule>>;

/** One of the deeds, in a phase where it makes a difference; in every other case with another one at once. */
export function momentOf(
  draw: Draw,
  {
    rules,
    deeds,
    phases,
  }: { readonly rules: Rules; readonly deeds: readonly string[]; readonly phases: readonly string[] },
  troubles: readonly Trouble[] = TROUBLES,
): Moment {
  const fits = (phase: string, deed: string): boolean => (rules[deed]?.at ?? /./).test(phase);
  const deed = draw.pick(deeds);
  const phase = draw.pick(phases.filter((candidate) => fits(candidate, deed)));
  return {
    phase,
    nth: draw.pick([1, 1, 1, 2, 3]),
    afterMs: draw.chance(0.6) ? 0 : draw.below(draw.chance(0.8) ? 60 : 3_000),
    deeds: draw.chance(0.5) ? [deed] : [deed, draw.pick(deeds.filter((other) => fits(phase, other)))],
    forMs: draw.chance(0.6) ? draw.below(2_000) : draw.below(20_000),
    problem: draw.pick(troubles),
  };
}

/** The deeds of these rules, each as often as its weight says. */
export function weighted(rules: Rules, isMeant: (deed: string) => boolean): readonly string[] {
  return Object.entries(rules).flatMap(([deed, { weight = 1 }]) =>
    isMeant(deed) ? Array<string>(weight).fill(deed) : [],
  );
}

/** The leaf states below a node, as the trace tells them. */
export function leavesOf(node: { readonly states: object }, prefix = ''): readonly string[] {
  return Object.entries(node.states).flatMap(([name, state]: [string, { readonly states: object }]) =>
    Object.keys(state.states).length === 0 ? [`${prefix}${name}`] : leavesOf(state, `${prefix}${name}.`),
  );
}

/** What an environment has for the moments of its histories. */
export interface Lives<Own extends Deed = Deed> {
  /** A state of the life of an object, as moments call it. */
  phaseOf(plural: string, state: string): string;
  /** What each deed of the moment is for the object; an empty list: the moment waits for another. */
  deedsAt(moment: Moment, actor: Address, pod: number): readonly (readonly Later<Own>[])[];
  /** Whether it may happen. @param isTidying  users delete everything */
  isPossible(happening: Own | Misfortune, isTidying: boolean): boolean;
}

export interface MomentsDeps {
  readonly plan: Plan;
  readonly time: SimulatedTime;
  readonly environment: Environment;
  /** Whether users delete everything: only what can be done to that happens then. */
  readonly isTidying: () => boolean;
  /** Something is to happen so long from now. */
  readonly happen: (happening: Deed | Misfortune, afterMs: number) => void;
}

export class Moments {
  readonly #deps: MomentsDeps;
  /** How many times each moment was there. */
  readonly #count = new Map<Moment, number>();
  readonly #lastMs: number;

  constructor(deps: MomentsDeps) {
    this.#deps = deps;
    this.#lastMs = deps.plan.steps.at(-1)?.atMs ?? 0;
  }

  /** Of the process that hosts the object. */
  onTrace(pod: number, { actor, type, data }: TraceEvent): void {
    const { plan, time, environment, happen, isTidying } = this.#deps;
    const { lives } = environment;
    const isLate = time.elapsed() > this.#lastMs;
    if (lives === undefined || type !== 'transition' || (isLate && !isTidying())) return;
    const phase = lives.phaseOf(actor.plural, String(data['to']));
    for (const moment of plan.moments) {
      if (moment.phase !== phase) continue;
      const all = lives.deedsAt(moment, actor, pod);
      if (all.some((happenings) => happenings.length === 0)) continue;
      const count = (this.#count.get(moment) ?? 0) + 1;
      this.#count.set(moment, count);
      if (count !== moment.nth) continue;
      for (const { afterMs = 0, ...happening } of all.flat())
        if (lives.isPossible(happening, isLate)) happen(happening, moment.afterMs + afterMs);
    }
  }
}
