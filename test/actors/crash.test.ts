// long
// A process that is killed at random moments, on nats-server, the embedded API server and the simulated cloud.
import { suite } from 'uvu';
import { findNatsServer, onNats } from '../world/environments.ts';
import { describeCrashes } from './crash.suite.ts';

/** As many as there is time for; CI sets more. */
const KILLS = Number(process.env['KILLS'] ?? 2);

const found = await findNatsServer();
if ('refusal' in found) {
  console.log(`skipped: ${found.refusal}`);
} else {
  const test = suite('crashes');
  describeCrashes(test, onNats(found.program), {
    kills: { up: KILLS - Math.floor(KILLS / 5), down: Math.floor(KILLS / 5) },
    leaseMs: 1_500,
    latencyMs: 20,
    seed: Number(process.env['SEED'] ?? 20_261_121),
    limitMs: 300_000,
    onFigure: (line) => process.stderr.write(`${line}\n`),
  });
  test.run();
}
