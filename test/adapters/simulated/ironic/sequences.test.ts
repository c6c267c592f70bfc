// The measured sequences on the simulated Ironic.
import { openSimulated } from './open.ts';
import { sequencesSuite } from './sequences.suite.ts';

sequencesSuite('sequences, simulated', async () => openSimulated()).run();
