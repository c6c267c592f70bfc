// A process that serves all groups of a machine in memory, and a group of the tests, until it is told to stop or killed.
//
//   node served-groups.ts PREFIX [GROUP [VERSION]...]

import { systemClock } from '../../../actors/base/clock.ts';
import { openLog } from '../../../actors/base/log.ts';
import { memoryMachine } from '../../../adapters/csi-proxy/hosts/memory/memory-host.ts';
import { allGroups } from '../../../adapters/csi-proxy/server/all_groups_generated.ts';
import { CsiProxyServer } from '../../../adapters/csi-proxy/server/csi-proxy-server.ts';
import { groupDeps } from '../../../adapters/csi-proxy/server/group-deps.ts';
import { serverMetrics } from '../../../adapters/csi-proxy/server/metrics.ts';
import { selected } from '../../../adapters/csi-proxy/server/selection.ts';
import { echoGroup, type Text } from './echo-group.ts';

const [pipePrefix = '', group, ...versions] = process.argv.slice(2);
const clock = systemClock();
const { host, disks, iscsi } = await memoryMachine({ clock });
disks.attach(disks.make({ sizeBytes: 10n * 2n ** 30n, page83: 'Google  data', state: 'offline' }));
iscsi.offer({
  portal: { address: '192.0.2.1', port: 3260 },
  iqn: 'iqn.2026-01.example:data',
  disks: [disks.make({ sizeBytes: 2n ** 30n })],
  chap: { username: 'node', secret: 'of-16-characters' },
});
const deps = groupDeps({ clock, host });

/** `hold` is never answered, anything else is said back. */
const echo = echoGroup((_context, request) => {
  if (request.text === 'hold') process.send?.('holding');
  return request.text === 'hold' ? new Promise<Text>(() => undefined) : Promise.resolve(request);
});

const server = new CsiProxyServer({
  groups: selected(
    [...allGroups.map((group) => group.serve(deps)), echo],
    group === undefined ? undefined : new Map([[group, new Set(versions)]]),
  ),
  pipePrefix,
  clock,
  log: openLog({ level: 'silent', readable: false }),
  metrics: serverMetrics(),
});
await server.start();
process.on('message', async (message) => {
  if (message === 'usage') {
    process.send?.(process.cpuUsage());
    return;
  }
  await server.stop(1_000);
  process.disconnect();
});
process.send?.('serving');
