// long
// waits
// Taking over from ORC with everything in this process.
import { suite } from 'uvu';
import { sideBySide } from '../side-by-side.ts';
import { inMemory } from '../world/environments.ts';
import { describeSuccession } from './succession.suite.ts';

const test = sideBySide(suite('succession in memory'), 2);
describeSuccession(test, inMemory);
test.run();
