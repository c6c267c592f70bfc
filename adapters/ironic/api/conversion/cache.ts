// Annotation of a v1beta1 object that keeps the v1alpha1 object it was converted from, without its metadata. The
// conversion back takes from it the fields that v1beta1 lacks, and nothing else.
//
// Invariants:
//   IRONIC-CACHE-1. The same object always gives the same text, so that an object converted back and forth is not
//       rewritten.
//   IRONIC-CACHE-2. No annotation is worth an object that cannot be read: what would make the annotations too large is left out, and
//       what is no v1alpha1 object of the kind, for whatever reason, counts as not there.

import { isMap, type JsonMap } from '../../json-values.ts';
import { parsedMap } from './json-text.ts';
import { changedAt, isAbsent, sortedJson, valueAt, without } from './paths.ts';
import { HARDWARE } from './rules/hardware-details.ts';
import { fitToShape, HARDWARE_DETAILS } from './shapes.ts';
import { V1ALPHA1 } from './versions.ts';

/** The annotation. */
export const CONVERSION_DATA = 'cluster.x-k8s.io/conversion-data';

/** Size of the annotation's value, in bytes, above which hardware details are left out: HardwareData has them too. */
const MAX_WITH_HARDWARE_BYTES = 200 * 1024;
/** Limit of the API server for all annotations of an object together, in bytes of keys and values. */
const MAX_ANNOTATIONS_BYTES = 256 * 1024;

const ANNOTATION = ['annotations', CONVERSION_DATA] as const;

/** Metadata that also keep the v1alpha1 object, in the place of whatever the annotation said before. */
export function withCache(metadata: unknown, source: JsonMap): JsonMap {
  const own = isMap(metadata) ? metadata : {};
  const annotations = isMap(own['annotations']) ? without(own['annotations'], CONVERSION_DATA) : {};
  const taken = Object.entries(annotations).reduce((sum, [key, value]) => sum + bytesOf(key) + bytesOf(value), 0);
  const room = MAX_ANNOTATIONS_BYTES - taken - bytesOf(CONVERSION_DATA);
  const text = fittingText(source, room);
  return text === undefined
    ? (withoutCache(own) as JsonMap)
    : { ...own, annotations: { ...annotations, [CONVERSION_DATA]: text } };
}

/** Metadata without the kept object. An annotations map that becomes empty is removed too. */
export function withoutCache(metadata: unknown): unknown {
  if (valueAt(metadata, ANNOTATION) === undefined) return metadata;
  const bare = changedAt(metadata, ANNOTATION, () => undefined);
  const isEmpty = Object.keys(valueAt(bare, ['annotations']) as JsonMap).length === 0;
  return isEmpty ? changedAt(bare, ['annotations'], () => undefined) : bare;
}

/** The v1alpha1 object that is kept with a v1beta1 object; undefined: none, or none that makes sense (IRONIC-CACHE-2). */
export function cachedObject({ kind, metadata }: JsonMap): JsonMap | undefined {
  const cached = parsedMap(valueAt(metadata, ANNOTATION));
  if (cached === undefined || cached['apiVersion'] !== V1ALPHA1 || cached['kind'] !== kind) return undefined;
  const { spec, status } = cached;
  if ([spec, status].some((part) => !isAbsent(part) && !isMap(part))) return undefined;
  const profiles = [valueAt(spec, ['hardwareProfile']), valueAt(status, ['hardwareProfile'])];
  if (profiles.some((profile) => !isAbsent(profile) && typeof profile !== 'string')) return undefined;
  const details = valueAt(cached, HARDWARE);
  return isAbsent(details) || fitToShape(details, HARDWARE_DETAILS).wrong.length === 0 ? cached : undefined;
}

/** The object without what it found in the host. */
export const withoutHardware = (object: JsonMap): JsonMap => changedAt(object, HARDWARE, () => undefined);

/** Text that is kept of an object. */
export const cacheText = (object: JsonMap): string => sortedJson(without(object, 'metadata'));

/** @param room  how many bytes it may have; undefined: it does not fit without the hardware either */
function fittingText(source: JsonMap, room: number): string | undefined {
  const whole = cacheText(source);
  if (bytesOf(whole) <= Math.min(room, MAX_WITH_HARDWARE_BYTES)) return whole;
  const lean = cacheText(withoutHardware(source));
  return bytesOf(lean) <= room ? lean : undefined;
}

const bytesOf = (text: unknown): number => Buffer.byteLength(String(text));
