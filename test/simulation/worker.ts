// Plays every so many histories, and tells of each in a line of JSON: what `main.ts` starts, one a processor.
//
//   node test/simulation/worker.ts FIRST COUNT STRIDE [--coverage] [MODEL]
import { noteTransitions } from './coverage.ts';
import { play } from './history.ts';
import { MODELS, modelOf, plansOf } from './plans.ts';

const [first = 1, count = 1, stride = 1] = process.argv.slice(2, 5).map(Number);
const options = process.argv.slice(5);
const only = options.map(modelOf).find((model) => model !== undefined);
const taken = new Set<string>();
let isBroken = false;
if (options.includes('--coverage')) noteTransitions(MODELS, taken);

for (let index = 0; index < count && !isBroken; index++) {
  const seed = first + index * stride;
  for (const plan of plansOf(seed, only)) {
    const { violation, hash, steps } = await play(plan);
    process.stdout.write(`${JSON.stringify({ seed, model: plan.model.name, hash, steps, violation })}\n`);
    isBroken ||= violation !== undefined;
  }
}
process.stdout.write(`${JSON.stringify({ taken: [...taken] })}\n`);
