// waits
// limit: 120 s
// The root cause that is the bus itself, with the nats-server that the launcher finds.
import { suite } from 'uvu';
import { BUS_CASES, describeCauses } from './causes.suite.ts';
import { findNatsServer, onNats } from './grounds.ts';

const found = await findNatsServer();
if ('refusal' in found) {
  console.log(`skipped: ${found.refusal}`);
} else {
  const test = suite('root causes on NATS');
  describeCauses(test, onNats(found.program), BUS_CASES);
  test.run();
}
