// A process that starts a server, says its id and does nothing more, until somebody ends it.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../actors/base/clock.ts';
import { startNatsServer } from '../../bus/nats-server.ts';

const clock = systemClock();
const { pid } = await startNatsServer({
  program: process.env['TROUPE_NATS_SERVER'],
  path: process.env['PATH'] ?? '',
  cacheFolder: join(homedir(), '.cache', 'troupe'),
  fetch: globalThis.fetch,
  onProgress: (line) => process.stderr.write(`${line}\n`),
  folder: process.env['FOLDER'] ?? '',
  clock,
});
process.stdout.write(`${pid}\n`);
await clock.sleep(60_000);
