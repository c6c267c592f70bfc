// limit: 80 s
// The life of objects with everything in this process.
import { suite } from 'uvu';
import { inMemory } from './grounds.ts';
import { describeLifecycle } from './lifecycle.suite.ts';

const test = suite('lifecycle in memory');
describeLifecycle(test, inMemory);
test.run();
