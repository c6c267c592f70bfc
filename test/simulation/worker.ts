// Plays every so many histories, and tells of each in a line of JSON: what `main.ts` starts, one a processor.
//
//   node test/simulation/worker.ts FIRST COUNT STRIDE [--coverage] [--hosts|--windows]
import { noteTransitions } from './coverage.ts';
import { play } from './history.ts';
import { type Matter, matterOf, plansOf } from './plans.ts';

const [first = 1, count = 1, stride = 1] = process.argv.slice(2, 5).map(Number);
const taken = new Set<string>();
const matter: Matter = (['hosts', 'windows'] as const).find((name) => process.argv.includes(`--${name}`)) ?? 'all';
let isBroken = false;
if (process.argv.includes('--coverage')) noteTransitions(taken);

for (let index = 0; index < count && !isBroken; index++) {
  const seed = first + index * stride;
  for (const plan of plansOf(seed, matter)) {
    const { violation, hash, steps } = await play(plan);
    process.stdout.write(`${JSON.stringify({ seed, matter: matterOf(plan), hash, steps, violation })}\n`);
    isBroken ||= violation !== undefined;
  }
}
process.stdout.write(`${JSON.stringify({ taken: [...taken] })}\n`);
