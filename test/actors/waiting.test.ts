// long
// waits
// limit: 180 s
// What waiting costs and how fast it ends, with everything in this process.
import { suite } from 'uvu';
import { sideBySide } from '../side-by-side.ts';
import { inMemory } from '../world/environments.ts';
import { describeWaiting } from './waiting.suite.ts';

const test = suite('waiting in memory');
describeWaiting(test, inMemory, {
  onFigure: (line) => process.stderr.write(`${line}\n`),
  watching: sideBySide(test, 3),
});
test.run();
