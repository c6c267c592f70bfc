// The line in memory keeps the order of what it carries, on whatever clock.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MemoryLink } from '../../bus/memory-link.ts';
import { ManualClock } from './manual-clock.ts';

const test = suite('memory link');

/** A clock whose timers fire on whole milliseconds, of one millisecond the last that was set first. */
class CoarseClock extends ManualClock {
  readonly #waiting = new Map<number, (() => void)[]>();

  override setTimeout(run: () => void, delayMs: number): { readonly id: number } {
    const at = Math.floor(this.now() + delayMs);
    const others = this.#waiting.get(at);
    if (others !== undefined) {
      others.unshift(run);
      return { id: 0 };
    }
    const together = [run];
    this.#waiting.set(at, together);
    return super.setTimeout(() => {
      this.#waiting.delete(at);
      for (const each of together) each();
    }, at - this.now());
  }
}

test('what is sent first arrives first, though its timer fires later', async () => {
  const clock = new CoarseClock();
  const link = new MemoryLink(clock, clock, () => 1 + clock.random());
  const arrived: number[] = [];
  for (let at = 0; at < 20; at += 1) link.later(() => arrived.push(at));
  await clock.advance(10);
  assert.equal(
    arrived,
    Array.from({ length: 20 }, (_, at) => at),
  );
  link.close();
});

test.run();
