// A world for one test: a namespace at an API server, a bus, a cloud, and the runtime between them, in this process.
//
// The runtime's clock can be hurried: its long timers fire when a test says so, and everything else keeps its pace.
import { Writable } from 'node:stream';
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseAllDocuments } from 'yaml';
import { Role } from '../../actors/base/config.ts';
import { openLog } from '../../actors/base/log.ts';
import type { Metrics } from '../../actors/observability/metrics.ts';
import { installCrds } from '../../actors/process/install-crds.ts';
import { type Runtime, type RuntimeDeps, startRuntime } from '../../actors/process/runtime.ts';
import { transportOver } from '../../adapters/http/transport.ts';
import { type KubeClient, kubeClient, type Resource, resourcePath, SECRETS } from '../../adapters/kubernetes/mod.ts';
import {
  GROUP,
  type OpenStackOptions,
  openStackSessions,
  openstackContracts,
  openstackWith,
  REALM,
  type Session,
  VERSION,
} from '../../adapters/openstack/mod.ts';
import type { TableKind } from '../../adapters/openstack/resource/table.ts';
import type { Simulator } from '../../adapters/simulated/openstack/mod.ts';
import {
  AbsentError,
  type ActorSubject,
  type Bus,
  type Clock,
  type JsonObject,
  type MailboxMessage,
  type Timer,
  type TraceEvent,
} from '../../bus/mod.ts';
import { serviceOf } from '../adapters/openstack/service-paths.ts';
import { isOffered, listAll, pathOf, TABLES, tableOf } from './cloud-contents.ts';
import { forgetStreams, type Ground, type OpenGround } from './environments.ts';
import { owned, sweep } from './sweep.ts';
import { condition, Follower, type Raw, said } from './watched-objects.ts';

/** Dependents first, where kinds depend on each other one way only. */
export const KINDS = [
  'FloatingIP',
  'Server',
  'Trunk',
  'ServerGroup',
  'KeyPair',
  'Flavor',
  'Volume',
  'VolumeType',
  'Image',
  'ShareNetwork',
  'ApplicationCredential',
  'Endpoint',
  'Service',
  'RoleAssignment',
  'User',
  'Group',
  'Role',
  'RouterInterface',
  'Port',
  'Subnet',
  'Router',
  'SecurityGroup',
  'Network',
  'AddressScope',
  'Project',
  'Domain',
  'Secret',
] as const;
export type Kind = (typeof KINDS)[number];

/** Every name in the cloud that a test makes begins with its world's prefix. */
export const CREDENTIALS = 'openstack-clouds';

const CALL_MS = 10_000;
/** A pause between two looks at something that sends no event, in milliseconds. */
const POLL_MS = 20;
const MANAGER = 'kubectl';

export interface WorldOptions {
  /** Not started with the world; see `World.start`. */
  readonly runtime?: 'stopped';
  /** The definitions are applied by the test itself. */
  readonly crds?: 'absent';
  /** The Secret `openstack-clouds` is made by the test itself. */
  readonly credentials?: 'absent';
  readonly logLevel?: string;
  readonly leaseMs?: number;
}

export interface Event extends TraceEvent {
  readonly at: number;
}

interface Hurried extends Clock {
  /** Fires all timers that were set to at least so many milliseconds. */
  hurry(leastMs: number): void;
  /** Timers that are running, by their delay in milliseconds. */
  pending(): readonly number[];
}

export class World {
  readonly ground: Ground;
  readonly clock: Hurried;
  readonly client: KubeClient;
  /** Of the namespace, and the beginning of all names. */
  readonly prefix: string;
  readonly namespace: string;
  readonly events: Event[] = [];
  /** What the runtime asked of the cloud, and what it wrote to the API server, as `PATCH /apis/...`. */
  readonly calls: string[] = [];
  readonly writes: string[] = [];
  /** What the runtime logged, one object a line. */
  readonly logs: JsonObject[] = [];
  readonly follower: Follower;
  readonly #options: WorldOptions;
  readonly #sessions: ReturnType<typeof openStackSessions>;
  readonly #namespaces = new Set<string>();
  #bus: Bus | undefined;
  #listening: { close(): Promise<void> } | undefined;
  #runtime: Runtime | undefined;
  #starts = 0;
  readonly #runtimeClient: KubeClient | undefined;

  private constructor(ground: Ground, options: WorldOptions) {
    this.ground = ground;
    this.#options = options;
    const { clock } = ground;
    this.clock = hurried(clock);
    const dispatcher = ground.wire;
    this.client = kubeClient({ clock, kubeconfig: ground.kubeconfig, dispatcher });
    const { runtimeKubeconfig: kubeconfig } = ground;
    this.#runtimeClient = kubeconfig === undefined ? undefined : kubeClient({ clock, kubeconfig, dispatcher });
    this.prefix = `e2e${Math.floor(clock.random() * 2 ** 32).toString(36)}`;
    this.namespace = this.prefix;
    this.follower = new Follower({ clock, client: this.client, namespace: this.namespace });
    const data = { 'clouds.yaml': Buffer.from(ground.cloudsYaml).toString('base64') };
    const readSecret = async () => ({ uid: 'uid', resourceVersion: '1', data });
    this.#sessions = openStackSessions({ clock, version: '0', readSecret, ...this.#reached() });
  }

  static async open(openGround: OpenGround, options: WorldOptions = {}): Promise<World> {
    const ground = await openGround(options.crds === 'absent' ? {} : { contracts: openstackContracts });
    const world = new World(ground, options);
    try {
      await world.#prepare();
    } catch (error) {
      await world.close();
      throw error;
    }
    return world;
  }

  async #prepare(): Promise<void> {
    const { crds, credentials, runtime } = this.#options;
    if (crds !== 'absent' && !this.ground.hasDefinitions) await this.installCrds();
    if (this.ground.name === 'real') await sweep(this);
    await this.createNamespace(this.namespace);
    if (crds !== 'absent') await this.follow();
    await this.follower.follow(SECRETS);
    if (credentials !== 'absent') await this.secret(CREDENTIALS, this.ground.cloudsYaml);
    if (runtime !== 'stopped') await this.start();
  }

  /** The adapter, which reaches the cloud of this world. */
  openstack(options: OpenStackOptions = {}): RuntimeDeps['adapters'][number] {
    return openstackWith({ ...this.#reached(), ...options });
  }

  #reached(): Pick<OpenStackOptions, 'transport'> {
    const { wire, clock } = this.ground;
    return wire === undefined ? {} : { transport: () => transportOver(wire, clock) };
  }

  get simulator(): Simulator {
    if (this.ground.simulator === undefined) throw new Error('this cloud is real');
    return this.ground.simulator;
  }

  get bus(): Bus {
    if (this.#bus === undefined) throw new Error('the runtime was not started');
    return this.#bus;
  }

  get runtime(): Runtime | undefined {
    return this.#runtime;
  }

  name(suffix: string): string {
    return `${this.prefix}-${suffix}`;
  }

  // --- the runtime ---------------------------------------------------------------------------------------------

  /** Connects to the bus and listens to the events of whoever works on it. */
  async observe(): Promise<Bus> {
    const { leaseMs } = this.#options;
    this.#starts++;
    const bus = await this.ground.connect(`${this.prefix}-${this.#starts}`, leaseMs === undefined ? {} : { leaseMs });
    this.#bus = bus;
    this.#listening = await bus.trace.subscribe((event) => {
      if (event.actor.namespace === this.namespace) this.events.push(event);
    });
    return bus;
  }

  async start(
    scope: {
      readonly kinds?: readonly string[];
      readonly namespaces?: readonly string[];
      readonly events?: boolean;
      readonly roles?: ReadonlySet<string>;
      readonly metrics?: Metrics;
      readonly adapters?: RuntimeDeps['adapters'];
    } = {},
  ): Promise<void> {
    const bus = await this.observe();
    this.#runtime = await this.#startRuntime(bus, scope);
  }

  /** A runtime beside the world's own, which shares its bus and its log. @returns the way to end it */
  async startAnother(scope: Pick<RuntimeDeps, 'roles' | 'metrics'>): Promise<() => Promise<void>> {
    const bus = await this.ground.connect(`${this.prefix}-another`);
    const runtime = await this.#startRuntime(bus, scope);
    return async () => {
      await runtime.close();
      await bus.close();
    };
  }

  #startRuntime(bus: Bus, scope: Partial<RuntimeDeps>): Promise<Runtime> {
    const { logLevel = 'trace' } = this.#options;
    const destination = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        for (const line of chunk.toString().split('\n'))
          if (line !== '') this.logs.push(JSON.parse(line) as JsonObject);
        done();
      },
    });
    const client = this.#runtimeClient ?? this.client;
    return startRuntime({
      bus,
      client: {
        ...client,
        call: (call) => {
          if (call.method !== 'GET') this.writes.push(`${call.method} ${call.path}`);
          return client.call(call);
        },
      },
      clock: this.clock,
      log: openLog({ level: logLevel, readable: false, destination }),
      adapters: [this.openstack()],
      roles: new Set([...Object.values(Role), REALM]),
      callMs: CALL_MS,
      events: true,
      metrics: {
        onCall: ({ service, method, path }) => void this.calls.push(`${service} ${method} ${path}`),
        onRefused: () => undefined,
        onUserEvent: () => undefined,
        onDropped: () => undefined,
        declare: () => undefined,
        onMeasure: () => undefined,
        onInterrupted: () => undefined,
        timed: (_, run) => run,
      },
      ...scope,
    });
  }

  async stop(): Promise<void> {
    await this.#runtime?.close();
    this.#runtime = undefined;
    await this.#listening?.close();
    this.#listening = undefined;
    await this.#bus?.close();
    this.#bus = undefined;
  }

  /** Log lines of at least this level. The runtime sees all namespaces; what it says of others is none of ours. */
  lines(level: 'info' | 'warn' | 'error'): readonly JsonObject[] {
    const least = { info: 30, warn: 40, error: 50 }[level];
    return this.logs.filter(
      (line) => Number(line['level']) >= least && (line['namespace'] ?? this.namespace) === this.namespace,
    );
  }

  eventsOf(kind: Kind, name: string, type?: string): readonly Event[] {
    const { plural } = resourceOf(kind);
    return this.events.filter(
      ({ actor, type: what }) =>
        actor.plural === plural && actor.name === name && (type === undefined || what === type),
    );
  }

  /** All mail about this world's namespace, as it lies in the stream. */
  async mail(): Promise<readonly (MailboxMessage & { readonly subject: ActorSubject })[]> {
    const found: MailboxMessage[] = [];
    const replayed = Promise.withResolvers<void>();
    const { mailbox } = this.bus;
    const shards = Array.from({ length: mailbox.shards }, (_, shard) => shard);
    const subscription = await mailbox.subscribe(
      { shards },
      { onMail: (mail) => void found.push(mail), onReplayed: () => replayed.resolve() },
    );
    await replayed.promise;
    await subscription.close();
    return found.flatMap(({ subject, ...mail }) =>
      'to' in subject && subject.to.namespace === this.namespace ? [{ ...mail, subject }] : [],
    );
  }

  /** Takes the stream of mail away under everybody's feet. */
  async loseMail(): Promise<void> {
    if (this.ground.nats === undefined) throw new Error('this bus has no server');
    await forgetStreams(this.ground.nats, 'mail');
  }

  // --- the API server ------------------------------------------------------------------------------------------

  async installCrds(): Promise<void> {
    await installCrds(this.client, this.clock, () => undefined, openstackContracts);
  }

  async follow(): Promise<void> {
    const kinds = KINDS.filter((kind) => kind !== 'Secret');
    await Promise.all(kinds.map((kind) => this.follower.follow(resourceOf(kind))));
  }

  /** @param annotations  whose it is: this run's, unless stated */
  async createNamespace(name: string, annotations = owned()): Promise<void> {
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, annotations } };
    await this.client.call({ method: 'POST', path: '/api/v1/namespaces', body });
    this.#namespaces.add(name);
  }

  /** As `kubectl apply --server-side`, in the world's namespace. @returns the objects as stored */
  async apply(...manifests: readonly (string | JsonObject)[]): Promise<readonly Raw[]> {
    const documents = manifests.flatMap((manifest) => (typeof manifest === 'string' ? parsed(manifest) : [manifest]));
    const stored: Raw[] = [];
    for (const document of documents) {
      const { name } = document['metadata'] as { name: string };
      const kind = document['kind'] as Kind;
      const metadata = { ...(document['metadata'] as JsonObject), namespace: this.namespace };
      const { body } = await this.client.call({
        method: 'PATCH',
        path: `${this.path(kind, name)}?fieldManager=${MANAGER}&force=true`,
        contentType: 'application/apply-patch+yaml',
        body: { ...document, metadata },
      });
      stored.push(body as unknown as Raw);
    }
    return stored;
  }

  /** Writes a Secret with a clouds.yaml, or whatever else is given. */
  async secret(name: string, content: string | Readonly<Record<string, string>>): Promise<void> {
    const stringData = typeof content === 'string' ? { 'clouds.yaml': content } : content;
    await this.apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData });
  }

  /** A managed object, as the contract writes it. */
  managed(kind: Kind, name: string, resource: JsonObject = {}, more: JsonObject = {}): JsonObject {
    return this.object(kind, name, { resource, ...more });
  }

  unmanaged(kind: Kind, name: string, by: JsonObject, more: JsonObject = {}): JsonObject {
    return this.object(kind, name, { managementPolicy: 'unmanaged', import: by, ...more });
  }

  object(kind: Kind, name: string, spec: JsonObject): JsonObject {
    const cloudCredentialsRef = { secretName: CREDENTIALS, cloudName: this.ground.cloudName };
    return { apiVersion: `${GROUP}/${VERSION}`, kind, metadata: { name }, spec: { cloudCredentialsRef, ...spec } };
  }

  async read(kind: Kind, name: string): Promise<Raw | undefined> {
    try {
      return (await this.client.call({ method: 'GET', path: this.path(kind, name) })).body as unknown as Raw;
    } catch (error) {
      if (error instanceof AbsentError) return undefined;
      throw error;
    }
  }

  /** As somebody who may write the status does. */
  async patchStatus(kind: Kind, name: string, status: JsonObject): Promise<void> {
    const path = `${this.path(kind, name)}/status`;
    const body = { status };
    await this.client.call({ method: 'PATCH', path, contentType: 'application/merge-patch+json', body });
  }

  /** A JSON merge patch, as `kubectl patch --type=merge`. */
  async patch(kind: Kind, name: string, body: JsonObject): Promise<Raw> {
    const call = {
      method: 'PATCH',
      path: this.path(kind, name),
      contentType: 'application/merge-patch+json',
      body,
    } as const;
    return (await this.client.call(call)).body as unknown as Raw;
  }

  async delete(kind: Kind, name: string): Promise<void> {
    await this.client.call({ method: 'DELETE', path: this.path(kind, name) });
  }

  async deleteNamespace(name = this.namespace): Promise<void> {
    await this.client.call({ method: 'DELETE', path: `/api/v1/namespaces/${name}` });
  }

  async namespaceGone(name = this.namespace): Promise<void> {
    await this.eventually(`namespace '${name}' is gone`, async () => {
      try {
        const { body } = await this.client.call({ method: 'GET', path: `/api/v1/namespaces/${name}` });
        return JSON.stringify(body['status']);
      } catch (error) {
        if (error instanceof AbsentError) return undefined;
        throw error;
      }
    });
    this.#namespaces.delete(name);
  }

  path(kind: Kind, name: string): string {
    return resourcePath(resourceOf(kind), this.namespace, name);
  }

  // --- waiting -------------------------------------------------------------------------------------------------

  /** The object once it is as wanted; fails at the deadline and says how it is instead. */
  async until(kind: Kind, name: string, what: string, isSo: (object: Raw) => boolean): Promise<Raw> {
    const wanted = (object: Raw | undefined): boolean => object !== undefined && isSo(object);
    return (await this.follower.until(kind, name, what, wanted, this.ground.deadlineMs)) as Raw;
  }

  /** Available=True, and reconciled as it was applied last. */
  available(kind: Kind, name: string): Promise<Raw> {
    return this.until(
      kind,
      name,
      'available',
      (object) => isDone(object) && condition(object, 'Available').status === 'True',
    );
  }

  /** Progressing says so, at the current generation. */
  progressing(kind: Kind, name: string, reason: string, message: string | RegExp): Promise<Raw> {
    return this.until(kind, name, `Progressing '${reason}: ${message}'`, (object) => {
      const { reason: actual, message: text, observedGeneration } = condition(object, 'Progressing');
      const fits = typeof message === 'string' ? text === message : message.test(text);
      return actual === reason && fits && observedGeneration === object.metadata.generation;
    });
  }

  async gone(kind: Kind, name: string): Promise<void> {
    await this.follower.until(kind, name, 'gone', (object) => object === undefined, this.ground.deadlineMs);
  }

  /** @param look  undefined once it is so; until then what is instead */
  async eventually(what: string, look: () => string | undefined | Promise<string | undefined>): Promise<void> {
    const until = this.clock.now() + this.ground.deadlineMs;
    for (;;) {
      const instead = await look();
      if (instead === undefined) return;
      if (this.clock.now() > until)
        throw new Error(`not so after ${this.ground.deadlineMs} ms: ${what}; instead ${instead}`);
      await this.clock.sleep(POLL_MS);
    }
  }

  // --- the cloud -----------------------------------------------------------------------------------------------

  async cloud(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: JsonObject,
  ): Promise<JsonObject> {
    const session = await this.session();
    const call = {
      service: serviceOf(path),
      method,
      path,
      deadlineAt: this.clock.now() + CALL_MS,
      traceparent: `00-${'e'.repeat(32)}-${'e'.repeat(16)}-01`,
    };
    return (await session.call(body === undefined ? call : { ...call, body })).body;
  }

  /** What Keystone lists. */
  async listed(
    collection: 'role_assignments',
    query: readonly (readonly [string, string])[],
  ): Promise<readonly JsonObject[]> {
    return listAll(await this.session(), tableOf(collection), { deadlineAt: this.#deadlineAt(), query });
  }

  /** What Keystone lists below a resource. */
  async below(path: `/${string}`, key: string): Promise<readonly JsonObject[]> {
    const { [key]: items } = await this.cloud('GET', path);
    return (items as readonly JsonObject[]).filter((item) => String(item['name']).startsWith(this.prefix));
  }

  /** What there is in the cloud under this world's names, or of what its objects made. @param collection  see `tableOf` */
  async contents(collection: string): Promise<readonly JsonObject[]> {
    const table = tableOf(collection);
    const [users, own] = [this.#idsSeen('User'), new Set(this.#idsSeen())];
    const all = await listAll(await this.session(), table, { deadlineAt: this.#deadlineAt(), users });
    return all.filter((item) => {
      if (table.identity !== undefined) return Object.values(item).some((part) => own.has(String(part)));
      const { name } = item;
      return typeof name === 'string' ? name.startsWith(this.prefix) : JSON.stringify(item).includes(this.prefix);
    });
  }

  /** Ids of what objects have stood for: of a kind; of all kinds those that were made for them. */
  #idsSeen(kind?: Kind): readonly string[] {
    const seen = this.follower.everSeen().flatMap((key) => {
      const [of = '', name = ''] = key.split('/');
      return kind === undefined || of === kind ? this.follower.history(of, name) : [];
    });
    const made = seen.filter(({ spec }) => kind !== undefined || spec?.['managementPolicy'] !== 'unmanaged');
    return [...new Set(made.flatMap(({ status }) => (status?.id === undefined ? [] : [status.id])))];
  }

  /** The ports by which a router is plugged into subnets. */
  async plugs(routerId: unknown): Promise<readonly JsonObject[]> {
    const query = [['device_id', String(routerId)]] as const;
    const all = await listAll(await this.session(), tableOf('ports'), { deadlineAt: this.#deadlineAt(), query });
    return all.filter((port) => port['device_owner'] === 'network:router_interface');
  }

  /** The kinds whose services the cloud lacks. */
  async lacking(): Promise<readonly TableKind[]> {
    const session = await this.session();
    const kinds = [...TABLES.values()].filter(({ ofUser }) => ofUser === undefined);
    const offered = await Promise.all(kinds.map((kind) => isOffered(session, kind, this.#deadlineAt())));
    return kinds.filter((_, index) => !offered[index]);
  }

  #deadlineAt(): number {
    return this.clock.now() + CALL_MS;
  }

  /** Makes a network that no object stands for. @returns its id */
  async outside(name: string, attributes: JsonObject = {}): Promise<string> {
    const { network } = await this.cloud('POST', '/networks', { network: { name, ...attributes } });
    return (network as { id: string }).id;
  }

  session(): Promise<Session> {
    const ref = { secretName: 'secret', cloudName: this.ground.cloudName };
    return this.#sessions.open('ns', ref, '1', this.clock.now() + CALL_MS);
  }

  // --- the end -------------------------------------------------------------------------------------------------

  /** Leaves nothing behind on what others use too, also after a test that failed halfway. */
  async close(): Promise<void> {
    try {
      await this.stop();
      if (this.ground.name === 'real') await this.#scrub();
    } finally {
      await this.follower.close();
      await this.#sessions.close();
      await this.#runtimeClient?.close();
      await this.client.close();
      await this.ground.close();
    }
  }

  /** Deletes a namespace with all objects of ours, also those that nobody cares for any more. */
  async scrubNamespace(name: string): Promise<void> {
    for (const kind of KINDS) {
      // Marked first: the runtime of the next test would take an object that is not for its own.
      await this.client.call({ method: 'DELETE', path: resourcePath(resourceOf(kind), name) });
      const { body } = await this.client.call({ method: 'GET', path: resourcePath(resourceOf(kind), name) });
      for (const { metadata } of body['items'] as unknown as Raw[]) {
        const path = resourcePath(resourceOf(kind), name, metadata.name);
        const patch = { metadata: { finalizers: null } };
        await this.client.call({ method: 'PATCH', path, contentType: 'application/merge-patch+json', body: patch });
      }
    }
    await this.deleteNamespace(name).catch((error: unknown) => {
      // A test that failed halfway through its end.
      if (!(error instanceof AbsentError)) throw error;
    });
  }

  async #scrub(): Promise<void> {
    for (const name of this.#namespaces) await this.scrubNamespace(name);
    for (const { id } of await this.contents('routers')) {
      for (const { id: port_id = null } of await this.plugs(id)) {
        await this.cloud('PUT', `/routers/${id}/remove_router_interface`, { port_id });
      }
    }
    const lacking = await this.lacking();
    for (const table of KINDS.map((kind) => TABLES.get(kind))) {
      if (table === undefined || lacking.includes(table)) continue;
      const { collection, kind } = table;
      const remove = async (item: JsonObject): Promise<void> => {
        if (kind === 'Domain') await this.cloud('PATCH', `/domains/${item['id']}`, { domain: { enabled: false } });
        await this.cloud('DELETE', pathOf(table, item));
      };
      // Servers and volumes are deleted when the cloud has time for it; what uses a resource holds it until then.
      const asked = new Set<unknown>();
      await this.eventually(`nothing is left of '${collection}'`, async () => {
        const left = await this.contents(collection);
        const refusals: string[] = [];
        for (const item of left.filter(({ id }) => !asked.has(id))) {
          try {
            await remove(item);
            asked.add(item['id']);
          } catch (error) {
            refusals.push((error as Error).message);
          }
        }
        return left.length === 0 ? undefined : JSON.stringify([...left.map(({ id }) => id), ...refusals]);
      });
    }
  }
}

/** Reconciled as it was applied last. */
export function isDone(object: Raw): boolean {
  const { status, observedGeneration } = condition(object, 'Progressing');
  return status === 'False' && observedGeneration === object.metadata.generation;
}

export function resourceOf(kind: Kind): Resource {
  if (kind === 'Secret') return SECRETS;
  const contract = openstackContracts.find((candidate) => candidate.kind === kind);
  if (contract === undefined) throw new Error(`there is no kind '${kind}'`);
  return { realm: REALM, group: GROUP, version: VERSION, kind, plural: contract.plural };
}

/** Adds a test that plays in a world of its own. */
export type Check = (title: string, run: (world: World) => Promise<void>, options?: WorldOptions) => void;

export function checkIn(test: Test, openGround: OpenGround): Check {
  return (title, run, options = {}) => {
    test(title, () =>
      inWorld(openGround, options, async (world) => {
        await run(world);
        assert.equal(world.lines('error'), []);
      }),
    );
  };
}

/** Runs with a world of its own. @throws {AggregateError} it fails, and the world cannot be cleaned up after it either */
export async function inWorld(
  openGround: OpenGround,
  options: WorldOptions,
  run: (world: World) => Promise<void>,
): Promise<void> {
  const world = await World.open(openGround, options);
  const failures: unknown[] = [];
  for (const step of [() => run(world), () => world.close()])
    await step().catch((error: unknown) => failures.push(error));
  if (failures.length > 1)
    throw new AggregateError(failures, failures.map((error) => (error as Error).message).join('\nand then: '));
  if (failures.length > 0) throw failures[0];
}

function parsed(manifest: string): readonly JsonObject[] {
  return parseAllDocuments(manifest).map((document) => document.toJS() as JsonObject);
}

function hurried(clock: Clock): Hurried {
  const running = new Map<Timer, { readonly delayMs: number; readonly run: () => void }>();
  const setTimeout = (run: () => void, delayMs: number): Timer => {
    const once = (): void => {
      if (running.delete(timer)) run();
    };
    const timer = clock.setTimeout(once, delayMs);
    running.set(timer, { delayMs, run: once });
    return timer;
  };
  return {
    now: () => clock.now(),
    steady: () => clock.steady(),
    sleep: (delayMs, signal) => clock.sleep(delayMs, signal),
    random: () => clock.random(),
    setTimeout,
    clearTimeout(timer) {
      if (timer !== undefined) running.delete(timer);
      clock.clearTimeout(timer);
    },
    hurry(leastMs) {
      for (const [timer, { delayMs, run }] of [...running]) {
        if (delayMs < leastMs || delayMs === Number.POSITIVE_INFINITY) continue;
        clock.clearTimeout(timer);
        run();
      }
    },
    pending: () => [...running.values()].map(({ delayMs }) => delayMs).filter(Number.isFinite),
  };
}

export { condition, said };
