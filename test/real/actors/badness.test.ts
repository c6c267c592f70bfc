// needs: kube openstack nats
// What goes wrong on a real cluster, a real NATS and a real cloud.
import { suite } from 'uvu';
import { describeBadness } from '../../actors/badness.suite.ts';
import { REAL_SKIP, realGround } from '../../world/environments.ts';

const ground = realGround(process.env);
if (ground === undefined) {
  console.log(REAL_SKIP);
} else {
  const test = suite('badness on real counterparts');
  describeBadness(test, ground);
  test.run();
}
