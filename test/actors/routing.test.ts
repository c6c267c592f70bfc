// long
// waits
// limit: 180 s
// Routers, ports and security groups with everything in this process.
import { suite } from 'uvu';
import { sideBySide } from '../side-by-side.ts';
import { inMemory } from '../world/environments.ts';
import { describeRouting } from './routing.suite.ts';

const test = sideBySide(suite('routing in memory'), 3);
describeRouting(test, inMemory);
test.run();
