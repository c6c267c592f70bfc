// SmbMapping: a share that all of a machine may use.
//
// Invariants:
//   R1. That the object maps the share is on record before it does: what was mapped before is not its own, and stays.
//   R2. A mapping that works gets other credentials only when nobody uses it, unless it is to get them at once.
import type { KubeObject } from '../../../machines/object.ts';
import type { DeclaredKind } from '../../adapter.ts';
import { READY, Reason, type Verdict } from './conditions.ts';
import type { WindowsOptions } from './options.ts';
import { numberOf, said, textOf, wordOf } from './values.ts';
import { finalizerOf, type Kept, type WindowsPass, windowsKind } from './windows-kind.ts';

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
    async takeDown({ ask }) {
      await ask('unmap');
    },
    hasAny: isMade,
  });
}

function isMade({ status }: KubeObject): boolean {
  return status?.['origin'] === 'Made';
}

async function keep(pass: WindowsPass, lookAgainMs: number): Promise<Kept> {
  const { object, ask, note } = pass;
  const { root, state, hash, users } = await ask('look');
  const count = numberOf(users) ?? 0;
  const isMapped = state === 'mapped';
  const common = { root, users: count };
  if (isMapped && !isMade(object)) {
    const message = 'the share was mapped before, by somebody else: it is used, and stays as it is';
    return {
      status: said({ ...common, origin: 'Found' }),
      verdict: { ready: true, reason: Reason.Found, message },
      lookAgainMs,
    };
  }
  const known = wordOf(object.status?.['credentialHash']);
  const own = { ...common, origin: 'Made' };
  // What was mapped and not recorded was mapped with what the Secret said then: it is mapped once more to be sure.
  const isOther = known !== hash;
  const isAtOnce = object.spec?.['rotation'] === 'Immediate' || known === undefined;
  const mayRotate = isAtOnce || count === 0;
  if (isMapped && (!isOther || !mayRotate)) {
    return { status: said({ ...own, credentialHash: known }), verdict: isOther ? pending(count) : READY, lookAgainMs };
  }
  // mutant: mapping-unrecorded drop
  await note(said({ ...own, ...(known !== undefined && { credentialHash: known }) }));
  const mapped = await ask('map', { anew: isMapped, unused: isMapped && !isAtOnce });
  const later = numberOf(mapped['users']);
  if (later !== undefined)
    return { status: said({ ...own, users: later, credentialHash: known }), verdict: pending(later), lookAgainMs };
  return { status: said({ ...own, credentialHash: mapped['hash'] }), verdict: READY, lookAgainMs };
}

function pending(users: number): Verdict {
  const message = `its Secret has other credentials, which are used when none of its ${users} users is left`;
  return { ready: true, reason: Reason.RotationPending, message };
}
