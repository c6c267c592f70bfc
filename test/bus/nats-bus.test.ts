// long
// The contract on the nats-server that the launcher finds, and what is particular to NATS.
import { suite } from 'uvu';
import { sideBySide } from '../side-by-side.ts';
import { findNatsServer } from '../world/environments.ts';
import { busSuite } from './bus.suite.ts';
import { natsEventsSuite } from './events.nats.suite.ts';
import { ownServer } from './nats.harness.ts';
import { deliverySuite, natsSuite } from './nats.suite.ts';

const found = await findNatsServer();
const program = 'program' in found ? found.program : '';

const test = suite('nats bus');
deliverySuite(test, ownServer('nats', program));
const others = sideBySide(test, 6);
busSuite(others, ownServer('nats', program));
natsSuite(others, ownServer('nats', program));
natsEventsSuite(others, ownServer('nats', program));
if ('refusal' in found) console.log(`skipped: ${found.refusal}`);
else test.run();
