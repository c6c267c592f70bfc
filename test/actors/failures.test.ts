// How failures are told, with everything in this process.
import { suite } from 'uvu';
import { inMemory } from '../world/environments.ts';
import { describeFailures } from './failures.suite.ts';

const test = suite('failures in memory');
describeFailures(test, inMemory);
test.run();
