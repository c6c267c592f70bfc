// alone
// limit: 90 s
// What waiting costs and how fast it ends, on the nats-server that the launcher finds.
import { suite } from 'uvu';
import { sideBySide } from '../side-by-side.ts';
import { findNatsServer, onNats } from './grounds.ts';
import { describeWaiting } from './waiting.suite.ts';

const found = await findNatsServer();
if ('refusal' in found) {
  console.log(`skipped: ${found.refusal}`);
} else {
  const test = suite('waiting on nats-server');
  describeWaiting(test, onNats(found.program), {
    onFigure: (line) => process.stderr.write(`${line}\n`),
    watching: sideBySide(test, 3),
  });
  test.run();
}
