// long
// What goes wrong with the nats-server that the launcher finds.
import { suite } from 'uvu';
import { sideBySide } from '../side-by-side.ts';
import { findNatsServer, onNats } from '../world/environments.ts';
import { describeInterruptions } from './badness.suite.ts';

const found = await findNatsServer();
if ('refusal' in found) {
  console.log(`skipped: ${found.refusal}`);
} else {
  const test = sideBySide(suite('interruptions of nats-server'), 3);
  describeInterruptions(test, onNats(found.program));
  test.run();
}
