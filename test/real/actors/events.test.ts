// needs: kube openstack nats
// Events on a real cluster, a real NATS and a real cloud. Needs kubectl.
import { spawnSync } from 'node:child_process';
import { suite } from 'uvu';
import { describeEvents, describeEventsInKubectl } from '../../actors/events.suite.ts';
import { REAL_SKIP, realGround } from '../../world/environments.ts';

const ground = realGround(process.env);
if (ground === undefined) {
  console.log(REAL_SKIP);
} else if (spawnSync('kubectl', ['version', '--client']).status !== 0) {
  console.log('skipped: there is no kubectl on the PATH');
} else {
  const test = suite('events on real counterparts');
  describeEvents(test, ground);
  describeEventsInKubectl(test, ground);
  test.run();
}
