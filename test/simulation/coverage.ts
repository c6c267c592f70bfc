// Which transitions of state machines histories took.
import type { AnyStateMachine } from 'xstate';
import type { Chart, HistoryModel, Place } from './model.ts';

interface Transition {
  readonly id: string;
  /** Adds an action of ours. The list may be one that transitions share. */
  also(action: () => void): void;
}

/** What histories of some models have taken of the transitions that these know of. */
export interface Judged {
  readonly all: number;
  readonly taken: number;
  /** Rare ones that were not taken this time. */
  readonly absent: readonly string[];
  /** Neither taken nor listed. */
  readonly missed: readonly string[];
  /** Listed, but taken, or not in the charts. */
  readonly wrong: readonly string[];
}

export function judged(models: readonly HistoryModel[], taken: ReadonlySet<string>): Judged {
  const all = new Set(
    models.flatMap(({ coverage: { charts, situations } }) => [...charts.flatMap(idsOf), ...(situations?.ids ?? [])]),
  );
  const unreachable = new Set(models.flatMap(({ coverage }) => coverage.unreachable));
  const rare = new Set(models.flatMap(({ coverage }) => coverage.rare));
  return {
    all: all.size,
    taken: all.intersection(taken).size,
    absent: [...rare.difference(taken)],
    missed: [...all.difference(taken).difference(unreachable).difference(rare)],
    wrong: [...unreachable.intersection(taken), ...unreachable.difference(all), ...rare.difference(all)],
  };
}

/** From now on every machine of the models notes in `taken` which of its transitions it takes, and so do situations. */
export function noteTransitions(models: readonly HistoryModel[], taken: Set<string>): void {
  for (const { coverage } of models) coverage.situations?.follow((id) => void taken.add(id));
  const note = (chart: Chart, machine: AnyStateMachine): AnyStateMachine => {
    for (const { id, also } of transitionsOf(chart, machine)) also(() => void taken.add(id));
    return machine;
  };
  for (const chart of models.flatMap(({ coverage }) => coverage.charts)) {
    const { machine } = chart;
    const provide = machine.provide.bind(machine);
    // An equipped machine has the transitions of the one that it comes from; a provided one has its own.
    note(chart, machine);
    machine.provide = (implementations) => note(chart, provide(implementations));
  }
}

/** Transitions by what a person finds them with in the chart. */
function idsOf(chart: Chart): readonly string[] {
  return transitionsOf(chart, chart.machine).map(({ id }) => id);
}

function transitionsOf({ tells = () => asIs }: Chart, machine: AnyStateMachine): readonly Transition[] {
  const found: Transition[] = [];
  const reported = tells(machine);
  const visit = (node: AnyStateMachine['root']): void => {
    const events = [['always', node.always ?? []] as const, ...node.transitions];
    for (const [event, transitions] of events) {
      for (const transition of transitions) {
        const { guard, target } = transition;
        const to = target?.map(({ path }) => path) ?? [];
        const when = guard === undefined ? '' : ` if ${nameOf(guard)}`;
        const cause = event
          .replace(/^xstate\.(done|error)\.actor\./, '$1 of ')
          .replace(/^xstate\.after\.(\w+)\..*/, 'after $1');
        const also = (action: () => void): void => {
          (transition as { actions: readonly unknown[] }).actions = [...transition.actions, action];
        };
        found.push({ id: `${machine.id}: ${reported({ from: node.path, to, cause })}${when}`, also });
      }
    }
    for (const child of Object.values(node.states)) visit(child);
  };
  visit(machine.root);
  return found;
}

function asIs({ from, to, cause }: Place): string {
  return `${from.join('.') || 'root'} -> ${to.map((path) => path.join('.')).join(', ') || 'stays'} on ${cause}`;
}

/** As the chart calls it; of several that are combined, all. */
function nameOf(guard: unknown): string {
  if (typeof guard === 'string') return guard;
  const { type, guards } = guard as { readonly type?: string; readonly guards?: readonly unknown[] };
  if (guards !== undefined) return `(${guards.map(nameOf).join(' ')})`;
  return type ?? 'a guard';
}
