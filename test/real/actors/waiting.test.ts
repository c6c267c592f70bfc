// What waiting costs and how fast it ends, on a real cluster, a real NATS and a real cloud.
import { suite } from 'uvu';
import { describeWaiting } from '../../actors/waiting.suite.ts';
import { REAL_SKIP, realGround } from '../../world/environments.ts';

const ground = realGround(process.env);
if (ground === undefined) {
  console.log(REAL_SKIP);
} else {
  const test = suite('waiting on real counterparts');
  // API server, etcd, NATS, Neutron and its database may work on the same processors. Medians of 3 to 7 ms were seen so.
  describeWaiting(test, ground, { onFigure: (line) => process.stderr.write(`${line}\n`), reactionLimitMs: 25 });
  test.run();
}
