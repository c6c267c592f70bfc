// What a file system must do for the host, whoever implements it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Code, StatusError } from '../../../../adapters/csi-proxy/base/status.ts';
import type { DetachableFiles } from '../../../../adapters/csi-proxy/hosts/files.ts';
import { filesystem } from '../../../../adapters/csi-proxy/hosts/filesystem.ts';

/** A file system with the drives C and D, and a way to put a file there. */
export interface Ground {
  readonly files: DetachableFiles;
  writeFile(path: string): Promise<void>;
  close(): Promise<void>;
}

const VOLUME = '\\\\?\\Volume{6d4d0bc0-0000-4000-8000-000000000001}\\';

export async function refused(work: Promise<unknown>, code: Code, message?: RegExp | string): Promise<void> {
  try {
    await work;
  } catch (error) {
    assert.instance(error, StatusError, String(error));
    assert.is((error as StatusError).code, code, String(error));
    if (typeof message === 'string') assert.is((error as StatusError).message, message);
    else if (message !== undefined) assert.match((error as StatusError).message, message);
    return;
  }
  assert.unreachable(`not refused, expected code ${code}`);
}

export function filesSuite(name: string, open: () => Promise<Ground>): void {
  const test = suite(`files, ${name}`);

  const on = (title: string, run: (ground: Ground) => Promise<void>): void => {
    test(title, async () => {
      const ground = await open();
      try {
        await run(ground);
      } finally {
        await ground.close();
      }
    });
  };

  on('directories are made with their parents, and names are the same in any case', async ({ files }) => {
    const host = filesystem({ files });
    await host.mkdir('C:\\var\\lib\\Kubelet\\pods');
    await host.mkdir('c:\\VAR\\lib\\kubelet\\pods');
    assert.equal(await files.list('C:\\var\\LIB'), ['Kubelet']);
    assert.equal(await files.look('C:\\var\\lib\\KUBELET\\pods'), { kind: 'directory' });
    assert.equal(await files.look('D:\\var'), { kind: 'absent' });
    assert.ok(await host.pathExists('C:\\var\\lib\\kubelet\\pods\\'));
    assert.not.ok(await host.pathExists('C:\\var\\lib\\kubelet\\pod'));
    assert.not.ok(await host.pathExists('E:\\'));
    await refused(host.mkdir('E:\\x'), Code.NotFound);
  });

  on('a file in the way is said, and stays', async ({ files, writeFile }) => {
    const host = filesystem({ files });
    await writeFile('C:\\file');
    await refused(host.mkdir('C:\\file'), Code.FailedPrecondition);
    await refused(host.mkdir('C:\\file\\below'), Code.FailedPrecondition);
    await refused(host.rmdirContents('C:\\file'), Code.FailedPrecondition);
    await refused(host.createSymlink('C:\\x', 'C:\\file'), Code.FailedPrecondition);
    assert.equal(await files.look('C:\\file'), { kind: 'file' });
    assert.equal(await files.look('C:\\file\\below'), { kind: 'absent' });
    assert.not.ok(await host.isSymlink('C:\\file'));
    await host.rmdir('C:\\file', { contents: 'removed' });
    assert.not.ok(await host.pathExists('C:\\file'));
  });

  on('only an empty directory goes without force', async ({ files }) => {
    const host = filesystem({ files });
    await host.mkdir('C:\\a\\b');
    await refused(host.rmdir('C:\\a', { contents: 'refused' }), Code.FailedPrecondition, /C:\\a is not empty/);
    await host.rmdir('C:\\a\\b', { contents: 'refused' });
    await host.rmdir('C:\\a', { contents: 'refused' });
    await refused(host.rmdir('C:\\a', { contents: 'refused' }), Code.NotFound);
    await host.rmdir('C:\\a', { contents: 'removed' });
  });

  on('what is removed with its contents leaves alone what links in it lead to', async ({ files, writeFile }) => {
    const host = filesystem({ files });
    await host.mkdir('C:\\data\\kept');
    await writeFile('C:\\data\\kept\\file');
    await files.attach(VOLUME);
    await writeFile(`${VOLUME}file`);
    await host.mkdir('C:\\a\\b\\c');
    await writeFile('C:\\a\\b\\file');
    await host.createSymlink('C:\\data', 'C:\\a\\b\\link');
    await files.makeLink('C:\\a\\mount', VOLUME);
    await host.rmdirContents('C:\\a');
    assert.equal(await files.list('C:\\a'), []);
    await files.makeLink('C:\\a\\mount', VOLUME);
    await host.rmdir('C:\\a', { contents: 'removed' });
    assert.not.ok(await host.pathExists('C:\\a'));
    assert.ok(await host.pathExists('C:\\data\\kept\\file'));
    assert.ok(await host.pathExists(`${VOLUME}file`));
  });

  on('what is named by a link that goes with it is removed to the end', async ({ files }) => {
    const host = filesystem({ files });
    await host.mkdir('C:\\a\\b\\c');
    await host.mkdir('C:\\a\\d');
    await host.createSymlink('C:\\a', 'C:\\a\\b\\up');
    await host.rmdirContents('C:\\a\\b\\up');
    assert.equal(await files.list('C:\\a'), []);
    await host.mkdir('C:\\a\\b');
    await host.createSymlink('C:\\', 'C:\\a\\up');
    await host.rmdir('C:\\a\\up\\a', { contents: 'removed' });
    assert.equal(await files.look('C:\\a'), { kind: 'absent' });
  });

  on('a link is what leads somewhere', async ({ files }) => {
    const host = filesystem({ files });
    await host.mkdir('C:\\data\\sub');
    await host.createSymlink('C:\\data', 'D:\\link');
    assert.equal(await files.look('D:\\link'), { kind: 'link', target: 'C:\\data' });
    assert.ok(await host.isSymlink('D:\\LINK'));
    assert.ok(await host.pathExists('D:\\link\\sub'));
    assert.not.ok(await host.isSymlink('D:\\link\\sub'));
    await refused(host.createSymlink('C:\\data', 'D:\\link'), Code.FailedPrecondition);
    await refused(host.isSymlink('D:\\none'), Code.NotFound);
    await host.rmdir('C:\\data', { contents: 'removed' });
    assert.not.ok(await host.isSymlink('D:\\link'));
    assert.ok(await host.pathExists('D:\\link'));
    assert.not.ok(await host.pathValid('D:\\link'));
    await refused(host.mkdir('D:\\link'), Code.FailedPrecondition);
    await host.rmdir('D:\\link', { contents: 'refused' });
    assert.not.ok(await host.pathExists('D:\\link'));
  });

  on('links to links are followed, and those in a circle lead nowhere', async ({ files }) => {
    const host = filesystem({ files });
    await host.mkdir('C:\\data');
    await host.createSymlink('C:\\data', 'C:\\one');
    await host.createSymlink('C:\\one', 'C:\\two');
    await host.mkdir('C:\\two\\made');
    assert.ok(await host.pathExists('C:\\data\\made'));
    assert.is(await host.realPath('C:\\two\\made\\x', { last: 'kept' }), 'C:\\data\\made\\x');
    assert.is(await host.realPath('C:\\two', { last: 'kept' }), 'C:\\two');
    assert.is(await host.realPath('C:\\two', { last: 'followed' }), 'C:\\data');
    assert.is(await host.realPath('C:\\two\\no\\such', { last: 'followed' }), 'C:\\data\\no\\such');
    await host.createSymlink('C:\\right', 'C:\\left');
    await host.createSymlink('C:\\left', 'C:\\right');
    assert.not.ok(await host.isSymlink('C:\\left'));
    assert.not.ok(await host.pathExists('C:\\left\\x'));
    await refused(host.realPath('C:\\left\\x', { last: 'kept' }), Code.FailedPrecondition);
  });

  on('a volume comes and goes with what it holds', async ({ files, writeFile }) => {
    const host = filesystem({ files });
    await files.attach(VOLUME);
    await files.makeLink('C:\\mount', VOLUME);
    await writeFile('C:\\mount\\file');
    assert.equal(await files.look('C:\\mount'), { kind: 'mount', volumeId: VOLUME });
    assert.ok(await host.isSymlink('C:\\mount'));
    await host.mkdir('C:\\mount');
    assert.is(await host.realPath('C:\\mount\\file', { last: 'followed' }), 'C:\\mount\\file');
    await files.detach(VOLUME);
    assert.not.ok(await host.isSymlink('C:\\mount'));
    assert.not.ok(await host.pathExists('C:\\mount\\file'));
    await files.attach(VOLUME);
    await files.attach(VOLUME);
    assert.ok(await host.pathExists('C:\\mount\\file'));
  });

  on('a share is found by its name in any case', async ({ files }) => {
    const host = filesystem({ files });
    assert.not.ok(await host.pathValid('\\\\files\\data'));
    await files.attach('\\\\files\\data\\');
    assert.ok(await host.pathValid('\\\\Files\\DATA\\'));
    await host.createSymlink('\\\\files\\data\\', 'C:\\share');
    await host.mkdir('C:\\share\\sub');
    assert.equal(await files.list('\\\\files\\data'), ['sub']);
    assert.equal(await files.look('C:\\share'), { kind: 'link', target: '\\\\files\\data\\' });
    assert.is(await host.realPath('C:\\share\\sub', { last: 'followed' }), '\\\\files\\data\\sub');
  });

  on('`..` goes no further than the drive, and what is no path is nowhere', async ({ files }) => {
    const host = filesystem({ files });
    await host.mkdir('C:\\a');
    assert.ok(await host.pathExists('C:\\..\\..\\a\\.\\b\\..'));
    for (const path of [
      '',
      'a',
      '\\a',
      '/etc',
      'C:',
      '\\\\',
      '\\\\.\\PhysicalDrive0',
      'C:\\a\0b',
      'C:\\..\\..\\etc\\passwd',
    ]) {
      const exists = await host.pathExists(path).catch((error: unknown) => {
        assert.instance(error, StatusError, `${path}: ${error}`);
        return false;
      });
      assert.not.ok(exists, path);
    }
  });

  test.run();
}
