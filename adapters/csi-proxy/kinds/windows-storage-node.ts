// WindowsStorageNode: a machine, as it was seen last. Its looks are those of all disks on it: whoever refers to it is woken by
// what is new.
import type { Json, JsonObject } from '../../../bus/json.ts';
import type { KubeObject } from '../../../machines/object.ts';
import type { DeclaredKind } from '../../adapter.ts';
import { READY, Reason, unready, type Verdict } from './conditions.ts';
import { NODE_GONE } from './names.ts';
import type { WindowsOptions } from './options.ts';
import { listOf, mapOf, said, textOf, wordOf } from './values.ts';
import { type Kept, type WindowsPass, windowsKind } from './windows-kind.ts';

export function windowsStorageNode({ lookEveryMs }: WindowsOptions): DeclaredKind {
  return windowsKind({
    kind: 'WindowsStorageNode',
    plural: 'windowsstoragenodes',
    carries: { annotations: [NODE_GONE] },
    operations: ['look'],
    references: ({ spec }) => {
      const secret = wordOf(spec?.['mutualChapSecretRef']);
      return secret === undefined ? [] : [{ kind: 'Secret', name: secret, finalizers: [], neededFor: 'always' }];
    },
    attributes: (object) => ({
      ...(isGone(object) && { gone: true }),
      // What targets are refused for: they hear that it is otherwise.
      // mutant: services-untold {}.1 drop
      ...said({ services: object.spec?.['services'], mutualChapSecretRef: object.spec?.['mutualChapSecretRef'] }),
      // What is asked next is asked there.
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
    // What is on the machine is that of other objects.
    takeDown: async () => undefined,
    hasAny: () => false,
  });
}

function isGone({ metadata: { annotations = {} } }: KubeObject): boolean {
  return annotations[NODE_GONE] === 'true';
}

/** Before it is looked again whether a WindowsDisk that was about to go has gone, in milliseconds. */
const SOON_MS = 1_000;

async function keep({ object, ask }: WindowsPass, lookEveryMs: number): Promise<Kept> {
  const nodeName = textOf(object.spec?.['nodeName']);
  const stored = object.status ?? {};
  if (isGone(object)) {
    const { conditions: _, ...status } = stored;
    return { status, verdict: unready(Reason.NodeGone, 'the machine was said to be gone for good') };
  }
  const seen = await ask('look');
  const lookAgainMs = seen['isLeaving'] === true ? Math.min(SOON_MS, lookEveryMs) : lookEveryMs;
  const known = wordOf(stored['machine']);
  const { endpoint } = object.spec ?? {};
  const verdict = verdictOn(seen, known, object);
  // Of another machine nothing is told as if it were this one's, nor is it forgotten who has which disk.
  const disks = verdict.reason === Reason.DifferentMachine ? stored['disks'] : seen['disks'];
  const { apiVersions } = seen;
  const machine = known ?? wordOf(seen['machine']);
  return { status: said({ nodeName, endpoint, disks, machine, apiVersions }), verdict, lookAgainMs };
}

function verdictOn(
  { machine, elder, apiVersions }: JsonObject,
  known: string | undefined,
  { spec = {} }: KubeObject,
): Verdict {
  const nodeName = textOf(spec['nodeName']);
  if (elder !== undefined) {
    return unready(Reason.NodeTaken, `WindowsStorageNode ${textOf(elder)} stands for node '${nodeName}' already`);
  }
  const is = wordOf(machine);
  if (known === undefined || is === undefined || is === known) return lackIn(listOf(apiVersions), spec) ?? READY;
  const message = `node '${nodeName}' is the machine with the serial number ${is}, and was the one with ${known}`;
  return unready(Reason.DifferentMachine, `${message}: another machine gets an object of its own`);
}

/** Of groups that the spec names: whoever needs another one says so himself. */
function lackIn(groups: readonly Json[], spec: JsonObject): Verdict | undefined {
  const named = listOf(spec['apiVersions']).map((each) => mapOf(each)['group']);
  const lacking = groups.map(mapOf).find(({ group, used }) => used === undefined && named.includes(group ?? null));
  if (lacking === undefined) return undefined;
  const served = listOf(lacking['served']).map(textOf).join(', ') || 'no version';
  const message = `csi-proxy serves ${served} of group ${textOf(lacking['group'])}, and none of those that may be used`;
  return unready(Reason.ApiNotServed, message);
}
