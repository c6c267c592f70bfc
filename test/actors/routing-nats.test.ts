// waits
// limit: 90 s
// Routers, ports and security groups on the nats-server that the launcher finds.
import { suite } from 'uvu';
import { findNatsServer, onNats } from './grounds.ts';
import { describeRouting } from './routing.suite.ts';

const found = await findNatsServer();
if ('refusal' in found) {
  console.log(`skipped: ${found.refusal}`);
} else {
  const test = suite('routing on nats-server');
  describeRouting(test, onNats(found.program));
  test.run();
}
