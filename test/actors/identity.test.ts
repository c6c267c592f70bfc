// long
// waits
// limit: 180 s
// Kinds of Keystone end to end, with everything in this process.
import { suite } from 'uvu';
import { sideBySide } from '../side-by-side.ts';
import { inMemory } from '../world/environments.ts';
import { describeIdentity } from './identity.suite.ts';

const test = sideBySide(suite('identities in memory'), 3);
describeIdentity(test, inMemory);
test.run();
