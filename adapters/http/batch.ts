// The same thing asked for by many at once, such as a place among the owners of what a thousand share: whoever comes while one is being
// answered is answered together with all others who did, so that each need not be told of all.
//
// Invariants:
//   HTTP-BATCH-1. Each is answered by a run that began after it asked.
//   HTTP-BATCH-2. Of one key at most one run is under way. One that fails fails those that it was for, and the next one begins all the same.

interface Line<Ask, Answer> {
  asks: Ask[];
  /** Settled with the run under way. */
  current: Promise<void>;
  /** Of the run that answers `asks`. */
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
