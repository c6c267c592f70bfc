// A csi-proxy in this process, on a machine in memory. Like the original it says UNKNOWN of whatever the machine refuses.
//
// Not like the original: what is refused before the machine is asked has a code that says so.
import { openLog } from '../../actors/base/log.ts';
import { Code, StatusError } from '../../adapters/csi-proxy/base/status.ts';
import type { Host } from '../../adapters/csi-proxy/hosts/host.ts';
import { allGroups } from '../../adapters/csi-proxy/server/all_groups_generated.ts';
import { CsiProxyServer } from '../../adapters/csi-proxy/server/csi-proxy-server.ts';
import { groupDeps } from '../../adapters/csi-proxy/server/group-deps.ts';
import { serverMetrics } from '../../adapters/csi-proxy/server/metrics.ts';
import type { Clock } from '../../bus/mod.ts';

/** By group the versions that are there; of a group that is left out all of them, and none of an empty list. */
export type Served = Readonly<Record<string, readonly string[]>>;

/** @param folder  of the sockets, with a slash behind @returns how it ends */
export async function serveFolder(
  folder: string,
  { host, clock, only = {} }: { readonly host: Host; readonly clock: Clock; readonly only?: Served },
): Promise<() => Promise<void>> {
  const deps = groupDeps({ clock, host: vague(host), services: 'all' });
  const server = new CsiProxyServer({
    groups: allGroups.map((group) =>
      group.serve(deps).filter(({ group: name, version }) => only[name]?.includes(version) ?? true),
    ),
    pipePrefix: folder,
    clock,
    log: openLog({ level: 'silent', readable: false }),
    metrics: serverMetrics(),
  });
  await server.start();
  return () => server.stop(0);
}

/** The machine, of which nobody is told why it refuses something but in words. */
function vague(host: Host): Host {
  const part = <Part extends object>(of: Part): Part =>
    new Proxy(of, {
      get(target, member, receiver) {
        const value: unknown = Reflect.get(target, member, receiver);
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]): Promise<unknown> => {
          try {
            return await Reflect.apply(value, target, args);
          } catch (error) {
            if (!(error instanceof StatusError)) throw error;
            throw new StatusError(Code.Unknown, error.message);
          }
        };
      },
    });
  const { disk, volume, filesystem, smb, iscsi, system } = host;
  return {
    disk: part(disk),
    volume: part(volume),
    filesystem: part(filesystem),
    smb: part(smb),
    iscsi: part(iscsi),
    system: part(system),
    close: async () => undefined,
  };
}
