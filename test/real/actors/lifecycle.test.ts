// needs: kube openstack nats
// The life of objects on a real cluster, a real NATS and a real cloud.
import { suite } from 'uvu';
import { describeLifecycle } from '../../actors/lifecycle.suite.ts';
import { REAL_SKIP, realGround } from '../../world/environments.ts';

const ground = realGround(process.env);
if (ground === undefined) {
  console.log(REAL_SKIP);
} else {
  const test = suite('lifecycle on real counterparts');
  describeLifecycle(test, ground);
  test.run();
}
