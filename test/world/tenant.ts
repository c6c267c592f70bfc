// A tenant of a cloud: one test's part of it, for the suites of kinds.
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import type { SecretContent } from '../../adapters/api/adapter.ts';
import { egressPolicyOf } from '../../adapters/http/egress-policy.ts';
import { GLANCE } from '../../adapters/openstack/base/services.ts';
import { lookUps } from '../../adapters/openstack/client/lookups.ts';
import { poller } from '../../adapters/openstack/client/poller.ts';
import { HttpError, type Session } from '../../adapters/openstack/client/session.ts';
import { bodyOf, changeRequest, resourceIn } from '../../adapters/openstack/client/wire-format.ts';
import { type Downloads, downloads } from '../../adapters/openstack/downloads/download-policy.ts';
import { type BY_NAME, KINDS } from '../../adapters/openstack/kinds/registry.ts';
import { unlikeness } from '../../adapters/openstack/resource/likeness.ts';
import { type ManagedKind, managedKind } from '../../adapters/openstack/resource/managed-kind.ts';
import type { ResourceOf, TableKind } from '../../adapters/openstack/resource/table.ts';
import { pathOf as pathTo } from '../../adapters/openstack/resource/update.ts';
import { placed } from '../../adapters/openstack/resource/user-collections.ts';
import type { Simulator } from '../../adapters/simulated/openstack/mod.ts';
import type { JsonObject } from '../../bus/bus.ts';
import { type ErrorCode, TroupeError } from '../../bus/errors.ts';
import type { Observation, ResourceOperations, UpdateOutcome } from '../../machines/external-resource/operations.ts';
import type { Claimant, KnownDependency, OperationRequest } from '../../machines/kind.ts';
import type { LongCallRequest } from '../../machines/lifecycle.ts';
import type { KubeObject } from '../../machines/object.ts';
import { serviceOf } from '../adapters/openstack/service-paths.ts';
import { attentive, isTableKind } from './attentive.ts';
import { type Cloud, openCloud, type SimulatedCloud, type SimulatedCloudOptions } from './openstack.ts';

/** All kinds but those that no object is made of by itself, with their types. */
export type Kinds = {
  readonly [Name in Exclude<keyof typeof BY_NAME, 'routerInterface'> as Capitalize<Name>]: (typeof BY_NAME)[Name];
};
export type KindName = keyof Kinds;

/** What is known of references, by `<Kind>/<name>`: their ids, or more than that. */
export type Dependencies = Readonly<Record<string, string | KnownDependency>>;

const CALL_MS = 60_000;
const NEVER = new AbortController().signal;
type ContentTransfer = Partial<Pick<LongCallRequest, 'signal' | 'validUntil' | 'progress'>>;
/** Between two looks at what the cloud works on. */
const POLL_MS = 50;

/** One test's part of a cloud. What is made through it is removed when it is closed, dependents first. */
export class Tenant {
  readonly cloud: Cloud;
  /** The Secrets that the objects refer to, by name: texts by key. */
  readonly secrets = new Map<string, Readonly<Record<string, string>>>();
  /** Unlike that of any other test. */
  readonly prefix: string;
  readonly #kinds: ReadonlyMap<string, ManagedKind>;
  readonly #made: string[] = [];
  readonly #downloads: Downloads;

  constructor(cloud: Cloud) {
    this.cloud = cloud;
    this.#downloads = downloads({
      clock: cloud.clock,
      version: '0',
      reach: egressPolicyOf({ allow: ['*'], deny: [] }),
    });
    const shared = lookUps(cloud);
    const polls = poller({ clock: cloud.clock, lookUps: shared });
    this.prefix = `kinds-${Math.floor(cloud.clock.now() * 1_000).toString(36)}`;
    this.#kinds = new Map(
      KINDS.map((kind) => [
        kind.kind,
        managedKind(attentive(kind), {
          defaultResyncMs: 0,
          ...cloud,
          downloads: this.#downloads,
          lookUps: shared,
          poller: polls,
          readSecret: async (_, name) => this.#secret(name),
        }),
      ]),
    );
  }

  #secret(name: string): SecretContent | undefined {
    const texts = this.secrets.get(name);
    if (texts === undefined) return undefined;
    const data = Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
    return { uid: name, resourceVersion: '1', data: Object.fromEntries(data) };
  }

  kind(kind: KindName | 'RouterInterface'): ManagedKind {
    return this.#kinds.get(kind) as ManagedKind;
  }

  operations(kind: KindName | 'RouterInterface'): ResourceOperations {
    return this.kind(kind).operations;
  }

  name(suffix: string): string {
    return `${this.prefix}-${suffix}`;
  }

  /** `resource` as the contract of the kind types it, or as much of it as the test is about. */
  managed<K extends KindName>(kind: K, suffix: string, resource: Partial<ResourceOf<Kinds[K]>> = {}): KubeObject {
    return this.object(kind, suffix, { managementPolicy: 'managed', resource: resource as JsonObject });
  }

  imported(kind: KindName, by: JsonObject): KubeObject {
    return this.object(kind, 'imported', { managementPolicy: 'unmanaged', import: by });
  }

  object(kind: KindName, suffix: string, spec: JsonObject): KubeObject {
    const cloudCredentialsRef = { secretName: 'credentials', cloudName: this.cloud.cloudName };
    return {
      apiVersion: 'openstack.k-orc.cloud/v1alpha1',
      kind,
      metadata: { name: this.name(suffix), namespace: 'test', uid: 'uid', resourceVersion: '1', generation: 1 },
      spec: { cloudCredentialsRef, ...spec },
    };
  }

  /** A reference of which only the id is told is ready. */
  request(object: KubeObject, known: Dependencies = {}): OperationRequest {
    const dependencies = Object.fromEntries(
      Object.entries(known).map(([key, each]) => [key, typeof each === 'string' ? { id: each, ready: true } : each]),
    );
    const deadlineAt = this.cloud.clock.now() + CALL_MS;
    return {
      object,
      dependencies,
      credentialsVersion: '1',
      deadlineAt,
      traceparent: '00-0123456789abcdef0123456789abcdef-0123456789abcdef-01',
    };
  }

  async create(object: KubeObject, dependencies?: Dependencies): Promise<Observation> {
    const request = this.request(object, dependencies);
    const observation = await this.operations(object.kind as KindName).create(request);
    const place = await placed(tableOf(object.kind as KindName), await this.session(), request);
    this.#made.push(pathTo(place, observation.id));
    // Whatever the kind: a deletion whose create was not answered must know its resource again (EXTERNAL-RESOURCE-9, I4).
    const isWhole = Object.keys(observation.attributes).length > 1;
    const seen = isWhole ? observation : await this.observe(object, observation.id, dependencies);
    const unlike = seen && unlikeness(tableOf(object.kind as KindName), object, request.dependencies, seen);
    assert.is(unlike, undefined, `what ${object.kind} '${object.metadata.name}' has made: ${unlike}`);
    return observation;
  }

  observe(object: KubeObject, id: string, dependencies?: Dependencies): Promise<Observation | undefined> {
    return this.operations(object.kind as KindName).observe({ ...this.request(object, dependencies), id });
  }

  /** One pass of the update steps. */
  update(
    object: KubeObject,
    observation: Observation,
    dependencies?: Dependencies,
    claimants: readonly Claimant[] = [],
  ): Promise<UpdateOutcome> {
    const request = { ...this.request(object, dependencies), observation, claimants };
    return this.operations(object.kind as KindName).update(request);
  }

  /** Updates until nothing is left to do, as the runtime does. @returns how many passes sent something */
  async settle(
    object: KubeObject,
    start: Observation,
    dependencies?: Dependencies,
  ): Promise<{ readonly passes: number; readonly observation: Observation }> {
    let observation = start;
    for (let passes = 0; passes < 5; passes++) {
      const { changed } = await this.update(object, observation, dependencies);
      if (!changed) return { passes, observation };
      observation = (await this.observe(object, observation.id, dependencies)) as Observation;
    }
    throw new Error(`'${object.metadata.name}' is changed on every pass`);
  }

  session(): Promise<Session> {
    const ref = { secretName: 'credentials', cloudName: this.cloud.cloudName };
    return this.cloud.sessions.open('test', ref, '1', this.cloud.clock.now() + CALL_MS);
  }

  /** A call that no operation makes. */
  async call(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: JsonObject,
  ): Promise<JsonObject> {
    const session = await this.session();
    const service = serviceOf(path);
    const deadlineAt = this.cloud.clock.now() + CALL_MS;
    const call = { service, method, path, deadlineAt, traceparent: '' };
    return (await session.call(body === undefined ? call : { ...call, body })).body;
  }

  /** Makes a resource that no object stands for. @returns its id */
  async outside(kind: KindName, attributes: JsonObject): Promise<string> {
    const table = tableOf(kind);
    const path = pathOf(kind);
    const body = await this.call('POST', path, bodyOf(table, attributes));
    const { id } = resourceIn(table, body) as { readonly id: string };
    this.#made.push(`${path}/${encodeURIComponent(id)}`);
    return id;
  }

  /** Brings the content of an image, as its life does. */
  fill(
    object: KubeObject,
    id: string,
    { signal = NEVER, validUntil = () => Number.POSITIVE_INFINITY, progress = () => undefined }: ContentTransfer = {},
  ): Promise<unknown> {
    const { fill } = this.operations(object.kind as KindName);
    return (fill as NonNullable<typeof fill>)({ ...this.request(object), id, signal, validUntil, progress });
  }

  /** Limits what a project may have, until the tenant is closed. */
  async limit(projectId: string, quota: Readonly<Record<string, number>>): Promise<void> {
    await this.call('PUT', `/quotas/${projectId}`, { quota });
    this.#made.push(`/quotas/${projectId}`);
  }

  /** Makes a port on a network, which keeps the network in use. */
  async occupy(networkId: string): Promise<void> {
    const { port } = await this.call('POST', '/ports', { port: { network_id: networkId } });
    this.#made.push(`/ports/${(port as { readonly id: string }).id}`);
  }

  /** What a list of Neutron's holds. */
  async list(collection: string, query: string): Promise<readonly JsonObject[]> {
    const session = await this.session();
    const deadlineAt = this.cloud.clock.now() + CALL_MS;
    const call = {
      service: 'network',
      path: `/${collection}`,
      query: [...new URLSearchParams(query)],
      deadlineAt,
      traceparent: '',
    };
    return session.list(call, collection.replaceAll('-', '_'));
  }

  /** Once it is made, and until it is gone: its type is in use for as long. */
  async #removeVolume(path: string): Promise<void> {
    await this.#awaitVolume(path, ({ status }) => status !== 'creating' && status !== 'downloading');
    await this.call('DELETE', path);
    await this.#awaitVolume(path, () => false);
  }

  /** @returns once it is as wanted, or gone */
  async #awaitVolume(path: string, isWanted: (volume: JsonObject) => boolean): Promise<void> {
    const { clock } = this.cloud;
    const limitAt = clock.now() + CALL_MS;
    for (;;) {
      const { volume } = await this.call('GET', path);
      if (volume === undefined || isWanted(volume as JsonObject)) return;
      if (clock.now() > limitAt) throw new Error(`'${path}' stays ${(volume as JsonObject)['status']}`);
      await clock.sleep(POLL_MS);
    }
  }

  /** Until nothing is there: what it uses is free then. */
  async #awaitEnd(path: string): Promise<void> {
    const { clock } = this.cloud;
    const limitAt = clock.now() + CALL_MS;
    while ((await this.call('GET', path))['server'] !== undefined) {
      if (clock.now() > limitAt) throw new Error(`'${path}' does not go`);
      await clock.sleep(POLL_MS);
    }
  }

  /** Whether Keystone lets in who says so of himself. */
  async letsIn(identity: JsonObject): Promise<boolean> {
    try {
      await this.call('POST', '/auth/tokens', { auth: { identity } });
      return true;
    } catch (error) {
      assert.instance(error, HttpError);
      assert.is((error as HttpError).status, 401);
      return false;
    }
  }

  /** Reads until the resource is available. */
  async build(object: KubeObject, { id }: Observation): Promise<Observation> {
    const { clock } = this.cloud;
    const limitAt = clock.now() + CALL_MS;
    for (;;) {
      const observation = (await this.observe(object, id)) as Observation;
      if (observation.available) return observation;
      if (clock.now() > limitAt)
        throw new Error(`'${object.metadata.name}' is not available: ${observation.resource['status']}`);
      await clock.sleep(POLL_MS);
    }
  }

  /** Reads until the resource is gone. */
  async vanish(object: KubeObject, id: string): Promise<void> {
    const { clock } = this.cloud;
    const limitAt = clock.now() + CALL_MS;
    while ((await this.observe(object, id)) !== undefined) {
      if (clock.now() > limitAt) throw new Error(`'${object.metadata.name}' does not go`);
      await clock.sleep(POLL_MS);
    }
  }

  async #unplug(router: string): Promise<void> {
    for (const { id } of await this.list('ports', `device_id=${router.split('/').at(-1)}`)) {
      await this.call('PUT', `${router}/remove_router_interface`, { port_id: id ?? null });
    }
  }

  async #unprotect(image: string): Promise<void> {
    const session = await this.session();
    const change = changeRequest({ service: GLANCE, member: 'image' }, { protected: false });
    const deadlineAt = this.cloud.clock.now() + CALL_MS;
    await session.call({ service: 'image', path: image, deadlineAt, traceparent: '', ...change });
  }

  /** The group that Neutron made for a project as soon as it had something. */
  async #removeDefaultGroup(project: string): Promise<void> {
    for (const { id } of await this.list('security-groups', `project_id=${project.split('/').at(-1)}`)) {
      await this.call('DELETE', `/security-groups/${id}`);
    }
  }

  async close(): Promise<void> {
    try {
      for (const path of this.#made.reverse()) {
        if (/^\/domains\/[^/]+$/.test(path)) await this.call('PATCH', path, { domain: { enabled: false } });
        if (path.startsWith('/routers')) await this.#unplug(path);
        if (path.startsWith('/images')) await this.#unprotect(path);
        if (path.startsWith('/trunks')) await this.call('PUT', path, { trunk: { admin_state_up: true } });
        if (path.startsWith('/projects')) await this.#removeDefaultGroup(path);
        if (path.startsWith('/volumes')) await this.#removeVolume(path);
        else await this.call('DELETE', path);
        if (path.startsWith('/servers')) await this.#awaitEnd(path);
      }
      for (const { id, project_id: project } of await this.list('security-groups', 'name=default')) {
        // Projects that Keystone never heard of have a group too.
        if (String(project).startsWith(this.prefix)) await this.call('DELETE', `/security-groups/${id}`);
      }
    } finally {
      await this.#downloads.close();
      await this.cloud.close();
    }
  }
}

const TABLES: readonly TableKind[] = KINDS.filter(isTableKind);

function tableOf(kind: KindName): TableKind {
  return TABLES.find((table) => table.kind === kind) as TableKind;
}

function pathOf(kind: KindName): string {
  return `/${tableOf(kind).collection}`;
}

/** What an operation fails with. */
export async function failure(promise: Promise<unknown>): Promise<TroupeError> {
  try {
    await promise;
  } catch (error) {
    assert.instance(error, TroupeError);
    return error as TroupeError;
  }
  return assert.unreachable('nothing failed') as never;
}

export async function fails(
  promise: Promise<unknown>,
  code: ErrorCode,
  message: RegExp,
  reason?: string,
): Promise<void> {
  const error = await failure(promise);
  assert.is(error.code, code, error.message);
  assert.match(error.message, message);
  if (reason !== undefined) assert.is((error as TroupeError & { readonly reason?: string }).reason, reason);
}

/** Adds a test with a tenant of its own. */
export type Check = (title: string, run: (tenant: Tenant) => Promise<void>) => void;

export function checkOn(test: Test, open: () => Promise<Cloud>): Check {
  return (title, run) => void test(title, async () => withTenantOf(await open(), run));
}

/** Closes both. */
async function withTenantOf(cloud: Cloud, run: (tenant: Tenant) => Promise<void>): Promise<void> {
  const tenant = new Tenant(cloud);
  try {
    await run(tenant);
  } finally {
    await tenant.close();
  }
}

/** Runs a test with a tenant of a simulated cloud of its own. What it leaves goes with the cloud. */
export async function withTenant(
  run: (tenant: Tenant, simulator: Simulator, cloud: SimulatedCloud) => Promise<void>,
  options?: SimulatedCloudOptions,
): Promise<void> {
  const cloud = await openCloud(options);
  try {
    await run(new Tenant(cloud), cloud.simulator, cloud);
  } finally {
    await cloud.close();
  }
}

/** No match, and that proves that there is none. */
export function foundNothing({ matches, exact }: Awaited<ReturnType<ResourceOperations['find']>>): void {
  assert.equal({ matches, exact }, { matches: [], exact: true });
}
