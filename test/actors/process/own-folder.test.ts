// What `troupe dev` finds in its folder before it writes there.
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readConfig } from '../../../actors/base/config.ts';
import { openEnvironment } from '../../../actors/process/environment.ts';
import { refuseLinks } from '../../../actors/process/own-folder.ts';
import { TerminalError } from '../../../bus/mod.ts';
import { simulatedClock } from '../../world/clock.ts';

const test = suite('the folder of dev');

async function refusal(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    assert.instance(error, TerminalError);
    return (error as TerminalError).message;
  }
  return '';
}

test('33.C5: nothing is written through a symbolic link that a folder came with', async () => {
  const place = await mkdtemp(join(tmpdir(), 'troupe-folder-'));
  try {
    const [folder, precious] = [join(place, '.troupe'), join(place, 'precious')];
    await mkdir(join(folder, 'nats'), { recursive: true });
    await writeFile(precious, 'mine');
    await writeFile(join(folder, 'nats', 'conf'), '');
    assert.is(await refusal(refuseLinks(folder)), '');
    for (const link of ['kubeconfig', join('nats', 'data')]) {
      await symlink(precious, join(folder, link));
      const options = {
        config: readConfig({}),
        user: { name: 'dev', roles: [] },
        adapters: [],
        clock: simulatedClock(),
        folder,
        lasting: true,
        onProgress: () => undefined,
      } as const;
      assert.match(await refusal(openEnvironment(options)), `'${join(folder, link)}' is a symbolic link`);
      await rm(join(folder, link));
    }
    assert.is(await readFile(precious, 'utf8'), 'mine');
    await symlink(folder, join(place, 'other'));
    assert.match(await refusal(refuseLinks(join(place, 'other'))), /name the folder that it leads to with --data/);
  } finally {
    await rm(place, { recursive: true });
  }
});

test.run();
