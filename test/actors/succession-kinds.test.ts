// long
// waits
// limit: 180 s
// Taking over objects of all kinds from ORC, with everything in this process.
import { suite } from 'uvu';
import { inMemory } from '../world/environments.ts';
import { describeSuccessionOfKinds } from './succession-kinds.suite.ts';

const test = suite('succession of all kinds in memory');
describeSuccessionOfKinds(test, inMemory);
test.run();
