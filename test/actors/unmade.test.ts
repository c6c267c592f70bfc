// Objects that can have no resource yet, with everything in this process.
import { suite } from 'uvu';
import { inMemory } from '../world/environments.ts';
import { describeUnmade } from './unmade.suite.ts';

const test = suite('unmade in memory');
describeUnmade(test, inMemory);
test.run();
