// waits
// Two processes on one nats-server, one of which is killed.
import { suite } from 'uvu';
import { systemClock } from '../../actors/clock.ts';
import { describeTakeover } from './crash.suite.ts';
import { findNatsServer, onNats } from './grounds.ts';

const refusal = await unfit();
if (refusal !== undefined) {
  console.log(`skipped: ${refusal}`);
} else {
  const { program } = (await findNatsServer()) as { readonly program: string };
  const test = suite('takeover');
  describeTakeover(test, onNats(program), { leaseMs: 3_000, onFigure: (line) => process.stderr.write(`${line}\n`) });
  test.run();
}

/** Why there can be no two processes. */
async function unfit(): Promise<string | undefined> {
  const found = await findNatsServer();
  if ('refusal' in found) return found.refusal;
  const ground = await onNats(found.program)(systemClock());
  const bus = await ground.connect('probe');
  const { sharable, description } = bus;
  await bus.close();
  await ground.close();
  return sharable ? undefined : `${description.split(' at ')[0]} serves one process; several need 2.11 or later`;
}
