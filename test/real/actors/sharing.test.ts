// needs: kube openstack nats
// One external resource is one object's, on a real cluster, a real NATS and a real cloud.
import { suite } from 'uvu';
import { describeSharing } from '../../actors/sharing.suite.ts';
import { REAL_SKIP, realGround } from '../../world/environments.ts';

const ground = realGround(process.env);
if (ground === undefined) {
  console.log(REAL_SKIP);
} else {
  const test = suite('sharing on real counterparts');
  describeSharing(test, ground);
  test.run();
}
