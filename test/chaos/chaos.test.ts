// limit: 240 s
// One run of chaos on real processes: SEED and SECONDS say which and how long; see README.md.
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findNatsServer } from '../actors/grounds.ts';
import { playChaos } from './play.ts';

const SECONDS = Number(process.env['SECONDS'] ?? 40);
const seed = Number(process.env['SEED'] ?? process.pid);

const found = await findNatsServer();
if ('refusal' in found) {
  console.log(`skipped: ${found.refusal}`);
} else {
  const test = suite('chaos');
  test(`a landscape outlives ${SECONDS} s of chaos; seed ${seed}`, async () => {
    const { violations, story, figures } = await playChaos({ seed, seconds: SECONDS, program: found.program });
    process.stderr.write(`${JSON.stringify(figures)}\n`);
    if (violations.length > 0) {
      const path = join(await mkdtemp(join(tmpdir(), 'troupe-chaos-')), `seed-${seed}.log`);
      await writeFile(path, `${story.join('\n')}\n`);
      process.stderr.write(`${story.join('\n')}\nthe story is in ${path}\n`);
    }
    assert.equal(violations, []);
  });
  test.run();
}
