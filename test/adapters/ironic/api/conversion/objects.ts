// Objects as tests write them down: spec and status, and the rest around them.
import { CONVERSION_DATA } from '../../../../../adapters/ironic/api/conversion/cache.ts';
import { convertObject } from '../../../../../adapters/ironic/api/conversion/convert.ts';
import type { JsonMap } from '../../../../../adapters/ironic/json-values.ts';
import type { Tree } from './fields.ts';

export const V1ALPHA1 = 'metal3.io/v1alpha1';
export const V1BETA1 = 'metal3.io/v1beta1';

export const metadata = { name: 'node-0', namespace: 'metal3', uid: '7d0b' };

export const alpha = (body: JsonMap): JsonMap => ({ apiVersion: V1ALPHA1, kind: 'BareMetalHost', metadata, ...body });
export const beta = (body: JsonMap): JsonMap => ({ apiVersion: V1BETA1, kind: 'BareMetalHost', metadata, ...body });

/** The object in the version. */
export function converted(object: JsonMap, apiVersion: string): Tree {
  const conversion = convertObject(object, apiVersion);
  if (conversion.kind === 'failed') throw new Error(conversion.error.message);
  return conversion.object as Tree;
}

export const toBeta = (object: JsonMap): Tree => converted(object, V1BETA1);
export const toAlpha = (object: JsonMap): Tree => converted(object, V1ALPHA1);

export const copyOf = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;

/** What is kept with a v1beta1 object, as text. */
export function cacheOf(object: JsonMap): string | undefined {
  const { annotations } = object['metadata'] as { readonly annotations?: Readonly<Record<string, string>> };
  return annotations?.[CONVERSION_DATA];
}

/** The object with something else as the kept one; undefined: with none. */
export function withCacheText(object: JsonMap, text: string | undefined): Tree {
  const copy = copyOf(object) as { metadata: { annotations?: Record<string, string> } };
  const { [CONVERSION_DATA]: _, ...others } = copy.metadata.annotations ?? {};
  copy.metadata.annotations = text === undefined ? others : { ...others, [CONVERSION_DATA]: text };
  return copy as unknown as Tree;
}
