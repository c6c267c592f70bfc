// The file systems of hosts: in memory, and of this machine in a folder.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryFiles } from '../../../../adapters/csi-proxy/hosts/memory/memory-files.ts';
import { realFiles } from '../../../../adapters/csi-proxy/hosts/real-files.ts';
import { filesSuite } from './files.suite.ts';

filesSuite('in memory', async () => {
  const files = new MemoryFiles();
  for (const drive of ['C:\\', 'D:\\']) await files.attach(drive);
  return { files, writeFile: (path) => files.writeFile(path), close: async () => undefined };
});

filesSuite('in a folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-files-'));
  const files = realFiles({ folder, drives: 'folder' });
  await files.attach('C:\\');
  await files.attach('D:\\');
  const place = (path: string): string => {
    const names = path.split('\\').filter((name) => name !== '' && name !== '?');
    return join(folder, ...names.map((name) => name.replace(/^C:$/, 'C')));
  };
  return {
    files,
    // A mount is followed by the system itself.
    writeFile: (path) => writeFile(place(path), ''),
    close: () => rm(folder, { recursive: true }),
  };
});
