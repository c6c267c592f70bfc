// A kind of this adapter as the runtime works with it.
import type { ManagedKind } from '../../machines/kind.ts';
import { isAvailable, settledOf, statusOf } from './conditions.ts';
import { GROUP, REALM, VERSION } from './kinds/common-contract.ts';
import type { OpenStackKind, OperationsDeps } from './kinds/table.ts';
import { resyncAfterMs } from './resync.ts';

export interface ManagedKindDeps extends OperationsDeps {
  /** Resync period of objects that do not say, in milliseconds; 0 for never. */
  readonly defaultResyncMs: number;
}

export function managedKind(kind: OpenStackKind, { defaultResyncMs, ...deps }: ManagedKindDeps): ManagedKind {
  return {
    realm: REALM,
    group: GROUP,
    version: VERSION,
    kind: kind.kind,
    plural: kind.plural,
    finalizer: kind.finalizer,
    fieldManagers: kind.fieldManagers,
    references: (object) => kind.references(object),
    settled: (object, now) => settledOf(object, now, defaultResyncMs),
    resyncAfterMs: (object, random) => resyncAfterMs(object, defaultResyncMs, random),
    status(view, object, now) {
      const awaited = kind.awaits === 'first' ? view.awaited.slice(0, 1) : view.awaited;
      return statusOf({ ...view, awaited }, object, now, defaultResyncMs);
    },
    isAvailable,
    published: (object) => kind.published(object),
    owned: (object) => kind.owned(object),
    operations: kind.operations(deps),
  };
}
