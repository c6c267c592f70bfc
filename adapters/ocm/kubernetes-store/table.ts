// The table of one collection whose objects are Kubernetes objects.
//
// Invariants:
//   OCM-TABLE-1. Only the spec is written: the status is the owner's of the objects (OCM-STORE-4).
//   OCM-TABLE-2. Updates of one object are made one after another, each of the state that the API server has (OCM-STORE-3).
//   OCM-TABLE-3. Errors for a user are in terms of the model, never in those of Kubernetes.
//   OCM-TABLE-4. A write that may have had its effect is never answered as `unavailable`: clients repeat those.
import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { validTraceparent } from '../../../bus/mod.ts';
import { deletionAnnotations, requestAnnotations } from '../../../machines/annotations.ts';
import type { KubeObject } from '../../../machines/object.ts';
import type { Serial } from '../gateway/store/serial.ts';
import type {
  Address,
  Caller,
  ChangeListener,
  CreateRequest,
  Fault,
  Outcome,
  RemoveOutcome,
  RemoveRequest,
  StoredObject,
  Table,
  UpdateRequest,
  Value,
  WriteContext,
} from '../gateway/store/store.ts';
import { pathsOf, toProperties, toValue } from '../kinds/values.ts';
import { reasonOf } from './faults.ts';
import type { ChangeFeed, FeedChange } from './feed.ts';
import { addressOf, type BoundKind, type BoundPath, nameOf, outerOf } from './place.ts';
import type { DelegatedObjects, Refusal, Unavailable, User, WriteOptions, Written } from './port.ts';

/** Attempts at an update whose object changes meanwhile. */
const ATTEMPTS = 10;
const NAME = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

export interface TableDeps {
  readonly objects: DelegatedObjects;
  readonly path: BoundPath;
  /** Updates by object, of all tables. */
  readonly serial: Serial;
  /** The user for a caller; undefined: the account of this process. */
  readonly userOf: (caller: Caller) => User | undefined;
  readonly mayRead:
    | ((caller: Caller, name: string | undefined, feed: ChangeFeed) => Promise<boolean | Unavailable>)
    | undefined;
  readonly onRefused: (message: string) => void;
}

export class KubernetesTable implements Table {
  readonly serverOwned: ReadonlySet<string>;
  readonly mayRead?: NonNullable<Table['mayRead']>;
  readonly #deps: TableDeps;
  readonly #own: BoundKind;

  constructor(deps: TableDeps) {
    this.#deps = deps;
    this.#own = deps.path.own;
    this.serverOwned = new Set(pathsOf(this.#own.kind.status));
    const { mayRead } = deps;
    if (mayRead === undefined) return;
    this.mayRead = async (caller, { outer, id }) => {
      const name = id === undefined ? undefined : nameOf(deps.path, { outer, id });
      const answer = await mayRead(caller, name, this.#own.feed);
      return typeof answer === 'boolean' ? answer : this.#fault(answer, 'read');
    };
  }

  watch(listener: ChangeListener): () => void {
    const { path } = this.#deps;
    const feeds = path.kinds.map(({ feed }) => feed);
    const own = this.#own.feed;
    /** Addresses that the listener knows, by name. */
    const shown = new Map<string, Address>();
    let isTold = false;
    const all = (): void => {
      if (!feeds.every(({ isSynced }) => isSynced)) return;
      isTold = true;
      shown.clear();
      const objects = [...own.all()].flatMap((object) => {
        const stored = this.#stored(object);
        if (stored !== undefined) shown.set(object.metadata.name, { outer: stored.outer, id: stored.id });
        return stored ?? [];
      });
      listener({ kind: 'all', objects });
    };
    const show = (object: KubeObject): void => {
      const stored = this.#stored(object);
      if (stored === undefined) {
        hide(object.metadata.name, object.metadata.resourceVersion);
        return;
      }
      const { name } = object.metadata;
      const known = shown.get(name);
      // Another incarnation may belong to another object.
      if (known !== undefined && !isDeepStrictEqual(known.outer, stored.outer)) hide(name, stored.revision);
      shown.set(name, { outer: stored.outer, id: stored.id });
      listener({ kind: 'stored', object: stored });
    };
    const hide = (name: string, revision: string): void => {
      const address = shown.get(name);
      if (address === undefined) return;
      shown.delete(name);
      listener({ kind: 'removed', address, revision });
    };
    const onOwn = (change: FeedChange): void => {
      if (change.kind === 'all' || !isTold) all();
      else if (change.kind === 'object') show(change.object);
      else hide(change.object.metadata.name, change.revision);
    };
    /** Objects around others are found by their names: a new or deleted one places those inside. */
    const onOuter = (index: number) => (change: FeedChange) => {
      if (change.kind === 'all' || !isTold) return all();
      // The outermost is not looked up, and what is changed stays where it is.
      if (index === 0 || (change.kind === 'object' && change.object.metadata.generation !== 1)) return;
      for (const object of own.all()) show(object);
    };
    const stops = feeds.map((feed, index) => feed.listen(feed === own ? onOwn : onOuter(index)));
    for (const feed of feeds) feed.start();
    all();
    return () => {
      for (const stop of stops) stop();
    };
  }

  async create({ address, value, dryRun, ...context }: CreateRequest): Promise<Outcome> {
    const { kind, feed } = this.#own;
    const fault = this.#faultOfPlace(address, value);
    if (fault !== undefined) return fault;
    const name = nameOf(this.#deps.path, address);
    const ownerReferences = this.#deps.path.isSingleton ? this.#ownersFor(address) : undefined;
    const spec = this.#specOf(address, value);
    const body = {
      apiVersion: `${kind.group}/${kind.version}`,
      kind: kind.kind,
      metadata: {
        name,
        ...annotated(context.traceparent, 1),
        ...(ownerReferences !== undefined && { ownerReferences }),
      },
      spec,
    };
    const before = feed.get(name);
    const answer = await this.#deps.objects.create(feed.place, body, { ...this.#options(context), dryRun });
    // mutant: ocm-created-unseen ?: -> answer
    const written = answer.kind === 'unknown' ? ((await this.#created(name, spec, before)) ?? answer) : answer;
    if (written.kind === 'conflict') return { kind: 'exists' };
    if (written.kind !== 'object') return this.#fault(written, 'created');
    const content = this.#contentOf(written.object);
    // A dry run has no revision.
    if (dryRun) return { kind: 'stored', object: { ...content, ...address, revision: '0' } };
    feed.put(written.object);
    return { kind: 'stored', object: { ...content, ...address } };
  }

  /** The object that a create made whose answer was lost; undefined where none, or another one, has the name. */
  async #created(name: string, spec: JsonObject, before: KubeObject | undefined): Promise<Written | undefined> {
    const read = await this.#deps.objects.get(this.#own.feed.place, name);
    if (read.kind !== 'object' || read.object.metadata.uid === before?.metadata.uid) return undefined;
    // mutant: ocm-created-by-another ?: -> read
    return isDeepStrictEqual(read.object.spec, spec) ? read : undefined;
  }

  update({ address, edit, ...context }: UpdateRequest): Promise<Outcome> {
    const { feed } = this.#own;
    const name = nameOf(this.#deps.path, address);
    const key = `${feed.place.resource.group}/${feed.place.resource.plural}/${name}`;
    return this.#deps.serial.run(key, async () => {
      let known = feed.get(name);
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const read = known === undefined ? await this.#deps.objects.get(feed.place, name) : asRead(known);
        if (read.kind !== 'object') return this.#fault(read, 'read');
        feed.put(read.object);
        const current = { ...this.#contentOf(read.object), ...address };
        const edited: ReturnType<typeof edit> = this.#isAt(address, read.object) ? edit(current) : { kind: 'notFound' };
        const change =
          'kind' in edited ? undefined : mergePatchOf(read.object.spec ?? {}, this.#specOf(address, edited.value));
        // The feed may be behind: only a write, which the API server refuses then, may be decided by it.
        // mutant: ocm-equal-to-the-feed &&.1 -> false
        if (change === undefined && known === undefined) {
          return 'kind' in edited ? edited : { kind: 'stored', object: current };
        }
        known = undefined;
        if (change === undefined) continue;
        const written = await this.#write(read.object, change, context);
        if (written.kind === 'object') {
          feed.put(written.object);
          return { kind: 'stored', object: { ...this.#contentOf(written.object), ...address } };
        }
        if (written.kind !== 'conflict') return this.#fault(written, 'changed');
      }
      return { kind: 'unavailable' };
    });
  }

  async remove({ address, ...context }: RemoveRequest): Promise<RemoveOutcome> {
    const { feed } = this.#own;
    const called = nameOf(this.#deps.path, address);
    const known = feed.get(called);
    // An object that is not known yet may exist, and another one may have taken its name.
    const first = known !== undefined && this.#isAt(address, known) ? [asRead(known)] : [];
    for (const seen of [...first, undefined]) {
      const read = seen ?? (await this.#deps.objects.get(feed.place, called));
      if (read.kind !== 'object') return this.#fault(read, 'read');
      const { object } = read;
      if (!this.#isAt(address, object)) return { kind: 'notFound' };
      const { name, uid } = object.metadata;
      const isAnnounced = await this.#announce(object, context);
      const removed = await this.#deps.objects.remove(feed.place, { name, uid }, this.#options(context));
      if (removed.kind === 'gone') return { kind: 'removed', revision: feed.end({ name, uid }) };
      if (removed.kind === 'object') {
        feed.put(removed.object);
        return { kind: 'stored', object: { ...this.#contentOf(removed.object), ...address } };
      }
      if (removed.kind === 'absent') {
        feed.end({ name, uid });
        return { kind: 'notFound' };
      }
      if (removed.kind !== 'conflict') {
        // Another deletion would be taken for this one.
        // mutant: refused-deletion-traced drop
        if (isAnnounced) await this.#recordDeletion(object, undefined, context);
        return this.#fault(removed, 'deleted');
      }
    }
    return { kind: 'notFound' };
  }

  /**
   * Records the request that deletes the object, as a deletion itself carries no annotations.
   *
   * @returns false: there is no trace, or the object is being deleted already, or the caller may not write it
   */
  async #announce(object: KubeObject, context: WriteContext): Promise<boolean> {
    const traceparent = validTraceparent(context.traceparent);
    if (object.metadata.deletionTimestamp !== undefined || traceparent === undefined) return false;
    const written = await this.#recordDeletion(object, traceparent, context);
    if (written.kind !== 'object') return written.kind === 'unknown';
    const isAsKnown = written.object.metadata.generation === object.metadata.generation;
    if (!isAsKnown) await this.#recordDeletion(written.object, traceparent, context);
    return true;
  }

  /** @param traceparent  undefined: of no request */
  #recordDeletion({ metadata }: KubeObject, traceparent: string | undefined, context: WriteContext): Promise<Written> {
    const { name, uid, generation = 0 } = metadata;
    const annotations = deletionAnnotations(traceparent, generation + 1);
    return this.#deps.objects.patch(
      this.#own.feed.place,
      name,
      { metadata: { uid, annotations } },
      this.#options(context),
    );
  }

  /** Why nothing can be made there. */
  #faultOfPlace(address: Address, value: Value): Fault | undefined {
    const { kind } = this.#own;
    const { outer } = address;
    const id = nameOf(this.#deps.path, address);
    if (!NAME.test(id)) {
      const reason = `Identifier '${id}' has other characters than lower-case letters, digits, '-' and '.'`;
      return { kind: 'invalid', reason };
    }
    const { parent } = kind;
    if (parent === undefined) return undefined;
    const type = parent.type.name.camel;
    const name = outer.at(-1) ?? toProperties(kind.spec, value)[parent.property];
    if (typeof name !== 'string') {
      return { kind: 'invalid', reason: `It is not said which ${type} the ${kind.type.name.camel} belongs to` };
    }
    const around = this.#deps.path.kinds.slice(0, -1);
    const holder = around.at(-1)?.feed.get(name);
    if (holder === undefined) return undefined;
    if (!isDeepStrictEqual(outerOf(around, holder), outer.slice(0, -1))) return { kind: 'notFound' };
    if (holder.metadata.deletionTimestamp === undefined) return undefined;
    return { kind: 'conflict', reason: `${type} '${name}' is being deleted` };
  }

  /** An object without an identifier is deleted with the object that it is in. */
  #ownersFor({ outer }: Address): Json | undefined {
    const around = this.#deps.path.kinds.at(-2);
    const holder = around?.feed.get(outer.at(-1) ?? '');
    if (around === undefined || holder === undefined) return undefined;
    const { group, version, kind } = around.kind;
    const { name, uid } = holder.metadata;
    return [{ apiVersion: `${group}/${version}`, kind, name, uid, controller: false, blockOwnerDeletion: false }];
  }

  #isAt(address: Address, object: KubeObject): boolean {
    return isDeepStrictEqual(addressOf(this.#deps.path, object)?.outer, address.outer);
  }

  #write(object: KubeObject, spec: JsonObject, context: WriteContext): Promise<Written> {
    const { name, uid, resourceVersion, generation = 0 } = object.metadata;
    // mutant: ocm-update-overwrites drop
    const seen = { resourceVersion };
    const metadata = { uid, ...seen, ...annotated(context.traceparent, generation + 1) };
    return this.#deps.objects.patch(this.#own.feed.place, name, { metadata, spec }, this.#options(context));
  }

  /** The stored part of a value: nothing of the objects' owner. */
  #specOf({ outer }: Address, value: Value): JsonObject {
    const { kind } = this.#own;
    const spec = toProperties(kind.spec, value);
    const holder = outer.at(-1);
    return kind.parent === undefined || holder === undefined ? spec : { ...spec, [kind.parent.property]: holder };
  }

  #options({ caller }: WriteContext): WriteOptions {
    return { as: this.#deps.userOf(caller) };
  }

  #stored(object: KubeObject): StoredObject | undefined {
    const address = addressOf(this.#deps.path, object);
    return address && { ...this.#contentOf(object), ...address };
  }

  #contentOf({ metadata, spec = {}, status = {} }: KubeObject): Omit<StoredObject, keyof Address> {
    const { kind } = this.#own;
    return {
      revision: metadata.resourceVersion,
      deleting: metadata.deletionTimestamp !== undefined,
      value: deepMerged(toValue(kind.spec, spec), toValue(kind.status, status)),
    };
  }

  #fault(refusal: Refusal, done: string): Fault {
    const { kind } = this.#own;
    switch (refusal.kind) {
      case 'absent':
        return { kind: 'notFound' };
      case 'conflict':
        return { kind: 'unavailable' };
      case 'forbidden':
        return { kind: 'forbidden', reason: `This ${kind.type.name.camel} may not be ${done} by the caller` };
      case 'invalid':
        return { kind: 'invalid', reason: reasonOf(kind, refusal.causes) };
      case 'unavailable':
        this.#deps.onRefused(refusal.message);
        return { kind: 'unavailable', retryAfterMs: refusal.retryAfterMs };
      case 'unknown':
        this.#deps.onRefused(refusal.message);
        return { kind: 'unknown' };
    }
  }
}

function asRead(object: KubeObject): Written {
  return { kind: 'object', object };
}

/** The annotations of a request that changes an object. Text of a caller that is no trace context is not passed on. */
function annotated(text: string | undefined, generation: number): { readonly annotations?: JsonObject } {
  const traceparent = validTraceparent(text);
  return traceparent === undefined ? {} : { annotations: requestAnnotations(traceparent, generation) };
}

/** The merge patch (RFC 7396) that makes one of the other; undefined: they say the same. */
function mergePatchOf(stored: JsonObject, wanted: JsonObject): JsonObject | undefined {
  const change: [string, Json][] = [];
  for (const name of new Set([...Object.keys(stored), ...Object.keys(wanted)])) {
    const [now, then] = [stored[name], wanted[name]];
    if (isDeepStrictEqual(now, then)) continue;
    if (then === undefined) change.push([name, null]);
    else if (isMap(now) && isMap(then)) change.push([name, mergePatchOf(now, then) ?? {}]);
    else change.push([name, then]);
  }
  return change.length === 0 ? undefined : Object.fromEntries(change);
}

/** A struct may have members in both. */
function deepMerged(one: JsonObject, other: JsonObject): JsonObject {
  const members = Object.entries(other).map(([name, value]): [string, Json] => {
    const known = one[name];
    return [name, isMap(known) && isMap(value) ? deepMerged(known, value) : value];
  });
  return { ...one, ...Object.fromEntries(members) };
}

function isMap(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
