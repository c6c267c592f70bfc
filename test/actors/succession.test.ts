// waits
// Taking over from ORC with everything in this process.
import { suite } from 'uvu';
import { inMemory } from './grounds.ts';
import { describeSuccession } from './succession.suite.ts';

const test = suite('succession in memory');
describeSuccession(test, inMemory);
test.run();
