// IscsiTarget: a connection of a machine to an iSCSI target.
//
// Invariants:
//   WIN-KINDS-ISCSI-TARGET-1. That the object connects the target, and registers its portal, is on record before it does: what was there before is not its
//       own, and stays.
import type { Json, JsonObject } from '../../../bus/json.ts';
import type { DeclaredKind } from '../../api/adapter.ts';
import { READY, Reason, unready, type Verdict } from '../conditions.ts';
import { waitingFor } from '../heirs.ts';
import type { WindowsOptions } from '../options.ts';
import { mapOf, said, textOf, wordOf } from '../values.ts';
import { attempt, finalizerOf, type Kept, type WindowsPass, windowsKind } from './windows-kind.ts';

const KIND = 'IscsiTarget';
/** Before the target is asked for the first time: from then on there may be a connection. */
const CONNECTING = 'Connecting';
const CONNECTED = 'Connected';

export function iscsiTarget({ lookEveryMs }: WindowsOptions): DeclaredKind {
  return windowsKind({
    kind: KIND,
    plural: 'iscsitargets',
    operations: ['look', 'connect', 'disconnect'],
    references: ({ spec }) => {
      const secret = wordOf(mapOf(spec?.['auth'])['secretRef']);
      const node = { finalizers: [finalizerOf(KIND)], neededFor: 'always', fixed: true } as const;
      return [
        { kind: 'WindowsStorageNode', name: textOf(spec?.['nodeRef']), ...node },
        ...(secret === undefined
          ? []
          : [{ kind: 'Secret', name: secret, finalizers: [], neededFor: 'always' } as const]),
      ];
    },
    attributes: ({ status = {} }) => ({ disks: status['identities'] ?? [] }),
    keep: (pass) => keep(pass, lookEveryMs),
    takeDown: async ({ ask }) => waitingFor(await ask('disconnect'), lookEveryMs),
    hasAny: ({ status }) => status?.['connection'] !== undefined,
  });
}

async function keep(pass: WindowsPass, lookAgainMs: number): Promise<Kept> {
  const { object, ask, note } = pass;
  const { uid } = object.metadata;
  const stored = object.status ?? {};
  const seen = await ask('look');
  const connected = (
    { diskNumbers, identities }: JsonObject,
    madeBy: Json | undefined,
    portalMadeBy: Json | undefined,
  ): Kept => {
    const isOwn = madeBy === uid;
    const origin = isOwn ? 'Made' : 'Found';
    return {
      status: said({ connection: CONNECTED, origin, madeBy, portalMadeBy, diskNumbers, identities }),
      verdict: isOwn ? READY : FOUND,
      lookAgainMs,
    };
  };
  const isOthers = seen['isOthers'] === true;
  if (isOthers && stored['madeBy'] !== uid) return { status: {}, verdict: OTHERS, lookAgainMs };
  const portalNow = stored['portalMadeBy'] ?? seen['portalMadeBy'];
  // A recorded connection is not certainly made: if two namespaces have recorded it, the machine is checked.
  const isDone = !isOthers || stored['connection'] === CONNECTED;
  if (seen['diskNumbers'] !== undefined && isDone)
    return connected(seen, stored['madeBy'] ?? seen['madeBy'], portalNow);
  const portalMadeBy = seen['hasPortal'] === true ? portalNow : uid;
  const isRecorded = stored['madeBy'] === uid && stored['portalMadeBy'] === portalMadeBy;
  if (!isRecorded) await note(said({ connection: CONNECTING, origin: 'Made', madeBy: uid, portalMadeBy }));
  const mayBeOwn = stored['madeBy'] === uid;
  // The portal may have been added all the same, and it is needed still.
  const before = ({ isPortalMade }: JsonObject): JsonObject => {
    const maker = isPortalMade === true ? uid : seen['hasPortal'] === true ? portalNow : undefined;
    return said({ connection: CONNECTING, portalMadeBy: maker });
  };
  const asked = { mayBeOwn, mayOwnPortal: stored['portalMadeBy'] === uid };
  const answer = await attempt(pass, 'connect', asked, mayBeOwn ? undefined : before);
  if (answer['isOthers'] === true) return { status: {}, verdict: OTHERS, lookAgainMs };
  const isFound = answer['isFound'] === true;
  const isPortalFound = answer['isPortalFound'] === true;
  // The maker of the earlier portal may be deleted by now.
  // mutant: portal-maker-forgotten ?? -> $1
  const portalMaker = answer['portalMadeBy'] ?? (portalMadeBy === uid ? undefined : portalMadeBy);
  return connected(answer, isFound ? answer['madeBy'] : uid, isPortalFound ? portalMaker : portalMadeBy);
}

const FOUND: Verdict = {
  ready: true,
  reason: Reason.Found,
  message: 'another client connected the target before: it is used, and not changed',
};
const OTHERS = unready(
  Reason.OfOtherNamespace,
  'an object of another namespace has connected the target on this machine',
);
