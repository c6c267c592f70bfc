// One run of chaos as a test, on whatever counterparts.
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { playHostChaos } from './host-play.ts';
import { type ChaosOptions, type ChaosOutcome, playChaos } from './play.ts';
import type { PlayOptions, PlayOutcome } from './stand.ts';
import { playWindowsChaos } from './windows-play.ts';

/** @param options.seconds  unless SECONDS says otherwise */
export function describeChaos(options: Omit<ChaosOptions, 'seed'>): void {
  const neighbour = process.env['NEIGHBOUR'] === 'hostile' ? 'hostile' : 'none';
  describe('a landscape outlives', options.seconds, (run) => playChaos({ ...options, ...run, neighbour }));
}

/** @param options.seconds  unless SECONDS says otherwise */
export function describeHostChaos(options: Omit<PlayOptions, 'seed'>): void {
  describe('hosts outlive', options.seconds, (run) => playHostChaos({ ...options, ...run }));
}

/** @param options.seconds  unless SECONDS says otherwise */
export function describeWindowsChaos(options: Omit<PlayOptions, 'seed'>): void {
  describe('Windows storage outlives', options.seconds, (run) => playWindowsChaos({ ...options, ...run }));
}

interface Run {
  readonly seed: number;
  readonly seconds: number;
}

function describe(
  who: string,
  usualSeconds: number,
  play: (run: Run) => Promise<ChaosOutcome | PlayOutcome<object>>,
): void {
  const seconds = Number(process.env['SECONDS'] ?? usualSeconds);
  const seed = Number(process.env['SEED'] ?? process.pid);
  const test = suite('chaos');
  test(`${who} ${seconds} s of chaos; seed ${seed}`, async () => {
    const { violations, story, figures } = await play({ seconds, seed });
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
