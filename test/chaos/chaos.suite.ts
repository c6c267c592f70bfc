// One run of each given model as a test. SEED and SECONDS say which and how long, MODEL which one alone.
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { play } from './engine.ts';
import type { Model } from './model.ts';

export interface ChaosSuiteOptions {
  /** A nats-server that several processes can share. */
  readonly program: string;
  /** Unless SECONDS says otherwise. */
  readonly seconds: number;
}

export function describeChaos(models: readonly Model[], { program, seconds: usual }: ChaosSuiteOptions): void {
  const { MODEL: only, SECONDS = String(usual), SEED = String(process.pid) } = process.env;
  const [seconds, seed] = [Number(SECONDS), Number(SEED)];
  const test = suite('chaos');
  const chosen = models.filter(({ name }) => only === undefined || name === only);
  if (chosen.length === 0) throw new Error(`MODEL must be one of ${models.map(({ name }) => name).join(', ')}`);
  for (const model of chosen) {
    test(`${model.name} outlive ${seconds} s of chaos; seed ${seed}`, async () => {
      const { violations, story, figures } = await play(model, { seed, seconds, program });
      process.stderr.write(`${JSON.stringify(figures)}\n`);
      if (violations.length > 0) {
        const path = join(await mkdtemp(join(tmpdir(), 'troupe-story-')), `${model.name}-${seed}.log`);
        await writeFile(path, `${story.join('\n')}\n`);
        // What is wrong comes before how it came to it, of which many a reader is shown only a part.
        process.stderr.write(`${[...violations, `the story is in ${path}`, ...story].join('\n')}\n`);
      }
      assert.equal(violations, []);
    });
  }
  test.run();
}
