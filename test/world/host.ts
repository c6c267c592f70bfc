// A host on fakes: the in-memory bus, an API server and a cloud of a few lines, a clock that runs fast.
//
// The API server keeps objects, resourceVersions, uids, finalizers and deletion marks, and refuses what is out of date. It
// knows no schemas, no field managers and no watches: the test tells the mailbox what it wants to be known. The cloud
// keeps a resource a uid, available unless told otherwise.
import pino from 'pino';
import { registry } from '../../actors/object/registry.ts';
import { ShardHost } from '../../actors/sharding/shard-host.ts';
import { type Objects, type Resource, SECRETS } from '../../adapters/kubernetes/mod.ts';
import {
  AbsentError,
  type Clock,
  ConflictError,
  type JsonObject,
  type Lease,
  type MemoryBus,
  memoryBroker,
} from '../../bus/mod.ts';
import type { Observation } from '../../machines/external-resource/operations.ts';
import type { Kind, Reference } from '../../machines/kind.ts';
import type { KubeObject } from '../../machines/object.ts';
import { simpleKind } from '../actors/kinds.ts';
import { simulatedClock } from './clock.ts';

export const NAMESPACE = 'ns';
const REALM = 'openstack';

export interface HostFixture {
  readonly bus: MemoryBus;
  readonly clock: Clock;
  /** What happened, in order: writes at the API server, calls to the cloud, publications. */
  readonly log: string[];
  /** Creates an object and tells the mailbox. */
  create(plural: string, name: string, references?: Readonly<Record<string, string>>): Promise<KubeObject>;
  /** Replaces spec or status of an object; a new spec is a new generation. `reported`: as is the mailbox. */
  change(
    plural: string,
    name: string,
    changes: Partial<Pick<KubeObject, 'spec' | 'status'>>,
    options: { readonly reported: boolean },
  ): Promise<void>;
  /** Called when the cloud has made a resource and not answered yet. */
  onMade: (name: string) => void;
  /** Called when the API server has stored an id and not answered yet. */
  onRecorded: () => void;
  /** Awaited when the API server has taken an own finalizer off and not answered yet. */
  onReleased: () => Promise<void>;
  /** Called when an object is to be read. */
  onRead: () => void;
  /** Whether what goes is told to the mailbox. */
  tellsGone: boolean;
  /** Ids of resources in the cloud that others made. */
  readonly foreign: Set<string>;
  /** Marks an object deleted, as a user does, and tells the mailbox. */
  remove(plural: string, name: string): Promise<void>;
  /** Takes an object away with all its finalizers and tells nobody. */
  vanish(plural: string, name: string): void;
  /** The API server has it as it was, as after a backup was restored. */
  restore(object: KubeObject): void;
  get(plural: string, name: string): KubeObject | undefined;
  /** Lets writes of finalizers that guard for others wait until the returned function is called. */
  holdGuards(): () => void;
  /** Lets writes that take guards off wait on their way until the returned function is called. */
  holdReleases(): () => void;
  /** Publishes `object` mail as the watch role would. */
  report(object: KubeObject): Promise<void>;
  /** Number of reads of one object. */
  readonly reads: number;
  /** Names of objects that a read does not find, though they are there. */
  readonly hidden: Set<string>;
  /** Networks that the cloud reports as not usable. */
  readonly unusable: Set<string>;
  /** Uids with a resource in the cloud, by plural. */
  readonly cloud: Map<string, Set<string>>;
  /** Waits until `condition` holds. @throws {Error} after some seconds, with the log */
  until(what: string, condition: () => boolean): Promise<void>;
  /** Lets everything that can happen at once happen. */
  quiet(): Promise<void>;
  /** The lease on the only shard is lost. */
  closeHost(): Promise<void>;
  /** Another host takes the shard over. */
  openAnother(): Promise<void>;
  close(): Promise<void>;
}

/**
 * @param options.seeded  whether the mailbox counts as complete for the objects of this test
 * @param options.leaseLeftMs  how long the lease of the only shard lasts, seen from any moment
 * @param options.onListed  called when the API server has listed objects and not answered yet
 */
export async function openHost(
  options: { readonly seeded?: boolean; readonly leaseLeftMs?: number; readonly onListed?: () => void } = {},
): Promise<HostFixture> {
  const clock = simulatedClock();
  const broker = memoryBroker({ clock, shards: 1 });
  const bus = broker.connect();
  if (options.seeded !== false) await bus.mailbox.markSeeded(0);
  const log: string[] = [];
  const objects = new Map<string, KubeObject>();
  const cloud = new Map<string, Set<string>>();
  const unusable = new Set<string>();
  const foreign = new Set<string>();
  const hidden = new Set<string>();
  let version = 100;
  let reads = 0;
  let guards: Promise<void> = Promise.resolve();
  let releases: Promise<void> = Promise.resolve();

  const id = (plural: string, name: string): string => `${plural}/${name}`;
  const store = (plural: string, object: KubeObject): KubeObject => {
    const { deletionTimestamp, finalizers = [] } = object.metadata;
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: `${++version}` } };
    if (deletionTimestamp !== undefined && finalizers.length === 0) {
      objects.delete(id(plural, object.metadata.name));
      const gone = { uid: object.metadata.uid, resourceVersion: `${version}` };
      if (fixture.tellsGone) void publish(plural, object.metadata.name, { gone });
    } else {
      objects.set(id(plural, object.metadata.name), stored);
    }
    return stored;
  };
  const publish = async (plural: string, name: string, mail: object): Promise<void> => {
    const realm = plural === SECRETS.plural ? SECRETS.realm : REALM;
    const to = { realm, plural, namespace: NAMESPACE, name };
    await bus.mailbox.publish({ to, topic: 'object' }, mail as JsonObject, undefined);
  };
  const present = (resource: Resource, name: string, uid: string): KubeObject => {
    const object = objects.get(id(resource.plural, name));
    if (object === undefined) throw new AbsentError(`no ${name}`);
    if (object.metadata.uid !== uid) throw new ConflictError(`another ${name}`);
    return object;
  };
  const current = (resource: Resource, { metadata }: KubeObject): KubeObject => {
    const object = present(resource, metadata.name, metadata.uid);
    if (object.metadata.resourceVersion !== metadata.resourceVersion) throw new ConflictError('changed meanwhile');
    return object;
  };
  const withFinalizers = (object: KubeObject, finalizers: readonly string[]): KubeObject => ({
    ...object,
    metadata: { ...object.metadata, finalizers },
  });
  const api: Objects = {
    async get(resource, _, name) {
      reads += 1;
      fixture.onRead();
      return hidden.has(name) ? undefined : objects.get(id(resource.plural, name));
    },
    async list(resource) {
      log.push(`list ${resource.plural}`);
      const items = [...objects].filter(([key]) => key.startsWith(`${resource.plural}/`)).map(([, object]) => object);
      options.onListed?.();
      return { items, resourceVersion: `${version}`, serverTime: 0 };
    },
    async addFinalizers(resource, { name, uid }, manager, finalizers) {
      if (!manager.endsWith('/finalizer')) await guards;
      const object = present(resource, name, uid);
      if (object.metadata.deletionTimestamp !== undefined) throw new ConflictError('being deleted');
      log.push(`add ${finalizers.join()} to ${name}`);
      return store(
        resource.plural,
        withFinalizers(object, [...new Set([...(object.metadata.finalizers ?? []), ...finalizers])]),
      );
    },
    async removeFinalizers(resource, object, finalizers, { exact }) {
      if (exact) await releases;
      const now = exact ? current(resource, object) : present(resource, object.metadata.name, object.metadata.uid);
      log.push(`remove ${finalizers.join()} from ${now.metadata.name}`);
      const kept = (now.metadata.finalizers ?? []).filter((finalizer) => !finalizers.includes(finalizer));
      const stored = store(resource.plural, withFinalizers(now, kept));
      if (!exact) await fixture.onReleased();
      return stored;
    },
    async applyStatus(resource, object, _, status) {
      const now = current(resource, object);
      return store(resource.plural, {
        ...now,
        status: { ...status, ...(now.status?.['id'] !== undefined && { id: now.status['id'] }) },
      });
    },
    async recordId(resource, object, externalId) {
      const now = current(resource, object);
      log.push(`record ${externalId} of ${now.metadata.name}`);
      const { id: _, ...rest } = now.status ?? {};
      const stored = store(resource.plural, {
        ...now,
        status: externalId === null ? rest : { ...rest, id: externalId },
      });
      fixture.onRecorded();
      return stored;
    },
    applied: notPlayed,
    apply: notPlayed,
    addOwner: notPlayed,
    removeOwner: notPlayed,
    storeStatus: notPlayed,
    patchSpec: notPlayed,
    patchStatus: notPlayed,
    mark: notPlayed,
    removeAnnotations: notPlayed,
    remove: async () => undefined,
    readSecret: async () => undefined,
    writeSecret: async () => undefined,
  };

  // A subnet's cleanup needs its key and its secret, too.
  const references = { networkRef: 'Network', keyRef: 'Network', secretRef: 'Secret' };
  const kinds = [kind('Network', 'networks', {}), kind('Subnet', 'subnets', references)];
  function kind(name: string, plural: string, references: Readonly<Record<string, string>>): Kind {
    const finalizer = `own/${name.toLowerCase()}`;
    const made = new Set<string>();
    cloud.set(plural, made);
    const observe = (uid: string, object: string): Observation => ({
      id: `id-${uid}`,
      attributes: {},
      resource: {},
      available: !unusable.has(object),
    });
    return simpleKind({
      realm: REALM,
      kind: name,
      plural,
      references: ({ spec = {} }) =>
        Object.entries(references).flatMap(([field, target]): Reference[] =>
          typeof spec[field] === 'string'
            ? [
                {
                  kind: target,
                  name: spec[field],
                  finalizers: [finalizer],
                  neededFor: field === 'networkRef' ? 'create' : 'always',
                },
              ]
            : [],
        ),
      operations: {
        find: async ({ object: { metadata } }) => {
          log.push(`find ${metadata.name}`);
          return { matches: made.has(metadata.uid) ? [observe(metadata.uid, metadata.name)] : [], exact: true };
        },
        import: async () => undefined,
        create: async ({ object: { metadata } }) => {
          log.push(`create ${metadata.name}`);
          made.add(metadata.uid);
          fixture.onMade(metadata.name);
          return observe(metadata.uid, metadata.name);
        },
        observe: async ({ object: { metadata }, id }) => {
          if (foreign.has(id)) return { ...observe(metadata.uid, metadata.name), id };
          return made.has(metadata.uid) ? observe(metadata.uid, metadata.name) : undefined;
        },
        update: async () => ({ changed: false }),
        remove: async ({ object: { metadata }, id }) => {
          log.push(`delete ${metadata.name}`);
          if (!foreign.delete(id)) made.delete(metadata.uid);
        },
      },
    });
  }

  const published = bus.mailbox.publish.bind(bus.mailbox);
  bus.mailbox.publish = async (subject, payload, expected) => {
    const stored = await published(subject, payload, expected);
    if (subject.topic === 'claim' && stored.kind === 'stored') {
      log.push(`${payload['ended'] === true ? 'tombstone' : 'claim'} of ${subject.from.name} on ${subject.to.name}`);
    }
    return stored;
  };
  const lease: Lease = {
    name: 'shard.0',
    endsAt: () => clock.now() + (options.leaseLeftMs ?? 3_600_000),
    lost: new Promise(() => undefined),
    confirm: async () => true,
    release: async () => undefined,
  };
  const open = async (): Promise<ShardHost> => {
    const opened = new ShardHost({
      bus,
      objects: api,
      registry: registry(kinds, []),
      namespaces: undefined,
      clock,
      log: pino({ level: 'silent' }),
      callMs: 10_000,
      lateEffectMs: 30_000,
      report: () => undefined,
    });
    await opened.open(new Map([[0, lease]]), new AbortController().signal, () => undefined);
    return opened;
  };
  let host = await open();

  let lastUid = 0;
  const fixture: HostFixture = {
    bus,
    clock,
    log,
    unusable,
    foreign,
    hidden,
    onMade: () => undefined,
    onRecorded: () => undefined,
    onReleased: async () => undefined,
    onRead: () => undefined,
    tellsGone: true,
    cloud,
    get reads() {
      return reads;
    },
    quiet: () => clock.settle(),
    async create(plural, name, spec = {}) {
      const uid = `${plural}-${name}-${++lastUid}`;
      const metadata = {
        name,
        namespace: NAMESPACE,
        uid,
        generation: 1,
        creationTimestamp: new Date(1_000).toISOString(),
        resourceVersion: '',
      };
      const object = store(plural, { apiVersion: 'example.org/v1', kind: plural, metadata, spec });
      await publish(plural, name, { object });
      return object;
    },
    async remove(plural, name) {
      const object = objects.get(id(plural, name)) as KubeObject;
      const marked = store(plural, {
        ...object,
        metadata: { ...object.metadata, deletionTimestamp: new Date(0).toISOString() },
      });
      if (objects.has(id(plural, name))) await publish(plural, name, { object: marked });
    },
    async change(plural, name, changes, { reported }) {
      const object = objects.get(id(plural, name)) as KubeObject;
      const { generation = 0 } = object.metadata;
      const metadata = { ...object.metadata, generation: changes.spec === undefined ? generation : generation + 1 };
      const changed = store(plural, { ...object, ...changes, metadata });
      if (reported) await publish(plural, name, { object: changed });
    },
    holdGuards() {
      let release = (): void => undefined;
      guards = new Promise((resolve) => {
        release = resolve;
      });
      return release;
    },
    holdReleases() {
      let release = (): void => undefined;
      releases = new Promise((resolve) => {
        release = resolve;
      });
      return release;
    },
    restore: (object) => void objects.set(id(object.kind, object.metadata.name), object),
    vanish: (plural, name) => void objects.delete(id(plural, name)),
    get: (plural, name) => objects.get(id(plural, name)),
    report: (object) => publish(object.kind, object.metadata.name, { object }),
    async until(what, condition) {
      for (let turn = 0; turn < 400; turn++) {
        if (condition()) return;
        await clock.sleep(1_000);
      }
      throw new Error(`never: ${what}\n${log.join('\n')}`);
    },
    closeHost: () => host.close(0),
    async openAnother() {
      host = await open();
    },
    async close() {
      await host.close(0);
      await bus.close();
    },
  };
  return fixture;
}

async function notPlayed(): Promise<never> {
  throw new TypeError('no kind of this fixture asks for it');
}
