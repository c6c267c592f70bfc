// needs: kube openstack nats
// Routers, ports and security groups on a real cluster, a real NATS and a real cloud.
import { suite } from 'uvu';
import { describeRouting } from '../../actors/routing.suite.ts';
import { REAL_SKIP, realGround } from '../../world/environments.ts';

const ground = realGround(process.env);
if (ground === undefined) {
  console.log(REAL_SKIP);
} else {
  const test = suite('routing on real counterparts');
  describeRouting(test, ground);
  test.run();
}
