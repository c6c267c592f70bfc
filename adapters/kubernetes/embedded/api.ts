// What the parts of the server share, and the shape of a request once its URL is understood.
import type { Clock } from '../../../bus/time.ts';
import type { Access } from './auth/rbac.ts';
import type { User } from './auth/user.ts';
import type { ObjectMeta } from './json.ts';
import type { Registry, Resource } from './kinds/resources.ts';
import type { Store } from './storage/store.ts';

export interface Api {
  readonly store: Store;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly access: Access;
  /** Aborted when the server closes. */
  readonly closing: AbortSignal;
}

/** A request for a resource. */
export interface ResourceRequest {
  readonly resource: Resource;
  /** Empty for cluster-scoped resources and for all namespaces. */
  readonly namespace: string;
  /** Empty for collections. */
  readonly name: string;
  /** `status`, `scale`, `finalize`, `token`, or empty. */
  readonly subresource: string;
  readonly query: URLSearchParams;
  readonly accept: string;
  readonly contentType: string;
  readonly userAgent: string;
  readonly body: Buffer;
  /** Who asks; that they may ask this was found already. */
  readonly user: User;
  /** Adds a `Warning` header to the answer. */
  warn(text: string): void;
}

/** An instant as the API writes it: RFC 3339 with whole seconds. */
export function timeText(atMs: number): string {
  const second = Math.floor(atMs / 1_000);
  if (second !== lastSecond.second) lastSecond = { second, text: `${new Date(atMs).toISOString().slice(0, 19)}Z` };
  return lastSecond.text;
}

/** Many writes are of one second. */
let lastSecond = { second: Number.NaN, text: '' };

/** A random UUID of version 4, from the clock's source. */
export function randomUid(clock: Clock): string {
  const bytes = Array.from({ length: 16 }, () => Math.floor(clock.random() * 256));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** The characters of generated names: no vowels, no digits that look like letters. */
const SUFFIX_CHARACTERS = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const MAX_PREFIX_LENGTH = 63 - SUFFIX_LENGTH;

export function generatedName(clock: Clock, prefix: string): string {
  const pick = (): string => SUFFIX_CHARACTERS[Math.floor(clock.random() * SUFFIX_CHARACTERS.length)] ?? 'b';
  return prefix.slice(0, MAX_PREFIX_LENGTH) + Array.from({ length: SUFFIX_LENGTH }, pick).join('');
}

/** Gives a new object what the server decides: identity and time of birth. */
export function fillSystemFields(api: Api, metadata: ObjectMeta): void {
  metadata.uid = randomUid(api.clock);
  metadata.creationTimestamp = timeText(api.clock.now());
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.resourceVersion;
  delete metadata['selfLink'];
}
