// limit: 240 s
// One run of chaos on real processes: SEED and SECONDS say which and how long; see README.md.
import { findSharableNatsServer } from '../world/environments.ts';
import { describeChaos } from './chaos.suite.ts';

const found = await findSharableNatsServer();
if ('refusal' in found) {
  console.log(`skipped: ${found.refusal}`);
} else {
  describeChaos({ program: found.program, seconds: 40 });
}
