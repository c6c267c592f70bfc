// waits
// limit: 180 s
// The life of objects with everything in this process.
import { suite } from 'uvu';
import { sideBySide } from '../side-by-side.ts';
import { inMemory } from '../world/environments.ts';
import { describeLifecycle } from './lifecycle.suite.ts';

const test = sideBySide(suite('lifecycle in memory'), 2);
describeLifecycle(test, inMemory);
test.run();
