// long
// waits
// limit: 180 s
// What goes wrong, with everything in this process.
import { suite } from 'uvu';
import { sideBySide } from '../side-by-side.ts';
import { inMemory } from '../world/environments.ts';
import { describeBadness, describeLostApiServer, describeSimulatedBadness } from './badness.suite.ts';

const test = sideBySide(suite('badness in memory'), 3);
describeBadness(test, inMemory);
describeSimulatedBadness(test, inMemory);
describeLostApiServer(test, inMemory);
test.run();
