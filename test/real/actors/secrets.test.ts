// needs: kube openstack nats
// No secret anywhere, on a real cluster, a real NATS and a real cloud.
import { suite } from 'uvu';
import { describeSecrets } from '../../actors/secrets.suite.ts';
import { REAL_SKIP, realGround } from '../../world/environments.ts';

const ground = realGround(process.env);
if (ground === undefined) {
  console.log(REAL_SKIP);
} else {
  const test = suite('secrets on real counterparts');
  describeSecrets(test, ground);
  test.run();
}
