// Kind of this adapter for the runtime: an external resource with a status by its contract.

import { isAnnotatedDetached, ON_DELETE_ANNOTATION } from '../../../machines/annotations.ts';
import type { ResourceView } from '../../../machines/external-resource/context.ts';
import { type ExternalResourceOptions, externalResourceLife } from '../../../machines/external-resource/lifecycle.ts';
import type { ResourceOperations } from '../../../machines/external-resource/operations.ts';
import type { Child, Kind } from '../../../machines/kind.ts';
import type { StatusPart } from '../../../machines/lifecycle.ts';
import type { JsonObject, KubeObject } from '../../../machines/object.ts';
import type { DeclaredKind } from '../../api/adapter.ts';
import { isJsonObject } from '../base/fields.ts';
import { DRIFT_ANNOTATION, Drift, driftOf, resyncOf } from '../base/object-options.ts';
import { appliedOf, isAvailable, settledOf, statusOf } from '../status/conditions.ts';
import { GROUP, REALM, VERSION } from './common-contract.ts';
import { guardsOf } from './references.ts';
import type { ContentStatus, OpenStackKind, OperationsDeps } from './table.ts';

export interface DeclaredKindOptions {
  /** Resync period of objects that do not say, in milliseconds; 0 for never. */
  readonly defaultResyncMs: number;
  /** Handling of drift for objects that do not specify it; repaired by default. */
  readonly drift?: Drift;
}

/** Kind whose objects represent resources of a cloud. */
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
  { defaultResyncMs, drift, ...deps }: DeclaredKindOptions & OperationsDeps,
): ManagedKind {
  const options = { defaultResyncMs, ...(drift !== undefined && { drift }) };
  return { ...declaredKind(kind, options), operations: kind.operations(deps) };
}

/** The kind as data. */
export function declaredKind(kind: OpenStackKind, options: DeclaredKindOptions): DeclaredKind {
  const { telling } = kind;
  const { defaultResyncMs } = options;
  return {
    realm: REALM,
    group: GROUP,
    version: VERSION,
    kind: kind.kind,
    plural: kind.plural,
    finalizer: kind.finalizer,
    // mutant: trunk-port-held : -> [$1.finalizer]
    guards: guardsOf(kind),
    fieldManagers: kind.fieldManagers,
    retains: { annotations: [DRIFT_ANNOTATION, ON_DELETE_ANNOTATION] },
    // The life alone does.
    readsRetained: false,
    ...((kind.recorded ?? []).length > 0 && { readsStatus: true }),
    references: kind.references,
    children: kind.children ?? childless,
    publicState(object, isNow = isAvailable(object)) {
      const id = kind.externalId(object);
      // Without its id others could not build on it.
      return { ready: isNow && id !== undefined, id, attributes: kind.published?.(object) ?? traceOf(object, id) };
    },
    life: externalResourceLife({
      view: (object, now) => viewOf(kind, object, { ...options, now }),
      status(standing, object, now) {
        const awaited = kind.awaits === 'first' ? standing.awaited.slice(0, 1) : standing.awaited;
        const own = withoutRecorded(kind, telling === undefined ? object : withoutSaid(object, telling));
        const { id: _, ...stored } = own.status ?? {};
        const { resource, ...status } = statusOf({ ...standing, awaited }, own, now, defaultResyncMs, {
          isNamed: kind.isNamed === true,
        });
        // An identity is recorded as such, rather than with the other fields.
        const reported = kind.recording === undefined ? resource : stored['resource'];
        return {
          manager: kind.fieldManagers.status,
          status: reported === undefined ? status : { ...status, resource: reported },
          stored,
        };
      },
      ...(telling !== undefined && toldBy(kind, telling)),
      recorded: (object) => (isManaged(object) ? kind.externalId(object) : undefined),
      externalId: kind.externalId,
      ...(kind.recording !== undefined && {
        recording: (object, id) => ({
          manager: kind.fieldManagers.status,
          status: kind.recording?.(object, id) ?? {},
        }),
      }),
      mayHaveUnrecordedCreate: (object) =>
        isManaged(object) && isOwned(kind, object) && kind.externalId(object) === undefined,
      watches: true,
      ...(kind.shares === true && { shares: true }),
      hintFor: kind.hintFor,
      ...(kind.unappliedFields !== undefined && { unappliedFields: kind.unappliedFields }),
      ...(kind.isReflected !== undefined && { isReflected: kind.isReflected }),
      ...(kind.isContradicted !== undefined && { isContradicted: kind.isContradicted }),
      ...(kind.intent !== undefined && { intent: kind.intent }),
      ...(kind.isBuiltOnReplaced !== undefined && { isBuiltOnReplaced: kind.isBuiltOnReplaced }),
      ambiguity: 'found more than one matching OpenStack resource during adoption',
    }),
    operations: telling === undefined ? OPERATIONS : [...OPERATIONS, 'delegate', 'fill'],
  };
}

function childless(): readonly Child[] {
  return [];
}

/** Status of a content transfer, for the lifecycle. */
function toldBy(
  { fieldManagers }: OpenStackKind,
  telling: ContentStatus,
): Pick<ExternalResourceOptions, 'announced' | 'beside'> {
  const manager = `${fieldManagers.guards}/${telling.manager}`;
  const part = (object: KubeObject, status: JsonObject): StatusPart => ({
    manager,
    status,
    stored: telling.stored(object),
  });
  return {
    announced: (object, step, now) => part(object, telling.announced(object, step, now)),
    beside: (standing, object, now) => [part(object, telling.status(standing, object, now))],
  };
}

/** The object as far as its status is the kind's own to say. */
function withoutSaid(object: KubeObject, telling: ContentStatus): KubeObject {
  const { conditions: said = [], ...fields } = telling.stored(object);
  const types = new Set((said as readonly JsonObject[]).map(({ type }) => type));
  const { conditions, ...status } = object.status ?? {};
  const others = (conditions as readonly JsonObject[] | undefined)?.filter(({ type }) => !types.has(type));
  return {
    ...object,
    status: {
      ...Object.fromEntries(Object.entries(status).filter(([name]) => !(name in fields))),
      ...(others !== undefined && others.length > 0 && { conditions: others }),
    },
  };
}

/** The object without what another hand than that of the status states in it. */
function withoutRecorded({ recorded = [] }: OpenStackKind, object: KubeObject): KubeObject {
  const { resource, ...status } = object.status ?? {};
  if (recorded.length === 0 || !isJsonObject(resource)) return object;
  const own = Object.entries(resource).filter(([name]) => !recorded.includes(name));
  return { ...object, status: { ...status, ...(own.length > 0 && { resource: Object.fromEntries(own) }) } };
}

/** Input of an object's lifecycle. */
export function viewOf(
  {
    finalizer,
    externalId: storedIn,
    shares,
    refusal: refusalOf,
  }: Pick<OpenStackKind, 'finalizer' | 'externalId' | 'shares' | 'refusal'>,
  object: KubeObject,
  { now, defaultResyncMs, drift = Drift.Repair }: DeclaredKindOptions & { readonly now: number },
): ResourceView {
  const { metadata, spec } = object;
  const finalizers = metadata.finalizers ?? [];
  const options = spec?.['managedOptions'] as { readonly onDelete?: unknown } | undefined;
  const managed = isManaged(object);
  const deleting = metadata.deletionTimestamp !== undefined;
  const { settled, failed, resyncInMs } = settledOf(object, now, defaultResyncMs);
  const available = isAvailable(object);
  const resync = resyncOf(object, defaultResyncMs);
  const externalId = storedIn(object);
  const owned = isOwned({ finalizer }, object);
  const refusal = managed && !owned ? refusalOf?.(object) : undefined;
  // Without its id others would wait for it for ever.
  const isSettled = settled && (failed || externalId !== undefined);
  return {
    uid: metadata.uid,
    generation: metadata.generation ?? 0,
    deleting,
    // They are looked at only when it is to go.
    finalizers: deleting ? finalizers : [],
    finalizer,
    owned,
    externalId,
    managed,
    ...(shares === true && { shares }),
    detached: !managed || (options?.onDelete ?? (isAnnotatedDetached(object) ? 'detach' : 'delete')) === 'detach',
    settled: !isSettled ? 'no' : failed ? 'failed' : available ? 'available' : 'unavailable',
    available,
    resyncInMs,
    ...(refusal !== undefined && { refusal }),
    resyncEveryMs: resync.kind === 'every' ? resync.periodMs : undefined,
    ...(driftOf(object, drift) === Drift.Report && { reporting: { applied: appliedOf(object) } }),
  };
}

function isManaged({ spec }: KubeObject): boolean {
  return spec?.['managementPolicy'] !== 'unmanaged';
}

function isOwned({ finalizer }: Pick<OpenStackKind, 'finalizer'>, { metadata }: KubeObject): boolean {
  return metadata.finalizers?.includes(finalizer) === true;
}

/** An object whose `status.id` was lost still counts as created, so dependents keep their claims. */
function traceOf({ status }: KubeObject, id: string | undefined): JsonObject | undefined {
  return id === undefined && status?.['resource'] !== undefined ? {} : undefined;
}
