// limit: 90 s
// The life of objects on the nats-server that the launcher finds.
import { suite } from 'uvu';
import { sideBySide } from '../side-by-side.ts';
import { findNatsServer, onNats } from './grounds.ts';
import { describeLifecycle } from './lifecycle.suite.ts';

const found = await findNatsServer();
if ('refusal' in found) {
  console.log(`skipped: ${found.refusal}`);
} else {
  const test = sideBySide(suite('lifecycle on nats-server'), 2);
  describeLifecycle(test, onNats(found.program));
  test.run();
}
