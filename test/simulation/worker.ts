// Plays every so many histories, and tells of each in a line of JSON: what `main.ts` starts, one a processor.
//
//   node test/simulation/worker.ts FIRST COUNT STRIDE [--coverage] [--hosts]
import { noteTransitions } from './coverage.ts';
import { play } from './history.ts';
import { hostPlanOf } from './host-plan.ts';
import { planOf } from './plan.ts';

const [first = 1, count = 1, stride = 1] = process.argv.slice(2, 5).map(Number);
const taken = new Set<string>();
const plan = process.argv.includes('--hosts') ? hostPlanOf : planOf;
if (process.argv.includes('--coverage')) noteTransitions(taken);

for (let index = 0; index < count; index++) {
  const seed = first + index * stride;
  const { violation, hash, steps } = await play(plan(seed));
  process.stdout.write(`${JSON.stringify({ seed, hash, steps, violation })}\n`);
  if (violation !== undefined) break;
}
process.stdout.write(`${JSON.stringify({ taken: [...taken] })}\n`);
