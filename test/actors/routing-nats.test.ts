// waits
// limit: 90 s
// Routers, ports and security groups on the nats-server that the launcher finds.
import { suite } from 'uvu';
import { sideBySide } from '../side-by-side.ts';
import { findNatsServer, onNats } from './grounds.ts';
import { describeRouting } from './routing.suite.ts';

const found = await findNatsServer();
if ('refusal' in found) {
  console.log(`skipped: ${found.refusal}`);
} else {
  const test = sideBySide(suite('routing on nats-server'), 3);
  describeRouting(test, onNats(found.program));
  test.run();
}
