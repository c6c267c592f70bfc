// One run of chaos as a test, on whatever counterparts.
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ChaosOptions, playChaos } from './play.ts';

/** @param options.seconds  unless SECONDS says otherwise */
export function describeChaos(options: Omit<ChaosOptions, 'seed'>): void {
  const seconds = Number(process.env['SECONDS'] ?? options.seconds);
  const seed = Number(process.env['SEED'] ?? process.pid);
  const neighbour = process.env['NEIGHBOUR'] === 'hostile' ? 'hostile' : 'none';
  const test = suite('chaos');
  test(`a landscape outlives ${seconds} s of chaos; seed ${seed}`, async () => {
    const { violations, story, figures } = await playChaos({ ...options, seconds, seed, neighbour });
    process.stderr.write(`${JSON.stringify(figures)}\n`);
    if (violations.length > 0) {
      const path = join(await mkdtemp(join(tmpdir(), 'troupe-chaos-')), `seed-${seed}.log`);
      await writeFile(path, `${story.join('\n')}\n`);
      // What is wrong comes before how it came to it, of which many a reader is shown only a part.
      process.stderr.write(`${[...violations, `the story is in ${path}`, ...story].join('\n')}\n`);
    }
    assert.equal(violations, []);
  });
  test.run();
}
