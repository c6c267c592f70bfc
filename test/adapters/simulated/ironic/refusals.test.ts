// What the simulated Ironic answers at once.
import { openSimulated } from './open.ts';
import { refusalsSuite } from './refusals.suite.ts';

refusalsSuite('refusals, simulated', async () => openSimulated()).run();
