// long
// Split roles with permissions and TLS, on the embedded API server.
import { suite } from 'uvu';
import { findSharableNatsServer, onSockets } from '../world/environments.ts';
import { describeSecured } from './secured.suite.ts';

const found = await findSharableNatsServer();
if ('refusal' in found) {
  console.log(`skipped: ${found.refusal}`);
} else {
  const test = suite('secured bus');
  describeSecured(test, onSockets, found.program);
  test.run();
}
