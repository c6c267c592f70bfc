// waits
// limit: 150 s
// The contract on the nats-server that the launcher finds, and what is particular to NATS.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import { natsProgram } from '../../bus/nats-program.ts';
import { busSuite } from './bus.suite.ts';
import { natsEventsSuite } from './events.nats.suite.ts';
import { ownServer } from './nats.harness.ts';
import { natsSuite } from './nats.suite.ts';

const program = await natsProgram({
  program: process.env['TROUPE_NATS_SERVER'],
  path: process.env['PATH'] ?? '',
  cacheFolder: join(homedir(), '.cache', 'troupe'),
  fetch: globalThis.fetch,
  onProgress: (line) => process.stderr.write(`${line}\n`),
});

const test = suite('nats bus');
busSuite(test, ownServer('nats', program));
natsSuite(test, ownServer('nats', program));
natsEventsSuite(test, ownServer('nats', program));
test.run();
