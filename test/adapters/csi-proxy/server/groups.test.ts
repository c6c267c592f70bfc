// The groups on a machine in memory.
import { memoryMachine } from '../../../../adapters/csi-proxy/hosts/memory/memory-host.ts';
import { groupsSuite } from './groups.suite.ts';

groupsSuite('in memory', async (clock) => {
  const machine = await memoryMachine({ clock, unknownShares: 'absent' });
  return { machine, host: machine.host };
});
