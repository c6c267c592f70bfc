// needs: kube openstack nats
// `troupe why` on a real cluster, with a real NATS and a real cloud.
import { suite } from 'uvu';
import { describeWhy } from '../../actors/cli/why/why.suite.ts';
import { REAL_SKIP, realGround } from '../../world/environments.ts';

const ground = realGround(process.env);
if (ground === undefined) {
  console.log(REAL_SKIP);
} else {
  const test = suite('troupe why, on real counterparts');
  describeWhy(test, ground);
  test.run();
}
