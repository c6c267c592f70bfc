// IscsiTarget: a connection of a machine to an iSCSI target.
import type { JsonObject } from '../../../bus/json.ts';
import type { DeclaredKind } from '../../adapter.ts';
import { READY } from './conditions.ts';
import type { WindowsOptions } from './options.ts';
import { mapOf, said, textOf, wordOf } from './values.ts';
import { finalizerOf, type Kept, type WindowsPass, windowsKind } from './windows-kind.ts';

const KIND = 'IscsiTarget';
/** Before the target is asked for the first time: from then on there may be a connection. */
const CONNECTING = 'Connecting';

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
    async takeDown({ ask }) {
      await ask('disconnect');
    },
    hasAny: ({ status }) => status?.['connection'] !== undefined,
  });
}

async function keep({ object, ask, note }: WindowsPass, lookAgainMs: number): Promise<Kept> {
  const connected = ({ diskNumbers, identities }: JsonObject): Kept => ({
    status: said({ connection: 'Connected', diskNumbers, identities }),
    verdict: READY,
    lookAgainMs,
  });
  const isKnown = object.status?.['connection'] !== undefined;
  if (isKnown) {
    const seen = await ask('look');
    if (seen['diskNumbers'] !== undefined) return connected(seen);
  } else {
    await note({ connection: CONNECTING });
  }
  return connected(await ask('connect'));
}
