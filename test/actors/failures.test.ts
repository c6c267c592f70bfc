// long
// waits
// limit: 180 s
// How failures are told, with everything in this process.
import { suite } from 'uvu';
import { sideBySide } from '../side-by-side.ts';
import { inMemory } from '../world/environments.ts';
import { describeFailures } from './failures.suite.ts';

const test = sideBySide(suite('failures in memory'), 3);
describeFailures(test, inMemory);
test.run();
