// The four functions of the metadata proposal that the certificate library's dependency injection wants to find on
// `Reflect`. Node has none of them.

type Key = string | symbol;

interface MetadataReflection {
  defineMetadata?: (key: unknown, value: unknown, target: object, property?: Key) => void;
  getOwnMetadata?: (key: unknown, target: object, property?: Key) => unknown;
  getMetadata?: (key: unknown, target: object, property?: Key) => unknown;
  hasMetadata?: (key: unknown, target: object, property?: Key) => boolean;
}

/** Installs what is missing; what somebody else installed stays. */
export function installReflection(): void {
  const reflect = Reflect as MetadataReflection;
  if (reflect.getMetadata !== undefined) return;
  const known = new WeakMap<object, Map<Key | undefined, Map<unknown, unknown>>>();
  const own = (key: unknown, target: object, property?: Key): unknown => known.get(target)?.get(property)?.get(key);
  const inherited = (key: unknown, target: object, property?: Key): unknown => {
    for (let at: object | null = target; at !== null; at = Object.getPrototypeOf(at) as object | null) {
      const found = own(key, at, property);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  reflect.defineMetadata = (key, value, target, property) => {
    const ofTarget = known.get(target) ?? new Map<Key | undefined, Map<unknown, unknown>>();
    known.set(target, ofTarget);
    const ofProperty = ofTarget.get(property) ?? new Map<unknown, unknown>();
    ofTarget.set(property, ofProperty.set(key, value));
  };
  reflect.getOwnMetadata = own;
  reflect.getMetadata = inherited;
  reflect.hasMetadata = (key, target, property) => inherited(key, target, property) !== undefined;
}
