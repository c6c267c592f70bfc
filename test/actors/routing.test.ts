// long
// Routers, ports and security groups with everything in this process.
import { suite } from 'uvu';
import { inMemory } from '../world/environments.ts';
import { describeRouting } from './routing.suite.ts';

const test = suite('routing in memory');
describeRouting(test, inMemory);
test.run();
