// limit: 90 s
// The life of objects on the nats-server that the launcher finds.
import { suite } from 'uvu';
import { findNatsServer, onNats } from './grounds.ts';
import { describeLifecycle } from './lifecycle.suite.ts';

const found = await findNatsServer();
if ('refusal' in found) {
  console.log(`skipped: ${found.refusal}`);
} else {
  const test = suite('lifecycle on nats-server');
  describeLifecycle(test, onNats(found.program));
  test.run();
}
