// needs: kube openstack nats
// Taking over from ORC on a real cluster, a real NATS and a real cloud.
import { suite } from 'uvu';
import { describeSuccession } from '../../actors/succession.suite.ts';
import { REAL_SKIP, realGround } from '../../world/environments.ts';

const ground = realGround(process.env);
if (ground === undefined) {
  console.log(REAL_SKIP);
} else {
  const test = suite('succession on real counterparts');
  describeSuccession(test, ground);
  test.run();
}
