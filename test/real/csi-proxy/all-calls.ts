// A process on the same system as the server: opens every version, makes the calls, and says how many of each. Under Wine
// the answer goes to a file, since a pipe of Linux is no standard output there.
//
//   node all-calls.ts FILE COUNT
import { writeFileSync } from 'node:fs';
import { systemClock } from '../../../actors/base/clock.ts';
import { pipePath } from '../../../adapters/csi-proxy/base/pipes.ts';
import { Code, StatusError } from '../../../adapters/csi-proxy/base/status.ts';
import { allServices } from '../../../adapters/csi-proxy/client/all_services_generated.ts';
import { newClient } from '../../../adapters/csi-proxy/client/disk/v1/client_generated.ts';
import { openConnection } from '../../../adapters/csi-proxy/client/open-connection.ts';

const [file = '', count = '0'] = process.argv.slice(2);
const clock = systemClock();

/** Any first call of a version: that it is answered matters, not how. */
async function answers(group: string, version: string): Promise<boolean> {
  const [method] = Object.values(allServices[group]?.[version] ?? {});
  if (method === undefined) return false;
  const connection = await openConnection(pipePath(group, version), { clock });
  open.push(connection);
  try {
    await connection.call(method, {}, {});
    return true;
  } catch (error) {
    return error instanceof StatusError && error.code !== Code.Unavailable && error.code !== Code.Unimplemented;
  }
}

const open: { close(): void }[] = [];
const versions = Object.entries(allServices).flatMap(([group, all]) =>
  Object.keys(all).map((version) => [group, version] as const),
);
const answered = await Promise.all(versions.map(([group, version]) => answers(group, version)));
const disk = await newClient({ clock });
let calls = 0;
for (; calls < Number(count); calls++) await disk.listDiskIDs({});
for (const each of [...open, disk]) each.close();
writeFileSync(file, JSON.stringify({ versions: answered.filter(Boolean).length, calls }));
