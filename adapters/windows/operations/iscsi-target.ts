// Operations of one connection to an iSCSI target.
//
// Invariants:
//   WIN-OPERATIONS-ISCSI-TARGET-1. No CHAP secret is ever printed, nor a text of Windows that contains one.
//   WIN-OPERATIONS-ISCSI-TARGET-2. A portal goes with the last of the connections through it that any object has, and a connection with the last object, if any of
//       them has made it (WIN-SHARED-1).
import { TerminalError, TransientError } from '../../../bus/errors.ts';
import type { KubeObject } from '../../../machines/object.ts';
import type { Operation } from '../../api/adapter.ts';
import { Code, StatusError } from '../../csi-proxy/base/status.ts';
import type { ChapLogin, Portal } from '../../csi-proxy/hosts/host.ts';
import { DEFAULT_PORT, portalOf, requireIqn } from '../../csi-proxy/hosts/rules.ts';
import { finalizerOf } from '../kinds/windows-kind.ts';
import { ISCSI_TARGETS, STORAGE_NODES } from '../resources.ts';
import { listOf, mapOf, numberOf, said, textOf, wordOf } from '../values.ts';
import { credentialsIn } from './credentials.ts';
import { disksOf } from './disks.ts';
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

const OWN = finalizerOf('IscsiTarget');
const SERVICE = 'MSiSCSI';
/** Also in csi-proxy's server: portals, sessions and the secret of the machine depend on each other. */
const LANE = 'iscsi';
const AUTHENTICATION = { None: 'NONE', OneWayCHAP: 'ONEWAYCHAP', MutualCHAP: 'MUTUALCHAP' } as const;

interface Secrets {
  readonly login: ChapLogin;
  /** With which the target proves who it is; empty: it does not have to. */
  readonly mutual: string;
}

export function iscsiTargetOperations(ports: MachinePorts): Readonly<Record<string, Operation>> {
  const { lanes } = ports;
  const reported = async (here: MachinePorts, portal: Portal, iqn: string): Answer => {
    const { host } = here;
    const diskNumbers = (await isThere(here, portal, iqn)) ? [...(await host.iscsi.getTargetDisks(portal, iqn))] : [];
    // At once, as a number may be that of another disk in a moment.
    const seen = diskNumbers.length === 0 ? [] : await disksOf(here);
    const identities = diskNumbers.flatMap((number) => seen.find((disk) => disk.number === number)?.identity || []);
    return said({ diskNumbers, identities });
  };
  const disconnect = async ({ host }: MachinePorts, portal: Portal, iqn: string): Promise<void> => {
    try {
      await host.iscsi.disconnectTarget(portal, iqn);
    } catch (error) {
      // No portal offers it, so it was never connected, or is no more.
      if (!(error instanceof StatusError && error.code === Code.NotFound)) throw error;
    }
  };
  /** One that is not offered is not connected. */
  const isConnected = async ({ host }: MachinePorts, portal: Portal, iqn: string): Promise<boolean> => {
    try {
      return (await host.iscsi.getTargetDisks(portal, iqn)).length > 0;
    } catch (error) {
      if (error instanceof StatusError && error.code === Code.NotFound) return false;
      throw error;
    }
  };
  const isThere = async (here: MachinePorts, portal: Portal, iqn: string): Promise<boolean> =>
    (await hasPortal(here, portal)) && (await isConnected(here, portal, iqn));
  /** Whether a target behind the portal is connected, of whichever client, beside those that objects have through another portal. */
  const isUsed = async (here: MachinePorts, portal: Portal, others: readonly KubeObject[]): Promise<boolean> => {
    const isElsewhere = (other: KubeObject): boolean =>
      isDone(other) && endpointOf(targetOf(other).portal) !== endpointOf(portal);
    const elsewhere = new Set(others.filter(isElsewhere).map((other) => targetOf(other).iqn));
    // mutant: portal-of-other-clients && -> false
    for (const iqn of await here.host.iscsi.discoverTargetPortal(portal))
      if (!elsewhere.has(iqn) && (await isConnected(here, portal, iqn))) return true;
    return false;
  };
  const left = new Left();
  const beside = async (here: MachinePorts, object: KubeObject): Promise<readonly KubeObject[]> => {
    const which = { node: here.node, serial: await here.machine() };
    const others = left.without(await ports.listObjects(ISCSI_TARGETS), object);
    return others.filter((other) => isOnMachine(other, which) && other.status?.['connection'] !== undefined);
  };
  const ofPortal = (others: readonly KubeObject[], object: KubeObject): readonly KubeObject[] =>
    others.filter((other) => endpointOf(targetOf(other).portal) === endpointOf(targetOf(object).portal));
  /** A connection is one of the machine, whichever portals lead to the target. */
  const ofSame = (others: readonly KubeObject[], iqn: string): readonly KubeObject[] =>
    others.filter((other) => targetOf(other).iqn === iqn);
  const made = new Makers();
  /** Names of the connection, in its namespace, and of its portal on the machine. */
  const namesOf = (object: KubeObject, serial: string): Readonly<Record<'target' | 'portal', string>> => {
    const { portal, iqn } = targetOf(object);
    return { target: `${serial} ${object.metadata.namespace} ${iqn}`, portal: `${serial} ${endpointOf(portal)}` };
  };
  /** Whether an object has the connection for sure. */
  const isSure =
    (serial: string) =>
    (object: KubeObject): boolean =>
      // mutant: target-maker-unranked ||.2 -> false
      isDone(object) || made.of(namesOf(object, serial).target) === object.metadata.uid;
  const makers = async (here: MachinePorts, others: readonly KubeObject[], object: KubeObject): Answer => {
    const { target, portal } = namesOf(object, await here.machine());
    const besides = besideIn(ofSame(others, targetOf(object).iqn), object);
    return said({
      // mutant: target-found-unrecorded ?? -> $1
      madeBy: recordedMaker(besides, 'madeBy', isDone) ?? made.of(target),
      // mutant: portal-found-unrecorded ?? -> $1
      portalMadeBy: recordedMaker(ofPortal(others, object), 'portalMadeBy', hasPortalFor) ?? made.of(portal),
    });
  };
  return {
    /**
     * Answers `{ diskNumbers, identities, hasPortal, madeBy, portalMadeBy, isOthers }`; no disks unless it is connected; who made it, of
     * other objects; `isOthers`: one of another namespace has it.
     */
    look: (request: Extra<object>): Answer =>
      onLook(ports, request, async (here) => {
        const { portal, iqn } = soundTarget(request.object);
        await startService(here, request.object);
        const others = await beside(here, request.object);
        return {
          ...(await reported(here, portal, iqn)),
          ...(await makers(here, others, request.object)),
          hasPortal: await hasPortal(here, portal),
          isOthers: isOfOthers(ofSame(others, iqn), request.object),
        };
      }),
    /**
     * Connects, if it is not connected. Answers as `look`, with `isFound` and `isPortalFound`: that was there; `{ isOthers }`, and nothing
     * was done; or `{ undone, isPortalMade }`: the failure, if nothing was connected, and whether the portal was added.
     * `mayBeOwn`, `mayOwnPortal`: it may be what an earlier try has made.
     */
    connect: (request: Extra<{ mayBeOwn: boolean; mayOwnPortal: boolean }>): Answer => {
      const secrets: string[] = [];
      let isPortalMade = false;
      const work = async (here: MachinePorts, { begin, end }: Attempt): Answer => {
        const { host } = here;
        const { portal, iqn } = soundTarget(request.object);
        // mutant: foreign-portal drop
        await requireReach(ports, 'iSCSI portals', portal.address, portal.port);
        const { login, mutual } = await secretsOf(ports, request.object);
        secrets.push(login.secret, mutual);
        return lanes.run(LANE, PATIENT, async () => {
          await startService(here, request.object);
          const wanted = await requireWanted(ports, ISCSI_TARGETS, request);
          left.delete(request.object);
          const others = await beside(here, request.object);
          const serial = await here.machine();
          const names = namesOf(wanted, serial);
          const isTaken = (isThere: boolean): boolean =>
            isTheirs(ofSame(others, iqn), request.object, { isThere, isDone: isSure(serial) });
          // mutant: target-found-made &&.2 -> false
          const isFoundNow = async (): Promise<boolean> =>
            (await isConnected(here, portal, iqn)) && request.mayBeOwn !== true;
          const isPortalThere = await hasPortal(here, portal);
          const isPortalFound = isPortalThere && request.mayOwnPortal !== true;
          if (isTaken(isPortalThere && (await isFoundNow()))) return { isOthers: true };
          // mutant: portal-unrecorded drop
          if (!isPortalThere) requirePortalMaker(wanted);
          begin();
          await host.iscsi.addTargetPortal(portal);
          isPortalMade = !isPortalFound;
          if (isPortalMade) made.add(names.portal, wanted.metadata.uid);
          await host.iscsi.discoverTargetPortal(portal);
          // A connection by way of another portal shows only through one that is registered.
          // mutant: target-before-portal-made -> false
          const isFound = await isFoundNow();
          if (isFound && isTaken(true)) {
            // mutant: portal-of-others-left drop
            if (!isPortalThere) await host.iscsi.removeTargetPortal(portal);
            if (!isPortalThere) made.delete(names.portal);
            return { isOthers: true };
          }
          try {
            if (mutual !== '') await host.iscsi.setMutualChapSecret(mutual);
            await host.iscsi.connectTarget(portal, iqn, login);
          } catch (error) {
            if (isEnded(error) && !(await isConnected(here, portal, iqn))) end();
            throw error;
          }
          if (!isFound) made.add(names.target, wanted.metadata.uid);
          const recorded = await makers(here, others, request.object);
          return { ...(await reported(here, portal, iqn)), ...recorded, isFound, isPortalFound };
        });
      };
      return onMachine(
        ports,
        request,
        (here) =>
          attempting(
            secrets,
            (attempt) => work(here, attempt),
            () => ({ isPortalMade }),
          ),
        secrets,
      );
    },
    /** Answers `{ heirs }` where others use what it made and do not have that on record yet: it is left to them once they have (WIN-SHARED-4). */
    disconnect: (request: Extra<object>): Answer =>
      onMachine(ports, request, async (here) => {
        const { host } = here;
        const { portal, iqn } = targetOf(request.object);
        // An invalid target was never connected.
        if (!isSound(portal, iqn)) return {};
        await startService(here, request.object);
        return lanes.run(LANE, PATIENT, async () => {
          const serial = await here.machine();
          const names = namesOf(request.object, serial);
          if (!(await hasPortal(here, portal))) {
            // mutant: gone-portal-made drop
            for (const name of Object.values(names)) made.delete(name);
            return {};
          }
          // The objects that it was left to may start to use it only now.
          // mutant: target-left-once drop
          left.delete(request.object);
          // Read while the lock is held: of several deletions, the last one finds no other users.
          const others = await beside(here, request.object);
          const needing = others.filter((other) => isNeeded(other, OWN));
          const ofTarget = leftTo(ofSame(needing, iqn), request.object, isSure(serial));
          const through = ofPortal(needing, request.object);
          const besides = besideIn(ofTarget, request.object);
          const { namespace = '', name, uid } = request.object.metadata;
          const now = await ports.readObject(ISCSI_TARGETS, namespace, name);
          const stored = now?.metadata.uid === uid ? now.status : undefined;
          const [madeBy, portalMadeBy] = [wordOf(stored?.['madeBy']), wordOf(stored?.['portalMadeBy'])];
          const heirs = [
            // mutant: target-left-to-nobody ?:.3 -> []
            ...(madeBy === undefined ? [] : heirsAmong(besides, recordedMaker(besides, 'madeBy', isDone))),
            // mutant: portal-left-to-nobody ?:.3 -> []
            ...(portalMadeBy === undefined
              ? []
              : heirsAmong(through, recordedMaker(through, 'portalMadeBy', hasPortalFor))),
          ];
          if (heirs.length > 0) {
            // They record what they hear, and a process that began since does not know it.
            // mutant: unproved-target-waits-for-ever drop
            if (madeBy !== undefined) made.add(names.target, madeBy);
            if (portalMadeBy !== undefined) made.add(names.portal, portalMadeBy);
            return toHeirs(heirs);
          }
          // The disks of another object with the same target are in use.
          // mutant: target-shared &&.1 -> true
          // mutant: target-found-taken-down &&.2 -> true
          if (ofTarget.length === 0 && madeBy !== undefined) {
            await disconnect(here, portal, iqn);
            made.delete(names.target);
          }
          const isLast = through.length === 0 && portalMadeBy !== undefined;
          if (isLast && !(await isUsed(here, portal, others))) {
            await host.iscsi.removeTargetPortal(portal);
            made.delete(names.portal);
          }
          // Other objects find the portal, and read its maker, as long as it is there.
          left.add(request.object);
          return {};
        });
      }),
  };
}

/** Whether it has the connection for sure. */
function isDone({ status }: KubeObject): boolean {
  return status?.['connection'] === 'Connected';
}

/** The same of its portal: what is recorded without a connection was added. */
function hasPortalFor(object: KubeObject): boolean {
  // mutant: portal-maker-unproved || -> $1
  return isDone(object) || object.status?.['madeBy'] === undefined;
}

function endpointOf({ address, port }: Portal): string {
  return `${address} ${port}`;
}

function targetOf({ spec }: KubeObject): { readonly portal: Portal; readonly iqn: string } {
  const { address, port } = mapOf(spec?.['portal']);
  return {
    portal: { address: textOf(address), port: numberOf(port) ?? DEFAULT_PORT },
    iqn: textOf(spec?.['iqn']),
  };
}

function isSound({ address, port }: Portal, iqn: string): boolean {
  try {
    portalOf(address, port);
    requireIqn(iqn);
    return true;
  } catch (error) {
    if (error instanceof StatusError) return false;
    throw error;
  }
}

/**
 * A portal that was found may be removed by now: the next attempt records who adds it (WIN-KINDS-ISCSI-TARGET-1).
 *
 * @throws {TransientError} no maker is on record
 */
function requirePortalMaker({ status, spec }: KubeObject): void {
  if (wordOf(status?.['portalMadeBy']) !== undefined) return;
  const address = textOf(mapOf(spec?.['portal'])['address']);
  throw new TransientError(`the portal ${address} was removed meanwhile: it is added after that is recorded`);
}

/** @throws {StatusError} `INVALID_ARGUMENT`: no target can be asked for by that */
function soundTarget(object: KubeObject): { readonly portal: Portal; readonly iqn: string } {
  const { portal, iqn } = targetOf(object);
  requireIqn(iqn);
  return { portal: portalOf(portal.address, portal.port), iqn };
}

async function hasPortal({ host }: MachinePorts, { address, port }: Portal): Promise<boolean> {
  return (await host.iscsi.listTargetPortals()).some((each) => each.address === address && each.port === port);
}

async function nodeObject(
  { readObject }: MachinePorts,
  { metadata, spec }: KubeObject,
): Promise<KubeObject | undefined> {
  return readObject(STORAGE_NODES, metadata.namespace ?? '', textOf(spec?.['nodeRef']));
}

/** Without it nothing of iSCSI can even be asked. @throws {TerminalError} the node does not let it be started */
async function startService(ports: MachinePorts, object: KubeObject): Promise<void> {
  const { host, lanes } = ports;
  const services = listOf((await nodeObject(ports, object))?.spec?.['services']).map((name) =>
    textOf(name).toLowerCase(),
  );
  if (!services.includes(SERVICE.toLowerCase())) {
    throw new TerminalError(`the service ${SERVICE} is not among the services of its WindowsStorageNode`);
  }
  await lanes.run(`service ${SERVICE.toLowerCase()}`, PATIENT, () => host.system.startService(SERVICE));
}

/** @throws {TerminalError} a Secret that is needed is not named */
async function secretsOf(ports: MachinePorts, object: KubeObject): Promise<Secrets> {
  const { type = 'None', secretRef } = mapOf(object.spec?.['auth']);
  const authentication = AUTHENTICATION[textOf(type) as keyof typeof AUTHENTICATION] ?? 'NONE';
  if (authentication === 'NONE') return { login: { authentication, username: '', secret: '' }, mutual: '' };
  const name = wordOf(secretRef);
  if (name === undefined) throw new TerminalError('auth.secretRef is needed for CHAP');
  const { username, password } = await credentialsIn(ports, object, name);
  const login = { authentication, username, secret: password };
  if (authentication !== 'MUTUALCHAP') return { login, mutual: '' };
  const node = wordOf((await nodeObject(ports, object))?.spec?.['mutualChapSecretRef']);
  if (node === undefined)
    throw new TerminalError('mutualChapSecretRef of its WindowsStorageNode is needed for MutualCHAP');
  return { login, mutual: (await credentialsIn(ports, object, node)).password };
}
