// The groups on the host of Windows, whose worker is a double.
import { memoryMachine } from '../../../../adapters/csi-proxy/hosts/memory/memory-host.ts';
import { windowsHost } from '../../../../adapters/csi-proxy/hosts/windows/windows-host.ts';
import { WorkerDouble } from '../hosts/worker-double.ts';
import { groupsSuite } from './groups.suite.ts';

groupsSuite('of Windows', async (clock) => {
  const machine = await memoryMachine({ clock, unknownShares: 'absent' });
  return { machine, host: windowsHost({ worker: new WorkerDouble(machine), files: machine.files, clock }) };
});
