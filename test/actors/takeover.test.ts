// long
// Two processes on one nats-server, one of which is killed.
import { suite } from 'uvu';
import { findSharableNatsServer, onNats } from '../world/environments.ts';
import { describeTakeover } from './crash.suite.ts';

const found = await findSharableNatsServer();
if ('refusal' in found) {
  console.log(`skipped: ${found.refusal}`);
} else {
  const test = suite('takeover');
  const options = { leaseMs: 3_000, onFigure: (line: string) => process.stderr.write(`${line}\n`) };
  describeTakeover(test, onNats(found.program), options);
  test.run();
}
