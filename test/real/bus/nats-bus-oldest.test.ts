// needs: nothing
// The same on the oldest nats-server that Troupe knows, Debian's 2.9: fetched by the launcher, with no other on the PATH.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import { natsProgram } from '../../../bus/nats-program.ts';
import { busSuite } from '../../bus/bus.suite.ts';
import { natsEventsSuite } from '../../bus/events.nats.suite.ts';
import { ownServer } from '../../bus/nats.harness.ts';
import { deliverySuite, natsSuite } from '../../bus/nats.suite.ts';
import { sideBySide } from '../../side-by-side.ts';

async function oldest(): Promise<string | undefined> {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  try {
    const program = await natsProgram({
      program: undefined,
      path: folders.filter((folder) => !existsSync(join(folder, 'nats-server'))).join(delimiter),
      cacheFolder: join(homedir(), '.cache', 'troupe', 'oldest'),
      // Debian's or none: a release would be the current one.
      fetch: () => Promise.reject(new Error('not wanted')),
      onProgress: (line) => process.stderr.write(`${line}\n`),
    });
    const { stdout } = await promisify(execFile)(program, ['--version']);
    return stdout.includes('v2.9.') ? program : undefined;
  } catch {
    return undefined; // no apt, or no network: said below
  }
}

const program = await oldest();
if (program === undefined) {
  process.stdout.write('skipped: there is no Debian package of nats-server 2.9\n');
} else {
  const test = suite('nats bus, oldest server');
  deliverySuite(test, ownServer('nats 2.9', program));
  const others = sideBySide(test, 3);
  busSuite(others, ownServer('nats 2.9', program));
  natsSuite(others, ownServer('nats 2.9', program));
  natsEventsSuite(others, ownServer('nats 2.9', program));
  test.run();
}
