// waits
// limit: 100 s
// What goes wrong, with everything in this process.
import { suite } from 'uvu';
import { describeBadness, describeLostApiServer, describeSimulatedBadness } from './badness.suite.ts';
import { behindProxy, inMemory } from './grounds.ts';

const test = suite('badness in memory');
describeBadness(test, inMemory);
describeSimulatedBadness(test, inMemory);
describeLostApiServer(test, behindProxy);
test.run();
