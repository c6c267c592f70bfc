// needs: kube openstack nats
// Taking over objects of all kinds from ORC on a real cluster, a real NATS and a real cloud.
import { suite } from 'uvu';
import { describeSuccessionOfKinds } from '../../actors/succession-kinds.suite.ts';
import { REAL_SKIP, realGround } from '../../world/environments.ts';

const ground = realGround(process.env);
if (ground === undefined) {
  console.log(REAL_SKIP);
} else {
  const test = suite('succession of all kinds on real counterparts');
  describeSuccessionOfKinds(test, ground);
  test.run();
}
