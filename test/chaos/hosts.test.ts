// limit: 300 s
// One run of chaos with bare-metal hosts on real processes: SEED and SECONDS say which and how long; see README.md.
import { findSharableNatsServer } from '../world/environments.ts';
import { describeHostChaos } from './chaos.suite.ts';

const found = await findSharableNatsServer();
if ('refusal' in found) {
  console.log(`skipped: ${found.refusal}`);
} else {
  describeHostChaos({ program: found.program, seconds: 40 });
}
