// SmbMapping: a share that all of a machine may use.
//
// Invariants:
//   WIN-KINDS-SMB-MAPPING-1. That the object maps the share is on record before it does: what was mapped before is not its own, and stays.
//   WIN-KINDS-SMB-MAPPING-2. A working mapping gets other credentials only when it is unused, unless they must be
//       applied immediately.
import type { JsonObject } from '../../../bus/json.ts';
import type { KubeObject } from '../../../machines/object.ts';
import type { DeclaredKind } from '../../api/adapter.ts';
import { READY, Reason, unready, type Verdict } from '../conditions.ts';
import { waitingFor } from '../heirs.ts';
import type { WindowsOptions } from '../options.ts';
import { numberOf, said, textOf, wordOf } from '../values.ts';
import { attempt, finalizerOf, type Kept, type WindowsPass, windowsKind, withoutConditions } from './windows-kind.ts';

const KIND = 'SmbMapping';

export function smbMapping({ lookEveryMs }: WindowsOptions): DeclaredKind {
  return windowsKind({
    kind: KIND,
    plural: 'smbmappings',
    operations: ['look', 'map', 'unmap'],
    references: ({ spec }) => {
      const secret = wordOf(spec?.['credentialsSecretRef']);
      const node = { finalizers: [finalizerOf(KIND)], neededFor: 'always', fixed: true } as const;
      return [
        { kind: 'WindowsStorageNode', name: textOf(spec?.['nodeRef']), ...node },
        ...(secret === undefined
          ? []
          : [{ kind: 'Secret', name: secret, finalizers: [], neededFor: 'always' } as const]),
      ];
    },
    attributes: ({ spec }) => said({ remotePath: spec?.['remotePath'] }),
    keep: (pass) => keep(pass, lookEveryMs),
    takeDown: async ({ ask }) => waitingFor(await ask('unmap'), lookEveryMs),
    hasAny: ({ status }) => status?.['madeBy'] !== undefined,
  });
}

function isMade({ metadata, status }: KubeObject): boolean {
  return status?.['madeBy'] === metadata.uid;
}

async function keep(pass: WindowsPass, lookAgainMs: number): Promise<Kept> {
  const { object, ask, note } = pass;
  const { uid } = object.metadata;
  const look = await ask('look');
  const { root, state, hash, users, madeBy } = look;
  const count = numberOf(users) ?? 0;
  const isMapped = state === 'mapped';
  const common = said({ root, users: count });
  const found = (maker = madeBy): Kept => {
    const status = said({ ...common, origin: 'Found', madeBy: maker ?? makerBefore(object) });
    const message = 'another client mapped the share before: it is used, and not changed';
    return { status, verdict: { ready: true, reason: Reason.Found, message }, lookAgainMs };
  };
  if (!isMade(object)) {
    if (look['isOthers'] === true) return { status: {}, verdict: OTHERS, lookAgainMs };
    // mutant: mapping-found-made drop
    if (isMapped) return found();
    const mapper = wordOf(look['mapper']);
    if (mapper !== undefined) {
      const verdict = unready(
        Reason.WaitingForDependency,
        `waiting for ${KIND}/${mapper}, which maps the share, to be ready`,
      );
      return { status: said({ ...common, origin: 'Found', madeBy }), verdict, lookAgainMs };
    }
  }
  const isOurs = isMade(object) || madeBy !== undefined || makerBefore(object) !== undefined;
  if (state === 'broken' && !isOurs) return broken(common, lookAgainMs);
  const known = wordOf(object.status?.['credentialHash']);
  const own = { ...common, origin: 'Made', madeBy: uid };
  // An unrecorded mapping was made with the Secret's content of that time: it is mapped again to be sure.
  const isOther = known !== hash;
  const isAtOnce = object.spec?.['rotation'] === 'Immediate' || known === undefined;
  const mayRotate = isAtOnce || (count === 0 && look['isUsedBeside'] !== true);
  if (isMapped && (!isOther || !mayRotate)) {
    return { status: said({ ...own, credentialHash: known }), verdict: isOther ? pending(count) : READY, lookAgainMs };
  }
  // mutant: mapping-unrecorded drop
  await note(said({ ...own, ...(known !== undefined && { credentialHash: known }) }));
  const mayBeOwn = isMade(object);
  const asked = { anew: isMapped, unused: isMapped && !isAtOnce, mayBeOwn, isOurs };
  const mapped = await attempt(pass, 'map', asked, mayBeOwn ? undefined : () => withoutConditions(object));
  if (mapped['isOthers'] === true) return { status: {}, verdict: OTHERS, lookAgainMs };
  if (mapped['isBroken'] === true) return broken(common, lookAgainMs);
  // It may have been mapped since it was read.
  if (mapped['isFound'] === true) return found(mapped['madeBy']);
  const later = numberOf(mapped['users']);
  if (later !== undefined)
    return { status: said({ ...own, users: later, credentialHash: known }), verdict: pending(later), lookAgainMs };
  return { status: said({ ...own, credentialHash: mapped['hash'] }), verdict: READY, lookAgainMs };
}

/**
 * The mapping's maker, which may be deleted by now; a mapping that this object tried to make, and found, is not its
 * own.
 */
function makerBefore({ metadata, status }: KubeObject): string | undefined {
  const madeBy = wordOf(status?.['madeBy']);
  return madeBy === metadata.uid ? undefined : madeBy;
}

/** Another client's mapping stays as it is. */
function broken(status: JsonObject, lookAgainMs: number): Kept {
  const message =
    'another client mapped the share before, and the mapping does not work: repair or remove it on the node';
  return { status: said({ ...status, origin: 'Found' }), verdict: unready(Reason.MappingBroken, message), lookAgainMs };
}

const OTHERS = unready(Reason.OfOtherNamespace, 'an object of another namespace has mapped the share on this machine');

function pending(users: number): Verdict {
  const message = `its Secret has other credentials, which are used when none of its ${users} users is left`;
  return { ready: true, reason: Reason.RotationPending, message };
}
