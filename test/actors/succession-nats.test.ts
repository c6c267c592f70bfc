// long
// Taking over from ORC, objects of all kinds included, with a real nats-server.
import { suite } from 'uvu';
import { sideBySide } from '../side-by-side.ts';
import { findNatsServer, onNats } from '../world/environments.ts';
import { describeSuccession } from './succession.suite.ts';
import { describeSuccessionOfKinds } from './succession-kinds.suite.ts';

const found = await findNatsServer();
if ('refusal' in found) {
  console.log(`skipped: ${found.refusal}`);
} else {
  const test = sideBySide(suite('succession on NATS'), 3);
  describeSuccession(test, onNats(found.program));
  describeSuccessionOfKinds(test, onNats(found.program));
  test.run();
}
