// A suite whose tests run a few at a time, in one process: for tests that wait more than they compute, and share nothing:
// no server, and no cluster.
import type { Test } from 'uvu';

/**
 * The same suite, whose tests begin in order, so many at a time, once the turn of the first has come. Each is awaited and judged
 * when it is its own turn: what it throws is its own failure.
 */
export function sideBySide(test: Test, atOnce: number): Test {
  const waiting: (() => Promise<void>)[] = [];
  let running = 0;
  const beginMore = (): void => {
    while (running < atOnce) {
      const begin = waiting.shift();
      if (begin === undefined) return;
      running += 1;
      void begin().finally(() => {
        running -= 1;
        beginMore();
      });
    }
  };
  const add: typeof test = Object.assign(
    (title: string, body: Parameters<Test>[1]): void => {
      const ended = Promise.withResolvers<void>();
      // Its own test tells of it, which may come later.
      ended.promise.catch(() => undefined);
      waiting.push(async () => {
        try {
          ended.resolve(await body({ __suite__: '', __test__: title }));
        } catch (error) {
          ended.reject(error);
        }
      });
      test(title, () => {
        beginMore();
        return ended.promise;
      });
    },
    { only: test.only, skip: test.skip, before: test.before, after: test.after, run: test.run },
  );
  return add;
}
