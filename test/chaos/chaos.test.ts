// needs: nats-programs
// One run of chaos on real processes for each model; see README.md.
import { findSharableNatsServer } from '../world/environments.ts';
import { describeChaos } from './chaos.suite.ts';
import { hosts, resources, windows } from './models/mod.ts';

const neighbor = process.env['NEIGHBOR'] === 'hostile' ? 'hostile' : 'none';
const found = await findSharableNatsServer();
if ('refusal' in found) {
  console.log(`skipped: ${found.refusal}`);
} else {
  describeChaos([resources({ neighbor }), hosts, windows], { program: found.program, seconds: 40 });
}
