// A kind whose objects each have one external resource, from its contract: all that adapters would write again for it.
import type { JsonObject } from '../../../bus/json.ts';
import type { ResourceView } from '../../../machines/external-resource/context.ts';
import { externalResourceLife } from '../../../machines/external-resource/lifecycle.ts';
import type { ResourceOperations } from '../../../machines/external-resource/operations.ts';
import type { RetainedMetadata } from '../../../machines/kind.ts';
import type { KubeObject } from '../../../machines/object.ts';
import type { DeclaredKind } from '../adapter.ts';
import type { Schema } from '../contract/contract.ts';
import type { KindContract } from '../contract/crds.ts';
import { isAvailable, isSettled, standardConditions } from './conditions.ts';
import { referencesOf } from './references.ts';

/** Options of `standardKind`. */
export interface StandardKindOptions {
  /** With the status of `standardStatus`. References are those that it declares by `ref` and `secretRef`. */
  readonly contract: KindContract;
  /** That of the adapter. */
  readonly realm: string;
  /** Period of comparing a settled object with its resource, in milliseconds; never by default. */
  readonly resyncMs?: number;
  /** Facts for dependents of an object, beside its id. No secret. */
  readonly attributes?: (object: KubeObject) => JsonObject;
  readonly retains?: RetainedMetadata;
}

/** Operations that every standard kind brings. */
export type StandardOperations = Pick<ResourceOperations, 'find' | 'create' | 'observe' | 'update' | 'remove'>;

const OPERATIONS = ['find', 'import', 'create', 'observe', 'update', 'remove'];

/**
 * The kind: its finalizer, references, conditions and life.
 *
 * @example const lamp = standardKind({ contract: lampContract, realm: 'lamps', resyncMs: 600_000 });
 */
export function standardKind({ contract, realm, resyncMs, attributes, retains }: StandardKindOptions): DeclaredKind {
  const { group, version, kind, plural } = contract;
  const name = kind.toLowerCase();
  const finalizer = `${group}/${name}`;
  const manager = `${realm}/${name}`;
  const isOwned = ({ metadata }: KubeObject): boolean => metadata.finalizers?.includes(finalizer) === true;
  const hasResource = contract.status.properties?.['resource'] !== undefined;
  const view = (object: KubeObject): ResourceView => {
    const { uid, generation = 0, deletionTimestamp, finalizers = [] } = object.metadata;
    const deleting = deletionTimestamp !== undefined;
    const externalId = idOf(object);
    const settled = isSettled(object) ?? 'no';
    return {
      uid,
      generation,
      deleting,
      finalizer,
      externalId,
      managed: true,
      detached: false,
      finalizers: deleting ? finalizers : [],
      owned: isOwned(object),
      // Without its id others would wait for it for ever.
      settled: settled !== 'failed' && externalId === undefined ? 'no' : settled,
      available: isAvailable(object),
      resyncInMs: undefined,
      resyncEveryMs: resyncMs,
    };
  };
  return {
    realm,
    group,
    version,
    kind,
    plural,
    finalizer,
    guards: guardsOf(contract.spec, finalizer),
    ...(retains !== undefined && { retains }),
    fieldManagers: { finalizer: `${manager}-finalizer`, guards: `${manager}-guards` },
    references: (object) => referencesOf(contract, finalizer, object),
    children: () => [],
    publicState: (object, isNow = isAvailable(object)) => ({
      ready: isNow && idOf(object) !== undefined,
      id: idOf(object),
      ...(attributes !== undefined && { attributes: attributes(object) }),
    }),
    life: externalResourceLife({
      view,
      status(standing, object, now) {
        const { id: _, ...stored } = object.status ?? {};
        const { conditions = stored['conditions'], resource = stored['resource'] } = {
          conditions: standardConditions(standing, object, now),
          resource: hasResource ? standing.observation?.resource : undefined,
        };
        const status = { ...(conditions !== undefined && { conditions }), ...(resource !== undefined && { resource }) };
        return { manager: `${manager}-status`, status: status as JsonObject, stored };
      },
      mayHaveUnrecordedCreate: (object) => isOwned(object) && idOf(object) === undefined,
      ambiguity: `several resources match this ${kind}`,
    }),
    operations: OPERATIONS,
  };
}

/** The operations as the runtime asks for them: a standard kind has no import. */
export function standardOperations(operations: StandardOperations): ResourceOperations {
  return { import: async () => undefined, ...operations };
}

/** All finalizers that its references put on others. */
function guardsOf(spec: Schema, finalizer: string): readonly string[] {
  const found = new Set<string>();
  const look = ({ reference, properties = {}, items, values }: Schema): void => {
    if (reference?.guarded === true) found.add(reference.finalizer ?? finalizer);
    for (const each of [...Object.values(properties), items, values]) if (each !== undefined) look(each);
  };
  look(spec);
  return found.size === 0 ? [finalizer] : [...found];
}

function idOf({ status }: KubeObject): string | undefined {
  const id = status?.['id'];
  return typeof id === 'string' && id !== '' ? id : undefined;
}
