// The history of all objects, as far as it is kept, in columns: a day of it is a hundred thousand steps.
import { AbsentError, type ReceivedEvent, type Trace } from '../../bus/mod.ts';
import { spanOf } from '../base/change-trace.ts';
import { STATE_EVENTS, type ToldStep, toldBy } from './steps.ts';
import type { Steps } from './wire.ts';

/** Number of steps that are sent, the newest. */
const STEPS = 100_000;
const NONE = -1;

export interface HistoryDeps {
  readonly trace: Pick<Trace, 'history'>;
  readonly isShown: (actor: ReceivedEvent['actor']) => boolean;
  /** Objects that exist, or existed recently. */
  readonly keyOfSpan: (span: string) => string | undefined;
}

/**
 * @param since  milliseconds since the epoch
 * @throws {TransientError} the bus is away
 */
export async function historySince(deps: HistoryDeps, since: number, limit = STEPS): Promise<Steps> {
  let isTruncated = false;
  const all: ToldStep[] = [];
  const keysBySpan = new Map<string, string>();
  for (const type of STATE_EVENTS) {
    let newest: ToldStep[] = [];
    for await (const event of keptOf(deps.trace, type, since)) {
      const reported = deps.isShown(event.actor) ? toldBy(event) : undefined;
      if (reported === undefined) continue;
      if (reported.uid !== '') keysBySpan.set(spanOf(reported.uid), reported.key);
      newest.push(reported);
      if (newest.length < 2 * limit) continue;
      newest = newest.slice(-limit);
      isTruncated = true;
    }
    for (const reported of newest) all.push(reported);
  }
  all.sort((one, other) => one.at - other.at);
  isTruncated ||= all.length > limit;
  const keyOf = (span: string): string | undefined =>
    span === '' ? undefined : (keysBySpan.get(span) ?? deps.keyOfSpan(span));
  return { ...columnsOf(all.slice(-limit), keyOf), truncated: isTruncated };
}

/** Nothing where none are kept. */
async function* keptOf(trace: HistoryDeps['trace'], type: string, since: number): AsyncGenerator<ReceivedEvent> {
  try {
    yield* trace.history({ type, since });
  } catch (error) {
    if (!(error instanceof AbsentError)) throw error;
  }
}

function columnsOf(
  steps: readonly ToldStep[],
  keyOf: (span: string) => string | undefined,
): Pick<Steps, 'keys' | 'texts' | 'rows'> {
  const [keys, texts] = [new Column(), new Column()];
  const rows = steps.map(({ key, at, from, to, cause, tone, bySpan, failure }) => [
    keys.index(key),
    at,
    texts.index(from),
    texts.index(to),
    texts.index(cause),
    texts.index(tone),
    keys.index(keyOf(bySpan)),
    texts.index(failure),
  ]);
  return { keys: keys.values, texts: texts.values, rows };
}

/** Texts, each once. */
class Column {
  readonly values: string[] = [];
  readonly #indices = new Map<string, number>();

  index(value: string | undefined): number {
    if (value === undefined) return NONE;
    const known = this.#indices.get(value);
    if (known !== undefined) return known;
    this.#indices.set(value, this.values.length);
    return this.values.push(value) - 1;
  }
}
