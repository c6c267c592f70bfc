// Hostile requests: whatever is sent, the answer is one that clients understand, and the server goes on. SEED=n replays a run.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { memoryStore } from '../../../../adapters/ocm/gateway/store/memory.ts';
import { bombard } from './fuzz.ts';
import { serving } from './served.ts';

const test = suite('hostile requests to the model gateway');
const SEED = Number(process.env['SEED'] ?? 1);

test(`3,000 requests, seed ${SEED}`, async () => {
  const served = await serving(memoryStore());
  try {
    assert.is(await bombard(served.client, SEED, 3_000), undefined);
    assert.equal(served.defects, []);
  } finally {
    await served.close();
  }
});

test.run();
