// The storage of Windows machines as an adapter: what the runtime is given of it. Its role is played on the machine itself.
import { TerminalError } from '../../bus/errors.ts';
import type { Adapter, Served, ServePorts, Settings } from '../api/adapter.ts';
import type { Host } from '../csi-proxy/hosts/host.ts';
import { KeyedMutex } from '../csi-proxy/hosts/keyed-mutex.ts';
import { PathRules } from '../csi-proxy/server/path-rules.ts';
import { ANYWHERE, foreignReachOf } from '../http/egress-policy.ts';
import type { PipeMachines, PipeMachinesDeps } from './client/machines.ts';
import { windowsContracts } from './contracts/mod.ts';
import { iscsiTarget } from './kinds/iscsi-target.ts';
import { smbMapping } from './kinds/smb-mapping.ts';
import { windowsDisk } from './kinds/windows-disk.ts';
import { REALM } from './kinds/windows-kind.ts';
import { windowsMount } from './kinds/windows-mount.ts';
import { windowsStorageNode } from './kinds/windows-storage-node.ts';
import { windowsVolume } from './kinds/windows-volume.ts';
import type { OpeningPorts } from './machine.ts';
import { ROLE } from './names.ts';
import { derive } from './operations/credentials.ts';
import { iscsiTargetOperations } from './operations/iscsi-target.ts';
import { type Derive, type MachinePorts, nodeOf } from './operations/serving.ts';
import { smbMappingOperations } from './operations/smb-mapping.ts';
import { storageNodeOperations } from './operations/storage-node.ts';
import { windowsDiskOperations } from './operations/windows-disk.ts';
import { windowsMountOperations } from './operations/windows-mount.ts';
import { windowsVolumeOperations } from './operations/windows-volume.ts';
import { FLAGS, type WindowsOptions, windowsOptions } from './options.ts';
import { ISCSI_TARGETS, SMB_MAPPINGS, STORAGE_NODES, WINDOWS_MOUNTS } from './resources.ts';

/** Opens the machine of the process's node. */
export type OpenMachine = (ports: OpeningPorts) => Promise<Host>;

export const windows: Adapter = windowsWith();

/**
 * @param open  of a machine that is not the one of the options
 * @param hash  for who has no time for one that takes long on purpose
 */
export function windowsWith(open?: OpenMachine, hash: Derive = derive): Adapter {
  return {
    realm: REALM,
    role: ROLE,
    route: nodeOf,
    contracts: windowsContracts,
    flags: FLAGS,
    lists: [STORAGE_NODES, ISCSI_TARGETS, SMB_MAPPINGS, WINDOWS_MOUNTS],
    devBackend: async (ports) => (await import('./development.ts')).devBackend(ports),
    configure(settings) {
      const options = windowsOptions(settings);
      return {
        kinds: [
          windowsStorageNode(options),
          iscsiTarget(options),
          windowsDisk(options),
          windowsVolume(options),
          smbMapping(options),
          windowsMount(options),
        ],
        serve: (ports) => serve({ ...options, derive: hash }, open ?? machineOf(options, settings), ports),
      };
    },
  };
}

/** The implementation of a machine is loaded only when needed: most processes do not need one. */
function machineOf(options: WindowsOptions, { variable }: Settings): OpenMachine {
  return async (ports) => (await import('./machine.ts')).openMachine(options, variable, ports);
}

async function serve(
  { directories, encryption, reach, derive }: WindowsOptions & Pick<MachinePorts, 'derive'>,
  open: OpenMachine,
  given: ServePorts,
): Promise<Served> {
  const { clock, log, node, apiServer, readSecret, readObject, listObjects } = given;
  if (node === undefined) throw new TerminalError(`the role '${ROLE}' is played for a node: name it with NODE_NAME`);
  const host = await open({ clock, log, node });
  const paths = new PathRules(directories);
  const lanes = new KeyedMutex();
  const machine = once(() => host.system.getBIOSSerialNumber());
  let pipes: Promise<PipeMachines> | undefined;
  const ports: MachinePorts = {
    clock,
    host,
    lanes,
    paths,
    encryption,
    derive,
    node,
    machine,
    readSecret,
    readObject,
    listObjects,
    foreign: reach === undefined ? ANYWHERE : foreignReachOf({ ...reach, apiServer }),
    async behind(object, endpoint) {
      pipes ??= pipeMachines({ clock, node, listObjects });
      return (await pipes).of(object, endpoint);
    },
  };
  return {
    operations: {
      windowsstoragenodes: storageNodeOperations(ports),
      iscsitargets: iscsiTargetOperations(ports),
      windowsdisks: windowsDiskOperations(ports),
      windowsvolumes: windowsVolumeOperations(ports),
      smbmappings: smbMappingOperations(ports),
      windowsmounts: windowsMountOperations(ports),
    },
    async close() {
      (await pipes)?.close();
      await host.close();
    },
  };
}

/** Loaded only if csi-proxy is used. */
async function pipeMachines(deps: PipeMachinesDeps): Promise<PipeMachines> {
  return new (await import('./client/machines.ts')).PipeMachines(deps);
}

/** Caches a value that never changes once it is known. */
function once(ask: () => Promise<string>): () => Promise<string> {
  let known: string | undefined;
  return async () => {
    known ??= await ask();
    return known;
  };
}
