// The stage of the suites of kinds: a cloud as a test opens it, and the test's own part of it.
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import type { domain } from '../../../adapters/openstack/kinds/domain.ts';
import type { floatingIP } from '../../../adapters/openstack/kinds/floating-ip.ts';
import type { network } from '../../../adapters/openstack/kinds/network.ts';
import type { port } from '../../../adapters/openstack/kinds/port.ts';
import type { project } from '../../../adapters/openstack/kinds/project.ts';
import { KINDS } from '../../../adapters/openstack/kinds/registry.ts';
import type { router } from '../../../adapters/openstack/kinds/router.ts';
import type { securityGroup } from '../../../adapters/openstack/kinds/security-group.ts';
import type { subnet } from '../../../adapters/openstack/kinds/subnet.ts';
import type { ResourceOf } from '../../../adapters/openstack/kinds/table.ts';
import type { trunk } from '../../../adapters/openstack/kinds/trunk.ts';
import { lookUps } from '../../../adapters/openstack/look-ups.ts';
import { type ManagedKind, managedKind } from '../../../adapters/openstack/managed-kind.ts';
import type { Sessions } from '../../../adapters/openstack/mod.ts';
import { poller } from '../../../adapters/openstack/poller.ts';
import type { Session } from '../../../adapters/openstack/session.ts';
import type { JsonObject } from '../../../bus/bus.ts';
import { type ErrorCode, TroupeError } from '../../../bus/errors.ts';
import type { Clock } from '../../../bus/time.ts';
import type { Observation, ResourceOperations, UpdateOutcome } from '../../../machines/external-resource/operations.ts';
import type { KnownDependency, OperationRequest } from '../../../machines/kind.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { attentive } from './attentive.ts';

/** A cloud, as a test opens it. */
export interface Cloud {
  readonly sessions: Sessions;
  readonly clock: Clock;
  readonly cloudName: string;
  /** Fields of `spec.resource` that only clouds with some extension take. */
  readonly extras: {
    readonly Network: Partial<ResourceOf<typeof network>>;
    readonly Subnet: Partial<ResourceOf<typeof subnet>>;
  };
  close(): Promise<void>;
}

interface Kinds {
  readonly Domain: typeof domain;
  readonly FloatingIP: typeof floatingIP;
  readonly Network: typeof network;
  readonly Port: typeof port;
  readonly Project: typeof project;
  readonly Router: typeof router;
  readonly SecurityGroup: typeof securityGroup;
  readonly Subnet: typeof subnet;
  readonly Trunk: typeof trunk;
}
type KindName = keyof Kinds;

/** What is known of references, by `<Kind>/<name>`: their ids, or more than that. */
export type Dependencies = Readonly<Record<string, string | KnownDependency>>;

const CALL_MS = 60_000;

/** One test's part of a cloud. What is made through it is removed when it is closed, dependants first. */
export class Scene {
  readonly cloud: Cloud;
  /** The Server objects that the kinds see. */
  servers: readonly KubeObject[] = [];
  /** Unlike that of any other test. */
  readonly prefix: string;
  readonly #kinds: ReadonlyMap<string, ManagedKind>;
  readonly #made: string[] = [];

  constructor(cloud: Cloud) {
    this.cloud = cloud;
    const shared = lookUps(cloud);
    const polls = poller({ clock: cloud.clock, lookUps: shared });
    this.prefix = `kinds-${Math.floor(cloud.clock.now() * 1_000).toString(36)}`;
    this.#kinds = new Map(
      KINDS.map((kind) => [
        kind.kind,
        managedKind(attentive(kind), {
          defaultResyncMs: 0,
          ...cloud,
          lookUps: shared,
          poller: polls,
          servers: async () => this.servers,
        }),
      ]),
    );
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
    const observation = await this.operations(object.kind as KindName).create(this.request(object, dependencies));
    this.#made.push(`${pathOf(object.kind as KindName)}/${observation.id}`);
    return observation;
  }

  observe(object: KubeObject, id: string): Promise<Observation | undefined> {
    return this.operations(object.kind as KindName).observe({ ...this.request(object), id });
  }

  /** One pass of the update steps. */
  update(object: KubeObject, observation: Observation, dependencies?: Dependencies): Promise<UpdateOutcome> {
    const request = { ...this.request(object, dependencies), observation };
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
      observation = (await this.observe(object, observation.id)) as Observation;
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
    const service = /^\/(networks|subnets|ports|routers|security-group|floatingips|trunks|quotas)/.test(path)
      ? 'network'
      : 'identity';
    const deadlineAt = this.cloud.clock.now() + CALL_MS;
    const call = { service, method, path, deadlineAt, traceparent: '' };
    return (await session.call(body === undefined ? call : { ...call, body })).body;
  }

  /** Makes a resource that no object stands for. @returns its id */
  async outside(kind: KindName, attributes: JsonObject): Promise<string> {
    const path = pathOf(kind);
    const member = path.slice(1, -1).replaceAll('-', '_');
    const body = await this.call('POST', path, { [member]: attributes });
    const { id } = body[member] as { readonly id: string };
    this.#made.push(`${path}/${id}`);
    return id;
  }

  /** Limits what a project may have, until the scene is closed. */
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

  async #unplug(router: string): Promise<void> {
    for (const { id } of await this.list('ports', `device_id=${router.split('/').at(-1)}`)) {
      await this.call('PUT', `${router}/remove_router_interface`, { port_id: id ?? null });
    }
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
        if (path.startsWith('/domains')) await this.call('PATCH', path, { domain: { enabled: false } });
        if (path.startsWith('/routers')) await this.#unplug(path);
        if (path.startsWith('/trunks')) await this.call('PUT', path, { trunk: { admin_state_up: true } });
        if (path.startsWith('/projects')) await this.#removeDefaultGroup(path);
        await this.call('DELETE', path);
      }
      for (const { id, project_id: project } of await this.list('security-groups', 'name=default')) {
        // Projects that Keystone never heard of have a group too.
        if (String(project).startsWith(this.prefix)) await this.call('DELETE', `/security-groups/${id}`);
      }
    } finally {
      await this.cloud.close();
    }
  }
}

function pathOf(kind: KindName): string {
  return kind === 'FloatingIP' ? '/floatingips' : `/${kind.replaceAll(/\B[A-Z]/g, '-$&').toLowerCase()}s`;
}

/** What an operation fails with. */
async function failure(promise: Promise<unknown>): Promise<TroupeError> {
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

/** Adds a test that plays on a scene of its own. */
export type Check = (title: string, run: (scene: Scene) => Promise<void>) => void;

export function checkOn(test: Test, open: () => Promise<Cloud>): Check {
  return (title, run) => {
    test(title, async () => {
      const scene = new Scene(await open());
      try {
        await run(scene);
      } finally {
        await scene.close();
      }
    });
  };
}

/** No match, and that proves that there is none. */
export function foundNothing({ matches, exact }: Awaited<ReturnType<ResourceOperations['find']>>): void {
  assert.equal({ matches, exact }, { matches: [], exact: true });
}
