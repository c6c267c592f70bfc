// What goes wrong, with everything in this process.
import { suite } from 'uvu';
import { describeBadness, describeSimulatedBadness } from './badness.suite.ts';
import { inMemory } from './grounds.ts';

const test = suite('badness in memory');
describeBadness(test, inMemory);
describeSimulatedBadness(test, inMemory);
test.run();
