// needs: kube openstack nats
// What waiting costs and how fast it ends, on a real cluster, a real NATS and a real cloud.
import { suite } from 'uvu';
import { describeWaiting } from '../../actors/waiting.suite.ts';
import { REAL_SKIP, realGround } from '../../world/environments.ts';

const ground = realGround(process.env);
if (ground === undefined) {
  console.log(REAL_SKIP);
} else {
  const test = suite('waiting on real counterparts');
  describeWaiting(test, ground, { onFigure: (line) => process.stderr.write(`${line}\n`) });
  test.run();
}
