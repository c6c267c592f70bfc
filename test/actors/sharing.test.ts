// long
// waits
// limit: 180 s
// One external resource is one object's, with everything in this process.
import { suite } from 'uvu';
import { sideBySide } from '../side-by-side.ts';
import { inMemory } from '../world/environments.ts';
import { describeSharing } from './sharing.suite.ts';

const test = sideBySide(suite('sharing in memory'), 3);
describeSharing(test, inMemory);
test.run();
