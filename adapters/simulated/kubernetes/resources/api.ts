// Types that the parts of the server share: what it serves, and the shape of a request once its URL is understood.
import type { Clock } from '../../../../bus/time.ts';
import type { JsonMap } from '../../../text/json.ts';
import type { Access } from '../access/rbac.ts';
import type { User } from '../access/user.ts';
import type { FieldError } from '../base/field-error.ts';
import type { KubeObject, ObjectMeta } from '../base/kube-object.ts';
import type { Schema } from '../schemas/schema.ts';
import type { Store } from '../storage/store.ts';
import type { Versions } from './conversion.ts';

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
  /** `status`, `finalize`, `token`, or empty. */
  readonly subresource: string;
  readonly query: URLSearchParams;
  readonly accept: string;
  readonly contentType: string;
  readonly userAgent: string;
  readonly body: Buffer;
  /** The user; that they may ask this was found already. */
  readonly user: User;
  /** Adds a `Warning` header to the answer. */
  warn(text: string): void;
}

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** 0 is always shown, greater ones only in wide tables. */
  readonly priority: number;
  /** The cell of an object. `nowMs` is what ages are counted from. */
  readonly cell: (object: KubeObject, nowMs: number) => unknown;
}

/** Rules of a kind. */
export interface Strategy {
  /** Errors of a name. */
  nameProblems(name: string): string[];
  /** Whether a replacement may come without a resourceVersion. */
  readonly allowsUnconditionalUpdate: boolean;
  /** Whether a replacement of what is not there creates it. */
  readonly createsOnUpdate?: boolean;
  /** Whether the answer to a deletion is the object that was deleted, instead of a report. */
  readonly answersDeletionWithObject?: boolean;
  /** Added to an object that is asked to go: what must be done before it does. */
  readonly lastFinalizer?: string;
  /** Whether `metadata.generation` counts the versions of everything but metadata and status. */
  readonly hasGeneration: boolean;
  /** Fills in what the client could have said itself, and then owns; changes `next` in place. */
  complete(next: KubeObject, old: KubeObject | undefined): void;
  /** Fills in fields that the server decides and that have no owner; changes `next` in place. `old` is undefined on creation. */
  prepare(next: KubeObject, old: KubeObject | undefined, subresource: string): void;
  /** Refuses what this user must not make of the object; `next` is complete but not yet valid. @throws {ApiError} */
  admit?(api: Api, request: ResourceRequest, next: KubeObject, old: KubeObject | undefined): void;
  /** Errors of the object beyond `found`, the errors of its metadata. */
  validate(
    next: KubeObject,
    old: KubeObject | undefined,
    subresource: string,
    found: readonly FieldError[],
  ): FieldError[];
  /** Warnings for the client though the object is accepted. */
  warnings(next: KubeObject, old: KubeObject | undefined): string[];
  /** Whether an update is checked like a new object besides being checked as a change. */
  readonly checksWholeOnUpdate: boolean;
}

/** The action of a POST to a resource or to one of its subresources, where it does not store an object. */
export interface Action {
  /** The kind that is posted, and answered with. */
  readonly body: Resource;
  /** Whether the answer has the managed fields of the question. */
  readonly owned: boolean;
  /** The fields of the answer that differ from those of the question. @throws {ApiError} */
  run(api: Api, request: ResourceRequest, object: KubeObject): JsonMap;
}

export interface Resource {
  readonly group: string;
  readonly version: string;
  readonly apiVersion: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  /** Subresources by name: `status`, and `finalize` of namespaces. */
  readonly subresources: readonly string[];
  readonly builtin: boolean;
  /** Name of the collection in the store; versions of one resource share it. */
  readonly storeKey: string;
  /** The version that is stored, where that is another one. */
  readonly storageVersion?: string;
  readonly schema: Schema;
  /** The JSON of the schema, for OpenAPI. */
  readonly rawSchema: JsonMap;
  readonly columns: readonly Column[];
  /** Fields that fieldSelector may name, beyond metadata.name and metadata.namespace. */
  readonly selectable: Readonly<Record<string, (object: KubeObject) => string>>;
  readonly strategy: Strategy;
  /** Keyed by subresource; empty for the resource itself, which then has no objects. */
  readonly actions?: Readonly<Record<string, Action>>;
  /** Revision since which the schema holds; objects stored before may lack its defaults. */
  readonly since: number;
  /** A deprecation warning that accompanies every answer. */
  readonly warning: string | undefined;
  /** Between the stored form and the one of this version, where they differ in more than `apiVersion`. */
  readonly convert:
    | { fromStored(object: KubeObject): KubeObject; toStored(object: KubeObject): KubeObject }
    | undefined;
  /** For definitions with several versions. */
  readonly versions: Versions | undefined;
}

export interface Registry {
  find(group: string, version: string, plural: string): Resource | undefined;
  /** All resources, in the order they came. */
  all(): readonly Resource[];
  ofStoreKey(storeKey: string): readonly Resource[];
  /** Replaces what is served under a store key. */
  set(storeKey: string, resources: readonly Resource[]): void;
  remove(storeKey: string): void;
  /** Grows with every change: what was derived from the registry is stale then. */
  generation(): number;
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
