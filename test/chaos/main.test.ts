// What chaos needs it says before it starts.
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const test = suite('chaos: what it needs');
const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));

test('with a nats-server before 2.11 it says before it starts that it needs 2.11', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-needs-'));
  try {
    const program = join(folder, 'nats-server');
    const started = join(folder, 'started');
    await writeFile(program, `#!/bin/sh\n[ "$1" = --version ] && echo nats-server: v2.9.10 || touch ${started}\n`, {
      mode: 0o755,
    });
    const ended = await promisify(execFile)(process.execPath, [MAIN, '--stories', folder], {
      env: { ...process.env, TROUPE_NATS_SERVER: program },
    }).then(
      () => undefined,
      (error: { code: number; stderr: string }) => error,
    );
    assert.is(ended?.code, 2);
    assert.match(ended?.stderr ?? '', 'nats-server 2.9.10');
    assert.match(ended?.stderr ?? '', 'several need 2.11.0 or later: set TROUPE_NATS_SERVER to one');
    assert.is(ended?.stderr.split('\n').length, 2, 'one line');
    assert.equal(await readdir(folder), ['nats-server']);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test.run();
