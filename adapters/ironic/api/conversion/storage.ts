// Hardware details of a host are stored in HardwareData: decides from the objects what has to be created or changed.
// alone.
//
// Invariants:
//   IRONIC-STORAGE-1. A host with details of its hardware has a HardwareData object of its name, held by a finalizer and owned by the
//       host, until the host is deleted. What an inspection has just found is newer than whatever is there; apart from
//       that HardwareData is right, whatever the host says.
//   IRONIC-STORAGE-2. Nothing is created for a host that is being deleted, and nothing holds its HardwareData any more.

import { isMap, type JsonMap } from '../../json-values.ts';
import { CONVERSION_DATA, cachedObject, cacheText, withoutHardware } from './cache.ts';
import { parsedMap } from './json-text.ts';
import { isSame, valueAt } from './paths.ts';
import { restoredStatus } from './restored-status.ts';
import { HARDWARE } from './rules/hardware-details.ts';
import { fitToShape, HARDWARE_DETAILS } from './shapes.ts';
import { BARE_METAL_HOST, groupOf, V1BETA1 } from './versions.ts';

const FINALIZER = 'baremetalhost.metal3.io/hardwareData';
const STATUS_ANNOTATION = 'baremetalhost.metal3.io/status';
const DETAILS_ANNOTATION = 'inspect.metal3.io/hardwaredetails';

export type HardwareDataChange =
  | { readonly kind: 'none' }
  /** There is none: `object` is to be made. */
  | { readonly kind: 'create'; readonly object: JsonMap }
  /** The one that is there becomes `object`, if its `resourceVersion` still is the newest. */
  | { readonly kind: 'update'; readonly object: JsonMap }
  /** The one that is there loses its finalizer and is deleted, and `object` is made instead. */
  | { readonly kind: 'replace'; readonly object: JsonMap };

const NONE: HardwareDataChange = { kind: 'none' };

/**
 * Changes that the HardwareData of a host needs.
 *
 * @param host  the BareMetalHost, in either version
 * @param existing  the HardwareData of its name; undefined: there is none
 * @param inspected  what an inspection of the host has just found; undefined: none has ended
 */
export function hardwareDataFor(
  host: JsonMap,
  existing: JsonMap | undefined,
  inspected?: JsonMap | undefined,
): HardwareDataChange {
  if (isBeingDeleted(host)) return existing === undefined ? NONE : released(existing);
  const known = inspected ?? knownDetails(host);
  if (existing === undefined) return known === undefined ? NONE : { kind: 'create', object: made(host, known) };
  if (inspected !== undefined) return { kind: 'replace', object: made(host, inspected) };
  return kept(host, existing, known);
}

/**
 * The annotations of a host after a new inspection. The v1alpha1 object that v1beta1 keeps would still show the earlier
 * hardware, so that part is removed.
 *
 * @param host  the BareMetalHost, in either version
 * @returns all annotations; undefined: they stay as they are
 */
export function annotationsAfterInspection(host: JsonMap): JsonMap | undefined {
  const cached = host['apiVersion'] === V1BETA1 ? cachedObject(host) : undefined;
  if (cached === undefined || valueAt(cached, HARDWARE) === undefined) return undefined;
  const annotations = valueAt(host, ['metadata', 'annotations']) as JsonMap;
  return { ...annotations, [CONVERSION_DATA]: cacheText(withoutHardware(cached)) };
}

/** The HardwareData that is there, held, owned, and filled if it is empty. */
function kept(host: JsonMap, existing: JsonMap, known: JsonMap | undefined): HardwareDataChange {
  const details = filledMap(valueAt(existing, ['spec', 'hardware'])) ?? known;
  // A finalizer cannot be added to an object that is being deleted; without details no HardwareData is needed.
  if (details === undefined || isBeingDeleted(existing)) return NONE;
  const metadata = isMap(existing['metadata']) ? existing['metadata'] : {};
  const finalizers = listOf(metadata['finalizers']);
  const held = {
    ...metadata,
    finalizers: finalizers.includes(FINALIZER) ? finalizers : [...finalizers, FINALIZER],
    ownerReferences: withOwner(listOf(metadata['ownerReferences']), host),
  };
  const spec = isMap(existing['spec']) ? existing['spec'] : {};
  const object = { ...existing, metadata: held, spec: { ...spec, hardware: details } };
  return isSame(object, existing) ? NONE : { kind: 'update', object };
}

function released(existing: JsonMap): HardwareDataChange {
  const metadata = isMap(existing['metadata']) ? existing['metadata'] : {};
  const finalizers = listOf(metadata['finalizers']);
  if (!finalizers.includes(FINALIZER)) return NONE;
  const others = finalizers.filter((finalizer) => finalizer !== FINALIZER);
  return { kind: 'update', object: { ...existing, metadata: { ...metadata, finalizers: others } } };
}

function made(host: JsonMap, hardware: JsonMap): JsonMap {
  return {
    apiVersion: host['apiVersion'],
    kind: 'HardwareData',
    metadata: {
      name: valueAt(host, ['metadata', 'name']),
      namespace: valueAt(host, ['metadata', 'namespace']),
      finalizers: [FINALIZER],
      ownerReferences: [ownerReference(host)],
    },
    spec: { hardware },
  };
}

function ownerReference(host: JsonMap): JsonMap {
  return {
    apiVersion: host['apiVersion'],
    kind: BARE_METAL_HOST,
    name: valueAt(host, ['metadata', 'name']),
    uid: valueAt(host, ['metadata', 'uid']),
    controller: true,
    blockOwnerDeletion: true,
  };
}

/**
 * The owners with the host among them. A reference to an earlier host of the name is removed, or the object would be
 * garbage collected with that host. An existing controller reference stays, since there can be only one.
 */
function withOwner(owners: readonly unknown[], host: JsonMap): readonly unknown[] {
  const own = ownerReference(host);
  const isHost = (owner: unknown): boolean =>
    groupOf(String(valueAt(owner, ['apiVersion']))) === groupOf(String(own['apiVersion'])) &&
    valueAt(owner, ['kind']) === own['kind'] &&
    valueAt(owner, ['name']) === own['name'];
  const others = owners.filter((owner) => !isHost(owner));
  const isTaken = others.some((owner) => valueAt(owner, ['controller']) === true);
  // The version that a reference was written with is as good as any other.
  const present = owners.find((owner) => isHost(owner) && valueAt(owner, ['uid']) === own['uid']);
  const wanted = { ...own, ...(isMap(present) && present), controller: !isTaken };
  return owners.some((owner) => isSame(owner, wanted)) && others.length === owners.length - 1
    ? owners
    : [...others, wanted];
}

/**
 * Hardware details in the host itself. Details of the annotation take precedence over recorded ones where inspection is
 * disabled.
 */
function knownDetails(host: JsonMap): JsonMap | undefined {
  const recorded = (): JsonMap | undefined => recordedDetails(host) ?? restoredDetails(host);
  const sources = isInspected(host) ? [recorded, annotatedDetails] : [annotatedDetails, recorded];
  return sources.reduce<JsonMap | undefined>((details, source) => details ?? source(host), undefined);
}

function isInspected(host: JsonMap): boolean {
  const isDisabled =
    valueAt(host, ['spec', 'inspectionMode']) === 'disabled' || annotationOf(host, 'inspect.metal3.io') === 'disabled';
  return !isDisabled;
}

/** A v1beta1 host has no place for them but what is kept of the v1alpha1 host that it was. */
function recordedDetails(host: JsonMap): JsonMap | undefined {
  return filledMap(valueAt(host, HARDWARE)) ?? filledMap(valueAt(cachedObject(host), HARDWARE));
}

/** Annotations with unknown fields are ignored: they are not what they should be. */
function annotatedDetails(host: JsonMap): JsonMap | undefined {
  const parsed = parsedMap(annotationOf(host, DETAILS_ANNOTATION));
  const { value, unknown, wrong } = fitToShape(parsed, HARDWARE_DETAILS);
  return unknown.length + wrong.length === 0 ? filledMap(value) : undefined;
}

/** The annotation counts for a host without a status only. */
function restoredDetails(host: JsonMap): JsonMap | undefined {
  if (valueAt(host, ['status', 'lastUpdated'])) return undefined;
  const text = annotationOf(host, STATUS_ANNOTATION);
  const restored = text === undefined ? undefined : restoredStatus(text);
  return restored?.kind === 'done' ? filledMap(restored.hardware) : undefined;
}

function annotationOf(host: JsonMap, key: string): string | undefined {
  const text = valueAt(host, ['metadata', 'annotations', key]);
  return typeof text === 'string' ? text : undefined;
}

const filledMap = (value: unknown): JsonMap | undefined =>
  isMap(value) && Object.keys(value).length > 0 ? value : undefined;

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function isBeingDeleted(object: JsonMap): boolean {
  return typeof valueAt(object, ['metadata', 'deletionTimestamp']) === 'string';
}
