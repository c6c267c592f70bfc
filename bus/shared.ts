// One copy of what is mentioned again and again. Of tens of thousands of objects each is mentioned by its own actor, by
// whoever refers to it, in mail both ways and in what was published: those copies would be a third of what an object at
// rest takes.
import type { Address } from './subjects.ts';

/** Nobody is kept alive by being known here. */
const ADDRESSES = new Map<string, WeakRef<Address>>();
const KEYS = new WeakMap<Address, string>();
/** Entries of the dead are taken out when there are so many. */
let sweepAt = 1_024;

/** The key of an address that is shared. */
export function keyOfShared(address: Address): string | undefined {
  return KEYS.get(address);
}

/** The shared address with this key; `parse` tells its parts if nobody has mentioned it yet, or that there is none. */
export function sharedByKey(key: string, parse: (key: string) => Address | undefined): Address | undefined {
  const known = ADDRESSES.get(key)?.deref();
  if (known !== undefined) return known;
  const parts = parse(key);
  if (parts === undefined) return undefined;
  const { realm, plural, namespace, name } = parts;
  const address = {
    realm: sharedText(realm),
    plural: sharedText(plural),
    namespace: sharedText(namespace),
    name,
  };
  if (ADDRESSES.size >= sweepAt) sweep();
  ADDRESSES.set(key, new WeakRef(address));
  KEYS.set(address, key);
  return address;
}

function sweep(): void {
  for (const [key, address] of ADDRESSES) if (address.deref() === undefined) ADDRESSES.delete(key);
  sweepAt = Math.max(1_024, ADDRESSES.size * 2);
}

const TEXTS = new Map<string, string>();
const TEXTS_LIMIT = 10_000;

/** The same text, for what has few values: namespaces, finalizers, field managers. */
export function sharedText(text: string): string {
  const known = TEXTS.get(text);
  if (known !== undefined) return known;
  if (TEXTS.size < TEXTS_LIMIT) TEXTS.set(text, text);
  return text;
}
