// Kinds of Keystone end to end, with everything in this process.
import { suite } from 'uvu';
import { inMemory } from '../world/environments.ts';
import { describeIdentity } from './identity.suite.ts';

const test = suite('identities in memory');
describeIdentity(test, inMemory);
test.run();
