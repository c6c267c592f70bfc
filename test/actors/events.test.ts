// long
// waits
// limit: 180 s
// Events with everything in this process. Needs kubectl.
import { spawnSync } from 'node:child_process';
import { suite } from 'uvu';
import { sideBySide } from '../side-by-side.ts';
import { inMemory } from '../world/environments.ts';
import { describeEvents } from './events.suite.ts';

if (spawnSync('kubectl', ['version', '--client']).status !== 0) {
  console.log('skipped: there is no kubectl on the PATH');
} else {
  const test = sideBySide(suite('events in memory'), 3);
  describeEvents(test, inMemory);
  test.run();
}
