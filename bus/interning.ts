// Interning of repeated values. Each of tens of thousands of objects occurs in its own actor, in its dependents, in
// messages both ways and in publications: copies would be a third of an idle object's memory.
//
// Savings of heap per idle object (`npm run bench -- idle --count 3000` with and without it, one run each, which differ
// by 0.2 KB): addresses 1.5 KB, texts 1.1 KB, uids 0.1 to 0.3 KB.
import type { Address } from './address.ts';
import type { Json } from './json.ts';

/** Weak references: interning keeps no object alive. */
const ADDRESSES = new Map<string, WeakRef<Address>>();
const KEYS = new WeakMap<Address, string>();
/** Number of entries at which dead ones are removed. */
let sweepAt = 1_024;

/** The key of an address that is shared. */
export function keyOfShared(address: Address): string | undefined {
  return KEYS.get(address);
}

/** Interned address with this key; `parse` returns its parts if it is new, or that there is none. */
export function sharedByKey(key: string, parse: (key: string) => Address | undefined): Address | undefined {
  const known = ADDRESSES.get(key)?.deref();
  if (known !== undefined) return known;
  const parts = parse(key);
  if (parts === undefined) return undefined;
  const { realm, plural, namespace, name } = parts;
  const address = {
    realm: internText(realm),
    plural: internText(plural),
    namespace: internText(namespace),
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

/** Two generations of recently used values: unused ones are dropped. */
export class Lately<Value> {
  #recent = new Map<string, Value>();
  #before: ReadonlyMap<string, Value> = new Map();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: string): Value | undefined {
    const known = this.#recent.get(key);
    if (known !== undefined) return known;
    const older = this.#before.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  set(key: string, value: Value): void {
    if (this.#recent.size >= this.#limit) {
      this.#before = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(key, value);
  }
}

const TEXTS = new Lately<string>(4_096);

/** The same text, for what many mention: namespaces, finalizers, field managers, messages. */
export function internText(text: string): string {
  const known = TEXTS.get(text);
  if (known !== undefined) return known;
  TEXTS.set(text, text);
  return text;
}

/** Fields whose values are unique to an object. */
const OWN: ReadonlySet<string> = new Set(['id', 'name', 'uid', 'resourceVersion']);

const LISTS = new Lately<readonly string[]>(512);

/** The same list of texts, for what has few values: the finalizers of a kind, and those that its claims ask for. */
export function internList(list: readonly string[]): readonly string[] {
  const key = JSON.stringify(list);
  const known = LISTS.get(key);
  if (known !== undefined) return known;
  const shared = Object.freeze(list.map(internText));
  LISTS.set(key, shared);
  return shared;
}

/** Shares the texts of a value, which is changed in place: to its readers nothing happens. Its names V8 shares itself. */
export function internTexts(value: Json): void {
  if (typeof value !== 'object' || value === null) return;
  const parts = value as Record<string, Json>;
  for (const name in parts) {
    const part = parts[name] as Json;
    if (typeof part === 'string') {
      if (!OWN.has(name)) parts[name] = internText(part);
    } else if (isTexts(part)) parts[name] = internList(part);
    else internTexts(part);
  }
}

function isTexts(value: Json): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

/** Uids by address object, while that is in use. */
const UIDS = new WeakMap<Address, string>();

/** Interned uid of the object at `address`, which all messages to and from it contain. */
export function internUid(address: Address, uid: string): string {
  const known = UIDS.get(address);
  if (known === uid) return known;
  UIDS.set(address, uid);
  return uid;
}
