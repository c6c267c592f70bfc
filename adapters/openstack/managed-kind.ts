// A kind of this adapter as the runtime works with it.
import type { ManagedKind, ManagedOperations } from '../../machines/kind.ts';
import type { DeclaredKind } from '../adapter.ts';
import { isAvailable, settledOf, statusOf } from './conditions.ts';
import { GROUP, REALM, VERSION } from './kinds/common-contract.ts';
import type { OpenStackKind, OperationsDeps } from './kinds/kind.ts';
import { resyncAfterMs } from './resync.ts';

export interface DeclaredKindOptions {
  /** Resync period of objects that do not say, in milliseconds; 0 for never. */
  readonly defaultResyncMs: number;
}

const OPERATIONS = [
  'find',
  'import',
  'create',
  'observe',
  'update',
  'remove',
] as const satisfies readonly (keyof ManagedOperations)[];

/** The kind with its operations on clouds. */
export function managedKind(
  kind: OpenStackKind,
  { defaultResyncMs, ...deps }: DeclaredKindOptions & OperationsDeps,
): ManagedKind {
  return { ...declaredKind(kind, { defaultResyncMs }), operations: kind.operations(deps) };
}

/** The kind as data. */
export function declaredKind(kind: OpenStackKind, { defaultResyncMs }: DeclaredKindOptions): DeclaredKind {
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
    operations: OPERATIONS,
  };
}
