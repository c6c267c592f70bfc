// Plan of a long run: steps that wait for each other only where one needs what another brings, or both use the same thing.
//
// Invariants:
//   TEST-PLAN-1. Of steps that use the same thing one runs at a time; whoever uses nothing waits for processors alone.
//   TEST-PLAN-2. A step of which a requirement failed is not run, and counts as failed; of one that was skipped, as skipped.
//   TEST-PLAN-3. Every step is counted, whatever happens to it: also one that was interrupted or never came to its turn.
import type { Clock } from '../../bus/time.ts';

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface Outcome extends Counts {
  /** What to show of a step that failed, or why it was skipped. */
  readonly said: string;
}

export interface Step {
  readonly name: string;
  /** Steps that have to be done before, by name. */
  readonly needs: readonly string[];
  /** Things that no two steps may use at a time. */
  readonly uses: readonly string[];
  /** Processors that it keeps busy; a fraction where it mostly waits. */
  readonly load: number;
  run(signal: AbortSignal): Promise<Outcome>;
}

export interface Result extends Outcome {
  readonly name: string;
  readonly durationMs: number;
  /** How it ended before it began. */
  readonly fate: 'run' | 'not run';
}

export interface PlanDeps {
  readonly clock: Clock;
  /** Processors there are. */
  readonly processors: number;
  readonly onBegin: (name: string) => void;
  readonly onEnd: (result: Result) => void;
}

/** What one processor may be asked for beyond itself: most steps wait now and then. */
const SPARE = 0.5;

/** Runs steps in their order, as many at a time as there is room for. @returns the results, in the order of the steps */
export async function runPlan(
  steps: readonly Step[],
  signal: AbortSignal,
  { clock, processors, onBegin, onEnd }: PlanDeps,
): Promise<readonly Result[]> {
  const results = new Map<string, Result>();
  const waiting = [...steps];
  const running = new Map<Step, Promise<void>>();
  const unknown = steps.flatMap(({ name, needs }) =>
    needs.filter((need) => !steps.some((step) => step.name === need)).map((need) => `${name} needs ${need}`),
  );
  if (unknown.length > 0) throw new Error(`there is no such step: ${unknown.join(', ')}`);

  const end = (step: Step, outcome: Outcome, fate: Result['fate'], durationMs: number): void => {
    const { passed, failed, skipped, said } = outcome;
    const result = { name: step.name, passed, failed, skipped, said, fate, durationMs };
    results.set(step.name, result);
    onEnd(result);
  };
  const fits = (step: Step): boolean => {
    const used = new Set([...running.keys()].flatMap(({ uses }) => uses));
    if (step.uses.some((thing) => used.has(thing))) return false;
    const load = [...running.keys()].reduce((sum, other) => sum + other.load, 0);
    return running.size === 0 || load + step.load <= processors + SPARE;
  };
  const begin = (step: Step): void => {
    onBegin(step.name);
    const startedAt = clock.now();
    const done = step
      .run(signal)
      .catch((error: unknown): Outcome => ({ passed: 0, failed: 1, skipped: 0, said: String(error) }))
      .then((outcome) => {
        running.delete(step);
        end(step, outcome, 'run', clock.now() - startedAt);
      });
    running.set(step, done);
  };

  while (waiting.length > 0) {
    for (const step of [...waiting]) {
      const needed = step.needs.map((need) => results.get(need));
      const bad = needed.find((result) => result !== undefined && (result.failed > 0 || result.skipped > 0));
      if (signal.aborted || bad !== undefined) {
        waiting.splice(waiting.indexOf(step), 1);
        const because = signal.aborted
          ? 'interrupted before its turn'
          : `without ${bad?.name}: ${bad?.said.trim().split('\n').at(-1)}`;
        const isSkipped = !signal.aborted && bad?.failed === 0;
        end(step, { passed: 0, failed: isSkipped ? 0 : 1, skipped: isSkipped ? 1 : 0, said: because }, 'not run', 0);
      } else if (needed.every((result) => result !== undefined) && fits(step)) {
        waiting.splice(waiting.indexOf(step), 1);
        begin(step);
      }
    }
    if (running.size > 0) await Promise.race(running.values());
    else if (waiting.length > 0 && waiting.every(({ needs }) => needs.some((need) => !results.has(need)))) {
      throw new Error(`steps wait for each other: ${waiting.map(({ name }) => name).join(', ')}`);
    }
  }
  await Promise.all(running.values());
  return steps.flatMap(({ name }) => results.get(name) ?? []);
}

/** All results as a table, the totals as the last line. */
export function table(results: readonly Result[]): string {
  const width = Math.max(4, ...results.map(({ name }) => name.length));
  const row = (name: string, seconds: string, result: string): string =>
    `${name.padEnd(width)}  ${seconds.padStart(8)}  ${result}`;
  const rows = results.map(({ name, durationMs, passed, failed, skipped, fate, said }) => {
    const word = failed > 0 ? 'FAILED' : skipped > 0 && passed === 0 ? 'skipped' : 'passed';
    const counts = passed + failed + skipped > 1 ? ` (${totals({ passed, failed, skipped })})` : '';
    const why = fate === 'not run' || word === 'skipped' ? `: ${said.trim().split('\n').at(-1)?.slice(0, 120)}` : '';
    return row(name, clockText(durationMs), `${word}${counts}${why}`);
  });
  return [row('step', 'm:s', 'result'), ...rows, ''].join('\n');
}

export function totals({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

export function sum(results: readonly Counts[]): Counts {
  const add = (key: keyof Counts): number => results.reduce((all, one) => all + one[key], 0);
  return { passed: add('passed'), failed: add('failed'), skipped: add('skipped') };
}

/** Minutes and seconds. */
export function clockText(durationMs: number): string {
  const seconds = Math.round(durationMs / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
