// WindowsStorageNode: a machine, as last read. Its reads include all disks: dependents are notified of changes.
import type { Json, JsonObject } from '../../../bus/json.ts';
import type { KubeObject } from '../../../machines/object.ts';
import type { DeclaredKind } from '../../api/adapter.ts';
import { READY, Reason, timeOf, unready, type Verdict } from '../conditions.ts';
import { NODE_GONE } from '../names.ts';
import { takenAtOf } from '../node-names.ts';
import type { WindowsOptions } from '../options.ts';
import { STORAGE_NODES } from '../resources.ts';
import { listOf, mapOf, said, textOf, wordOf } from '../values.ts';
import { type Kept, type WindowsPass, windowsKind, withoutConditions } from './windows-kind.ts';

export function windowsStorageNode({ lookEveryMs }: WindowsOptions): DeclaredKind {
  return windowsKind({
    kind: 'WindowsStorageNode',
    plural: 'windowsstoragenodes',
    retains: STORAGE_NODES.retains,
    own,
    operations: ['look'],
    references: ({ spec }) => {
      const secret = wordOf(spec?.['mutualChapSecretRef']);
      return secret === undefined ? [] : [{ kind: 'Secret', name: secret, finalizers: [], neededFor: 'always' }];
    },
    attributes: (object) => ({
      ...(isGone(object) && { gone: true }),
      // Changes here are reported to targets that were rejected for them.
      // mutant: services-untold {}.1 drop
      ...said({ services: object.spec?.['services'], mutualChapSecretRef: object.spec?.['mutualChapSecretRef'] }),
      // The next request is sent to that endpoint.
      ...said({ endpoint: object.spec?.['endpoint'] }),
      disks: listOf(object.status?.['disks']).map((disk) => {
        const { number = null, identity = null, claimedBy = null, claimedByUID = null, claimedOn = null } = mapOf(disk);
        return {
          number,
          identity,
          claimedBy,
          claimedByUID,
          claimedOn,
          ...said({ fileSystems: mapOf(disk)['fileSystems'] }),
        };
      }),
    }),
    keep: (pass) => keep(pass, lookEveryMs),
    // The content of the machine belongs to other objects.
    takeDown: async () => undefined,
    hasAny: () => false,
  });
}

function isGone({ metadata: { annotations = {} } }: KubeObject): boolean {
  return annotations[NODE_GONE] === 'true';
}

/** Before it is looked again whether a WindowsDisk that was about to go has gone, in milliseconds. */
const SOON_MS = 1_000;

/** A record of the name counts as long as it is its own, and the name is the one that the spec has. */
function own(object: KubeObject): JsonObject {
  const { nodeName, nodeTakenAt: _, ...status } = withoutConditions(object);
  const isOwn = object.recorded?.['nodeName'] === nodeName;
  return said({ ...status, nodeName: isOwn ? nodeName : undefined, nodeTakenAt: takenAtOf(object) });
}

async function keep(pass: WindowsPass, lookEveryMs: number): Promise<Kept> {
  const { object, ports, ask, note } = pass;
  const nodeName = textOf(object.spec?.['nodeName']);
  const stored = own(object);
  if (isGone(object)) {
    return { status: stored, verdict: unready(Reason.NodeGone, 'the machine was declared gone permanently') };
  }
  const known = wordOf(stored['machine']);
  let seen = await ask('look');
  let verdict = verdictOn(seen, known, object);
  let nodeTakenAt = takenAtOf(object);
  if (nodeTakenAt === undefined && isOurs(verdict)) {
    nodeTakenAt = timeOf(ports.now());
    // Fields of other writers become its own record only when they are written again.
    await note(stored);
    // If two objects take the name at once, each sees the other, and the later one withdraws.
    await note({ ...stored, nodeName, nodeTakenAt });
    seen = await ask('look');
    verdict = verdictOn(seen, known, object);
  }
  const lookAgainMs = seen['isLeaving'] === true ? Math.min(SOON_MS, lookEveryMs) : lookEveryMs;
  // For a machine that another object represents nothing is published, and the data of the earlier machine is kept.
  if (verdict.reason === Reason.NodeTaken) {
    const { nodeTakenAt: _, ...rest } = stored;
    return { status: rest, verdict, lookAgainMs };
  }
  const { endpoint } = object.spec ?? {};
  // Data of another machine is not published as this one's, and the disk assignments are kept.
  const disks = verdict.reason === Reason.DifferentMachine ? stored['disks'] : seen['disks'];
  const { apiVersions } = seen;
  const machine = known ?? wordOf(seen['machine']);
  return { status: said({ nodeName, nodeTakenAt, endpoint, disks, machine, apiVersions }), verdict, lookAgainMs };
}

function isOurs({ reason }: Verdict): boolean {
  return reason !== Reason.NodeTaken && reason !== Reason.DifferentMachine;
}

function verdictOn(
  { machine, elder, apiVersions }: JsonObject,
  known: string | undefined,
  { spec = {} }: KubeObject,
): Verdict {
  const nodeName = textOf(spec['nodeName']);
  if (elder !== undefined) {
    return unready(Reason.NodeTaken, `WindowsStorageNode ${textOf(elder)} represents node '${nodeName}' already`);
  }
  const is = wordOf(machine);
  if (known === undefined || is === undefined || is === known) return lackIn(listOf(apiVersions), spec) ?? READY;
  const message = `node '${nodeName}' is the machine with the serial number ${is}, and was the one with ${known}`;
  return unready(Reason.DifferentMachine, `${message}: another machine gets an object of its own`);
}

/** Groups that the spec names: an object that needs another one reports that itself. */
function lackIn(groups: readonly Json[], spec: JsonObject): Verdict | undefined {
  const named = listOf(spec['apiVersions']).map((each) => mapOf(each)['group']);
  const lacking = groups.map(mapOf).find(({ group, used }) => used === undefined && named.includes(group ?? null));
  if (lacking === undefined) return undefined;
  const served = listOf(lacking['served']).map(textOf).join(', ') || 'no version';
  const message = `csi-proxy serves ${served} of group ${textOf(lacking['group'])}, and none of those that may be used`;
  return unready(Reason.ApiNotServed, message);
}
