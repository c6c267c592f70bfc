// waits
// limit: 80 s
// Routers, ports and security groups with everything in this process.
import { suite } from 'uvu';
import { inMemory } from './grounds.ts';
import { describeRouting } from './routing.suite.ts';

const test = suite('routing in memory');
describeRouting(test, inMemory);
test.run();
