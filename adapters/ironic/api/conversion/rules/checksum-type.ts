// IRONIC-RAID-3: an image whose checksum has no type. Each version means another one then, so that the meaning of the version that
// an object comes from is written down for the one that it goes to: `md5` one way, `auto` the other.
import { isMap, type JsonMap } from '../../../json-values.ts';
import { changedAt, type Path, restoredAt, valueAt } from '../paths.ts';
import type { Rule } from './rule.ts';

/** As many hexadecimal digits as only SHA-256 and SHA-512 have. */
const NO_MD5 = /^(?:[0-9a-f]{64}|[0-9a-f]{128})$/i;

const TYPE = 'checksumType';
/** Default of the schema of v1beta1. */
const DEFAULT = 'auto';

/** @param images  where the kind has images */
export function checksumTypes(images: readonly Path[]): Rule {
  return {
    toV1beta1(object, source) {
      return images.reduce((result, path) => {
        const type = writtenType(valueAt(source, path));
        return type === undefined ? result : changedAt(result, [...path, TYPE], () => type);
      }, object);
    },
    toV1alpha1(object, old) {
      return images.reduce((result, path) => {
        const image = valueAt(object, path);
        if (!isMap(image)) return result;
        const former = valueAt(old, path);
        if (old !== undefined && isAsWritten(image, former)) return restoredAt(result, [...path, TYPE], old);
        return isUntyped(image) ? changedAt(result, [...path, TYPE], () => 'auto') : result;
      }, object);
    },
  };
}

/**
 * Whether the type is the one that was written for the image as it was, and the image is still the same. For one without a
 * checksum nothing is written, but the schema of v1beta1 has a default.
 */
function isAsWritten(image: JsonMap, former: unknown): boolean {
  if (!isMap(former) || isTyped(former)) return false;
  return (
    image[TYPE] === (writtenType(former) ?? DEFAULT) &&
    image['url'] === former['url'] &&
    image['checksum'] === former['checksum']
  );
}

/** The type that is written for an image of v1alpha1; undefined: it has one, or needs none. */
function writtenType(image: unknown): 'md5' | 'auto' | undefined {
  if (!isMap(image) || !isUntyped(image)) return undefined;
  return NO_MD5.test(String(image['checksum'])) ? 'auto' : 'md5';
}

function isUntyped(image: JsonMap): boolean {
  const { checksum } = image;
  return typeof checksum === 'string' && checksum !== '' && !isTyped(image);
}

const isTyped = ({ [TYPE]: type }: JsonMap): boolean => type !== undefined && type !== null && type !== '';
