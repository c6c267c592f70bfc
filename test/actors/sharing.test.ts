// long
// One external resource is one object's, with everything in this process.
import { suite } from 'uvu';
import { inMemory } from '../world/environments.ts';
import { describeLateAnswers, describeSharing } from './sharing.suite.ts';

const test = suite('sharing in memory');
describeSharing(test, inMemory);
describeLateAnswers(test, inMemory);
test.run();
