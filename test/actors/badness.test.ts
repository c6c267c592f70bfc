// long
// What goes wrong, with everything in this process.
import { suite } from 'uvu';
import { inMemory } from '../world/environments.ts';
import { describeBadness, describeLostApiServer, describeSimulatedBadness } from './badness.suite.ts';

const test = suite('badness in memory');
describeBadness(test, inMemory);
describeSimulatedBadness(test, inMemory);
describeLostApiServer(test, inMemory);
test.run();
