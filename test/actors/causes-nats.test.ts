// long
// The root causes that the bus tells of, or is, with the nats-server that the launcher finds.
import { suite } from 'uvu';
import { findNatsServer, onNats } from '../world/environments.ts';
import { BUS_CASES, describeCauses, HOSTING_CASES } from './causes.suite.ts';

const found = await findNatsServer();
if ('refusal' in found) {
  console.log(`skipped: ${found.refusal}`);
} else {
  const test = suite('root causes on NATS');
  describeCauses(test, onNats(found.program), { ...HOSTING_CASES, ...BUS_CASES });
  test.run();
}
