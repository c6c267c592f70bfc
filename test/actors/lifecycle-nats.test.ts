// long
// The life of objects with a real nats-server. In memory, simulated histories are the better test of it.
import { suite } from 'uvu';
import { sideBySide } from '../side-by-side.ts';
import { findNatsServer, onNats } from '../world/environments.ts';
import { describeLifecycle } from './lifecycle.suite.ts';

const found = await findNatsServer();
if ('refusal' in found) {
  console.log(`skipped: ${found.refusal}`);
} else {
  const test = sideBySide(suite('lifecycle on NATS'), 3);
  describeLifecycle(test, onNats(found.program));
  test.run();
}
