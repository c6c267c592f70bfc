// long
// Events with everything in this process, and as kubectl shows them where there is one.
import { spawnSync } from 'node:child_process';
import { suite } from 'uvu';
import { inMemory, onSockets } from '../world/environments.ts';
import { describeEvents, describeEventsInKubectl } from './events.suite.ts';

const test = suite('events in memory');
describeEvents(test, inMemory);
if (spawnSync('kubectl', ['version', '--client']).status !== 0)
  console.log('without kubectl: there is none on the PATH');
else describeEventsInKubectl(test, onSockets);
test.run();
