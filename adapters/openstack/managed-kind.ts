// A kind of this adapter as the runtime works with it: an external resource, whose status says what the contract says.

import type { ResourceView } from '../../machines/external-resource/context.ts';
import { externalIdOf } from '../../machines/external-resource/effects.ts';
import { externalResourceLife } from '../../machines/external-resource/life.ts';
import type { ResourceOperations } from '../../machines/external-resource/operations.ts';
import type { Kind } from '../../machines/kind.ts';
import type { KubeObject } from '../../machines/object.ts';
import type { DeclaredKind } from '../adapter.ts';
import { isAvailable, settledOf, statusOf } from './conditions.ts';
import { GROUP, REALM, VERSION } from './kinds/common-contract.ts';
import type { OpenStackKind, OperationsDeps } from './kinds/table.ts';
import { resyncOf } from './resync.ts';

export interface DeclaredKindOptions {
  /** Resync period of objects that do not say, in milliseconds; 0 for never. */
  readonly defaultResyncMs: number;
}

/** A kind whose objects stand for resources of a cloud. */
export interface ManagedKind extends Kind {
  readonly operations: ResourceOperations;
}

const OPERATIONS = [
  'find',
  'identify',
  'import',
  'create',
  'observe',
  'update',
  'remove',
  'watch',
] as const satisfies readonly (keyof ResourceOperations)[];

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
    guards: [kind.finalizer],
    fieldManagers: kind.fieldManagers,
    references: (object) => kind.references(object),
    children: (object) => kind.children(object),
    standing(object, isNow = isAvailable(object)) {
      const id = externalIdOf(object);
      // Without its id others could not build on it.
      return { ready: isNow && id !== undefined, id, attributes: kind.published(object) };
    },
    life: externalResourceLife({
      view: (object, now) => viewOf(kind, object, { now, defaultResyncMs }),
      status(standing, object, now) {
        const awaited = kind.awaits === 'first' ? standing.awaited.slice(0, 1) : standing.awaited;
        const { id: _, ...stored } = object.status ?? {};
        const status = statusOf({ ...standing, awaited }, object, now, defaultResyncMs);
        return { manager: kind.fieldManagers.status, status, stored };
      },
      recorded: (object) => (isManaged(object) ? externalIdOf(object) : undefined),
      mayHaveBegun: (object) => isManaged(object) && isOwned(kind, object) && externalIdOf(object) === undefined,
      watches: true,
      advise: kind.advise,
      ...(kind.unheeded !== undefined && { unheeded: kind.unheeded }),
      ambiguity: 'found more than one matching OpenStack resource during adoption',
    }),
    operations: OPERATIONS,
  };
}

/** What the life of an object decides by (openstack-common, chapters 3, 8 and 9). */
export function viewOf(
  { finalizer }: Pick<OpenStackKind, 'finalizer'>,
  object: KubeObject,
  { now, defaultResyncMs }: DeclaredKindOptions & { readonly now: number },
): ResourceView {
  const { metadata, spec } = object;
  const finalizers = metadata.finalizers ?? [];
  const options = spec?.['managedOptions'] as { readonly onDelete?: unknown } | undefined;
  const managed = isManaged(object);
  const deleting = metadata.deletionTimestamp !== undefined;
  const { settled, failed, resyncInMs } = settledOf(object, now, defaultResyncMs);
  const available = isAvailable(object);
  const resync = resyncOf(object, defaultResyncMs);
  const externalId = externalIdOf(object);
  // Without its id others would wait for it for ever.
  const isSettled = settled && (failed || externalId !== undefined);
  return {
    uid: metadata.uid,
    generation: metadata.generation ?? 0,
    deleting,
    // They are looked at only when it is to go.
    finalizers: deleting ? finalizers : [],
    finalizer,
    owned: isOwned({ finalizer }, object),
    externalId,
    managed,
    detached: !managed || options?.onDelete === 'detach',
    settled: !isSettled ? 'no' : failed ? 'failed' : available ? 'available' : 'unavailable',
    available,
    resyncInMs,
    resyncEveryMs: resync.kind === 'every' ? resync.periodMs : undefined,
  };
}

function isManaged({ spec }: KubeObject): boolean {
  return spec?.['managementPolicy'] !== 'unmanaged';
}

function isOwned({ finalizer }: Pick<OpenStackKind, 'finalizer'>, { metadata }: KubeObject): boolean {
  return metadata.finalizers?.includes(finalizer) === true;
}
