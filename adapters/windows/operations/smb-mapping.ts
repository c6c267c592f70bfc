// Operations of one mapping of a share.
//
// Invariants:
//   WIN-OPERATIONS-SMB-MAPPING-1. A mapping that works, and that this object has not made, is left as it is. One that none of ours has made stays for ever, and one
//       that others use stays until the last of them goes (WIN-SHARED-1, WIN-SHARED-2).
//   WIN-OPERATIONS-SMB-MAPPING-2. No password is ever printed, nor a text of Windows that contains one.
import type { KubeObject } from '../../../machines/object.ts';
import type { Operation } from '../../api/adapter.ts';
import { Code, StatusError } from '../../csi-proxy/base/status.ts';
import { hostOfRoot, parseRemotePath } from '../../csi-proxy/hosts/remote-path.ts';
import { finalizerOf } from '../kinds/windows-kind.ts';
import { SMB_MAPPINGS } from '../resources.ts';
import { numberOf, said, textOf, wordOf } from '../values.ts';
import { type Credentials, credentialsIn, hashOf, NO_CREDENTIALS } from './credentials.ts';
import { isOnMachine } from './same-machine.ts';
import {
  type Answer,
  type Attempt,
  attempting,
  type Extra,
  isEnded,
  type MachinePorts,
  onLook,
  onMachine,
  PATIENT,
  requireReach,
} from './serving.ts';
import {
  besideIn,
  heirsAmong,
  isNeeded,
  isOfOthers,
  isTheirs,
  Left,
  leftTo,
  Makers,
  recordedMaker,
  toHeirs,
} from './shared.ts';
import { requireWanted } from './wanted.ts';

const OWN = finalizerOf('SmbMapping');
const SMB_PORT = 445;

export function smbMappingOperations(ports: MachinePorts): Readonly<Record<string, Operation>> {
  const { lanes, encryption } = ports;
  const left = new Left();
  const makers = new Makers();
  /** The share, as one that objects of a namespace have mapped on a machine. */
  const shareOf = ({ metadata }: KubeObject, serial: string, root: string): string =>
    `${serial} ${metadata.namespace} ${root}`;
  /** Whether an object has the share for sure. */
  const isSure =
    (serial: string, root: string) =>
    (object: KubeObject): boolean =>
      // mutant: mapping-maker-unranked ||.2 -> false
      isDone(object) || makers.of(shareOf(object, serial, root)) === object.metadata.uid;
  /** Uid of the object of the namespace that certainly mapped the share. */
  const makerOf = (others: readonly KubeObject[], object: KubeObject, share: string): string | undefined =>
    // mutant: mapping-found-unrecorded ?? -> $1
    recordedMaker(besideIn(others, object), 'madeBy', isDone) ?? makers.of(share);
  /** Other objects that represent the same share. */
  const beside = async (here: MachinePorts, object: KubeObject, root: string): Promise<readonly KubeObject[]> => {
    const which = { node: here.node, serial: await here.machine() };
    return left
      .without(await ports.listObjects(SMB_MAPPINGS), object)
      .filter((other) => isOnMachine(other, which) && other.status?.['root'] === root);
  };
  const rootOf = ({ object }: Pick<Extra<object>, 'object'>): string =>
    parseRemotePath(textOf(object.spec?.['remotePath'])).root;
  const credentialsOf = async ({ object }: Pick<Extra<object>, 'object'>): Promise<Credentials> => {
    const name = wordOf(object.spec?.['credentialsSecretRef']);
    return name === undefined ? NO_CREDENTIALS : credentialsIn(ports, object, name);
  };
  const stateOf = async ({ host }: MachinePorts, root: string): Promise<'mapped' | 'broken' | 'absent' | 'untold'> => {
    const state = await host.smb.isSmbMapped(root);
    // One that Windows calls sound may lead nowhere, as when the server knows other credentials by now.
    return state === 'mapped' && !(await host.filesystem.pathValid(root)) ? 'broken' : state;
  };
  return {
    /**
     * Answers `{ root, state, hash, users, madeBy, mapper, isOthers, isUsedBeside }`; `mapper`: another object that keeps it mapped; `isOthers`: one of
     * another namespace has it; `isUsedBeside`: mounts lead to it by way of other objects.
     */
    look: (request: Extra<object>): Answer =>
      onLook(ports, request, async (here) => {
        const root = rootOf(request);
        const credentials = await credentialsOf(request);
        const users = usersOf(request);
        const others = await beside(here, request.object, root);
        return said({
          root,
          state: await stateOf(here, root),
          // mutant: mapping-hash-is-password : -> $1.2.password
          hash: await hashOf(ports, credentials, request.object),
          users,
          madeBy: makerOf(others, request.object, shareOf(request.object, await here.machine(), root)),
          mapper: mapperIn(others, request.object)?.metadata.name,
          isOthers: isOfOthers(others, request.object) || undefined,
          isUsedBeside: isUsedBy(others) || undefined,
        });
      }),
    /**
     * Returns the `hash` of its credentials. `anew`: a working mapping is mapped again; with `unused` unless it has
     * users by now, and then the response has `users` and no hash (WIN-KINDS-SMB-MAPPING-2). `isFound`: another owner
     * mapped it, and nothing was done; with `madeBy`, if that one is ours; with `isBroken`, if that mapping does not work.
     * `undone`: the failure, if nothing was mapped. `mayBeOwn`: the mapping may be the result of an earlier try; `isOurs`:
     * an object of the namespace made it, which may be deleted by now.
     */
    map: (request: Extra<{ anew: boolean; unused: boolean; mayBeOwn: boolean; isOurs: boolean }>): Answer => {
      const secrets: string[] = [];
      const work = async (here: MachinePorts, { begin, end }: Attempt): Answer => {
        const { host } = here;
        const credentials = await credentialsOf(request);
        // mutant: mapping-tells-password drop
        secrets.push(credentials.password);
        const hash = await hashOf(ports, credentials, request.object);
        const root = rootOf(request);
        // mutant: foreign-share drop
        await requireReach(ports, 'SMB servers', hostOfRoot(root), SMB_PORT);
        return lanes.run(`smb ${root}`, PATIENT, async () => {
          const wanted = await requireWanted(ports, SMB_MAPPINGS, request);
          const others = await beside(here, wanted, root);
          left.delete(wanted);
          const state = await stateOf(here, root);
          const isThere = state === 'mapped' && request.mayBeOwn !== true;
          const serial = await here.machine();
          const isOthers = isTheirs(others, wanted, { isThere, isDone: isSure(serial, root) });
          const isAnothers = isOthers || mapperIn(others, wanted) !== undefined;
          const share = shareOf(wanted, serial, root);
          const madeBy = makerOf(others, wanted, share);
          const found = said({ isFound: true, madeBy });
          if (wanted.status?.['credentialHash'] === undefined && isAnothers) return { ...found, isOthers };
          // mutant: mapping-of-others if -> false
          if (state === 'mapped' && request.mayBeOwn !== true) return found;
          if (state === 'mapped' && request.anew !== true) return { hash };
          const users = usersOf(request);
          // mutant: mapping-made-anew drop
          if (state === 'mapped' && request.unused === true && (users > 0 || isUsedBy(others))) return { users };
          const isOurs = request.mayBeOwn === true || request.isOurs === true || madeBy !== undefined;
          // mutant: broken-of-others if -> false
          if (state === 'broken' && !isOurs) return { ...found, isBroken: true };
          begin();
          if (state === 'mapped' || state === 'broken') await host.smb.removeSmbGlobalMapping(root);
          try {
            await host.smb.newSmbGlobalMapping({ root, ...credentials, encryption });
          } catch (error) {
            if (isEnded(error) && (await stateOf(here, root)) === 'absent') end();
            throw error;
          }
          makers.add(share, wanted.metadata.uid);
          return { hash };
        });
      };
      return onMachine(ports, request, (here) => attempting(secrets, (attempt) => work(here, attempt)), secrets);
    },
    /** Answers `{ heirs }` where others use it who do not have on record yet who made it: it is left to them once they have (WIN-SHARED-4). */
    unmap: (request: Extra<object>): Answer =>
      onMachine(ports, request, async (here) => {
        const root = rootOf(request);
        return lanes.run(`smb ${root}`, PATIENT, async () => {
          const { namespace = '', name } = request.object.metadata;
          const now = await ports.readObject(SMB_MAPPINGS, namespace, name);
          left.delete(request.object);
          const madeBy = now?.metadata.uid === request.object.metadata.uid ? wordOf(now.status?.['madeBy']) : undefined;
          const others = await beside(here, request.object, root);
          const serial = await here.machine();
          const share = shareOf(request.object, serial, root);
          const needing = leftTo(others, request.object, isSure(serial, root)).filter((other) => isNeeded(other, OWN));
          const besides = besideIn(needing, request.object);
          const heirs = madeBy !== undefined ? heirsAmong(besides, recordedMaker(besides, 'madeBy', isDone)) : [];
          // They record what they hear, and a process that began since does not know it.
          // mutant: unproved-maker-waits-for-ever drop
          if (heirs.length > 0 && madeBy !== undefined) makers.add(share, madeBy);
          // mutant: mapping-left-to-nobody drop
          if (heirs.length > 0) return toHeirs(heirs);
          // mutant: mapping-taken-down if -> true
          if (madeBy !== undefined && needing.length === 0) {
            await unlessAbsent(() => here.host.smb.removeSmbGlobalMapping(root));
            makers.delete(share);
          }
          // Other objects find the mapping, and read its maker, as long as it is there.
          left.add(request.object);
          return {};
        });
      }),
  };
}

/** Whether it has the share for sure. */
function isDone({ status }: KubeObject): boolean {
  return status?.['credentialHash'] !== undefined || status?.['origin'] === 'Found';
}

/** Another object of the namespace that has mapped the share, with credentials that it knows, and keeps it so. */
function mapperIn(others: readonly KubeObject[], { metadata }: KubeObject): KubeObject | undefined {
  return others.find(
    ({ metadata: { namespace, uid, deletionTimestamp }, status }) =>
      namespace === metadata.namespace &&
      deletionTimestamp === undefined &&
      status?.['madeBy'] === uid &&
      status['credentialHash'] !== undefined,
  );
}

/** Whether mounts lead to the share by way of other objects. */
function isUsedBy(others: readonly KubeObject[]): boolean {
  return others.some(({ status }) => (numberOf(status?.['users']) ?? 0) > 0);
}

/** A mapping that is already removed counts as removed. */
async function unlessAbsent(remove: () => Promise<void>): Promise<void> {
  try {
    await remove();
  } catch (error) {
    if (!(error instanceof StatusError && error.code === Code.NotFound)) throw error;
  }
}

/** Mounts that use it, as its actor knew them at the request. */
function usersOf({ claimants = [] }: Pick<Extra<object>, 'claimants'>): number {
  return claimants.filter(({ attributes }) => attributes['use'] === 'link').length;
}
