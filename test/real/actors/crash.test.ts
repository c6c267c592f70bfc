// needs: kube openstack nats
// A process that is killed at random moments, and one of two, on a real cluster, a real NATS and a real cloud.
import { suite } from 'uvu';
import { describeCrashes, describeTakeover } from '../../actors/crash.suite.ts';
import { REAL_SKIP, realGround } from '../../world/environments.ts';

const ground = realGround(process.env);
if (ground === undefined) {
  console.log(REAL_SKIP);
} else {
  const test = suite('crashes on real counterparts');
  const onFigure = (line: string): void => void process.stderr.write(`${line}\n`);
  describeCrashes(test, ground, {
    kills: { up: 7, down: 3 },
    leaseMs: 15_000,
    seed: Number(process.env['SEED'] ?? 20_261_121),
    limitMs: 180_000,
    onFigure,
  });
  describeTakeover(test, ground, { leaseMs: 5_000, onFigure });
  test.run();
}
