// Request batcher: requests that arrive while a batch runs are answered together by the next one. For example, a
// thousand owner references of a shared object are not written one by one.
//
// Invariants:
//   HTTP-BATCH-1. Each is answered by a run that began after it asked.
//   HTTP-BATCH-2. Of one key at most one run is under way. One that fails fails those that it was for, and the next one begins all the same.

interface Line<Ask, Answer> {
  asks: Ask[];
  /** Settled with the run under way. */
  current: Promise<void>;
  /** Result of the run that answers `asks`. */
  next: Promise<Answer> | undefined;
}

/** @param run  answers all of them, which have one key */
export function together<Ask, Answer>(): (
  key: string,
  ask: Ask,
  run: (asks: readonly Ask[]) => Promise<Answer>,
) => Promise<Answer> {
  const lines = new Map<string, Line<Ask, Answer>>();
  const begin = (
    key: string,
    line: Line<Ask, Answer>,
    run: (asks: readonly Ask[]) => Promise<Answer>,
  ): Promise<Answer> => {
    const asks = line.asks;
    line.asks = [];
    line.next = undefined;
    const answer = run(asks);
    const end = (): void => {
      if (line.next === undefined) lines.delete(key);
    };
    line.current = answer.then(end, end);
    return answer;
  };
  return (key, ask, run) => {
    const line = lines.get(key);
    if (line === undefined) {
      const first: Line<Ask, Answer> = { asks: [ask], current: Promise.resolve(), next: undefined };
      lines.set(key, first);
      return begin(key, first, run);
    }
    line.asks.push(ask);
    // mutant: readings-join-earlier -> return line.current;
    line.next ??= line.current.then(() => begin(key, line, run));
    return line.next;
  };
}
