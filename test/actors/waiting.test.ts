// long
// What waiting costs and how it ends, with everything in this process.
import { suite } from 'uvu';
import { inMemory } from '../world/environments.ts';
import { describeWaiting } from './waiting.suite.ts';

const test = suite('waiting in memory');
describeWaiting(test, inMemory, { onFigure: (line) => process.stderr.write(`${line}\n`) });
test.run();
