// The groups on a machine in memory, with its files in memory, too, or in a folder of this machine.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryMachine } from '../../../../adapters/csi-proxy/hosts/memory/memory-host.ts';
import { realFiles } from '../../../../adapters/csi-proxy/hosts/real-files.ts';
import { groupsSuite } from './groups.suite.ts';

groupsSuite('in memory', async (clock) => {
  const machine = await memoryMachine({ clock, unknownShares: 'absent' });
  return { machine, host: machine.host };
});

groupsSuite('in memory, files in a folder', async (clock) => {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-groups-'));
  const files = realFiles({ folder, drives: 'folder' });
  const machine = await memoryMachine({ clock, files, unknownShares: 'absent' });
  return { machine, host: { ...machine.host, close: () => rm(folder, { recursive: true }) } };
});
