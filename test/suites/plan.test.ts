// Plans of steps, without any process.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { simulatedClock } from '../world/clock.ts';
import { type Outcome, type Result, runPlan, type Step, sum, table } from './plan.ts';

const test = suite('plan of suites');

const PASSED: Outcome = { passed: 1, failed: 0, skipped: 0, said: '' };
const FAILED: Outcome = { passed: 0, failed: 1, skipped: 0, said: 'the reason' };
const SKIPPED: Outcome = { passed: 0, failed: 0, skipped: 1, said: 'not here' };

/** Steps that take a second each, and what happened with them. */
class Play {
  readonly clock = simulatedClock();
  readonly events: string[] = [];
  readonly interruption = new AbortController();
  mostAtOnce = 0;
  #running = 0;

  step(name: string, more: Partial<Step> & { readonly outcome?: Outcome } = {}): Step {
    const { outcome = PASSED, ...rest } = more;
    const run = async (): Promise<Outcome> => {
      this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#running);
      await this.clock.sleep(1_000);
      this.#running -= 1;
      return outcome;
    };
    return { name, needs: [], uses: [], load: 1, run, ...rest };
  }

  run(...steps: readonly Step[]): Promise<readonly Result[]> {
    return runPlan(steps, this.interruption.signal, {
      clock: this.clock,
      processors: 2,
      onBegin: (name) => this.events.push(`${name} begins`),
      onEnd: ({ name }) => this.events.push(`${name} ends`),
    });
  }
}

test('steps run side by side as far as there are processors, in their order', async () => {
  const play = new Play();
  const results = await play.run(play.step('a'), play.step('b'), play.step('c', { load: 0.5 }), play.step('d'));
  assert.is(play.mostAtOnce, 3);
  assert.equal(
    results.map(({ name }) => name),
    ['a', 'b', 'c', 'd'],
  );
  assert.is(play.clock.elapsed(), 2_000);
});

test('of steps that use the same thing one runs at a time (TEST-PLAN-1)', async () => {
  const play = new Play();
  await play.run(
    play.step('a', { uses: ['x'], load: 0.1 }),
    play.step('b', { uses: ['x'], load: 0.1 }),
    play.step('c'),
  );
  assert.ok(play.events.indexOf('b begins') > play.events.indexOf('a ends'));
  assert.ok(play.events.indexOf('c begins') < play.events.indexOf('a ends'));
});

test('a step that is larger than the machine runs alone', async () => {
  const play = new Play();
  await play.run(play.step('a', { load: 8 }), play.step('b'));
  assert.is(play.mostAtOnce, 1);
});

test('what is needed comes first; without it a step fails, or is skipped, and is counted (TEST-PLAN-2, TEST-PLAN-3)', async () => {
  const play = new Play();
  const results = await play.run(
    play.step('needs good', { needs: ['good'] }),
    play.step('needs bad', { needs: ['bad'] }),
    play.step('needs absent', { needs: ['absent'] }),
    play.step('good'),
    play.step('bad', { outcome: FAILED }),
    play.step('absent', { outcome: SKIPPED }),
  );
  assert.equal(sum(results), { passed: 2, failed: 2, skipped: 2 });
  assert.ok(play.events.indexOf('needs good begins') > play.events.indexOf('good ends'));
  assert.not(play.events.includes('needs bad begins'));
  assert.match(table(results), /^needs bad +0:00 {2}FAILED: without bad: the reason$/m);
  assert.match(table(results), /^needs absent +0:00 {2}skipped: without absent: not here$/m);
});

test('a step that throws has failed, and the others go on (TEST-PLAN-3)', async () => {
  const play = new Play();
  const broken = async (): Promise<Outcome> => {
    throw new Error('broken');
  };
  const results = await play.run(play.step('a', { run: broken }), play.step('b'));
  assert.equal(sum(results), { passed: 1, failed: 1, skipped: 0 });
});

test('an interrupted plan begins nothing more, and counts all that is left (TEST-PLAN-3)', async () => {
  const play = new Play();
  const stop = async (): Promise<Outcome> => {
    play.interruption.abort();
    return PASSED;
  };
  const results = await play.run(play.step('a', { run: stop, load: 2 }), play.step('b', { load: 2 }));
  assert.equal(sum(results), { passed: 1, failed: 1, skipped: 0 });
  assert.not(play.events.includes('b begins'));
});

test('needs that nobody brings, and steps that wait for each other, are errors', async () => {
  for (const [steps, says] of [
    [[{ name: 'a', needs: ['nowhere'] }], /no such step: a needs nowhere/],
    [
      [
        { name: 'a', needs: ['b'] },
        { name: 'b', needs: ['a'] },
      ],
      /wait for each other: a, b/,
    ],
  ] as const) {
    const play = new Play();
    try {
      await play.run(...steps.map(({ name, needs }) => play.step(name, { needs })));
      assert.unreachable();
    } catch (error) {
      assert.match((error as Error).message, says);
    }
  }
});

test.run();
