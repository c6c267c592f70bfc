// The stage of the suites of kinds: a cloud as a test opens it, and the test's own part of it.
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import type { domain } from '../../../adapters/openstack/kinds/domain.ts';
import type { ResourceOf } from '../../../adapters/openstack/kinds/kind.ts';
import type { network } from '../../../adapters/openstack/kinds/network.ts';
import type { project } from '../../../adapters/openstack/kinds/project.ts';
import type { subnet } from '../../../adapters/openstack/kinds/subnet.ts';
import { openstackKinds, type Sessions } from '../../../adapters/openstack/mod.ts';
import type { Session } from '../../../adapters/openstack/session.ts';
import type { JsonObject } from '../../../bus/bus.ts';
import { type ErrorCode, TroupeError } from '../../../bus/errors.ts';
import type { Clock } from '../../../bus/time.ts';
import type { KubeObject, ManagedOperations, Observation, OperationRequest } from '../../../machines/kind.ts';

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
  readonly Network: typeof network;
  readonly Project: typeof project;
  readonly Subnet: typeof subnet;
}
type KindName = keyof Kinds;

const CALL_MS = 60_000;

/** One test's part of a cloud. What is made through it is removed when it is closed, dependants first. */
export class Scene {
  readonly cloud: Cloud;
  /** Unlike that of any other test. */
  readonly prefix: string;
  readonly #operations: ReadonlyMap<string, ManagedOperations>;
  readonly #made: string[] = [];

  constructor(cloud: Cloud) {
    this.cloud = cloud;
    this.prefix = `kinds-${Math.floor(cloud.clock.now() * 1_000).toString(36)}`;
    this.#operations = new Map(openstackKinds(cloud).map(({ kind, operations }) => [kind, operations]));
  }

  operations(kind: KindName): ManagedOperations {
    return this.#operations.get(kind) as ManagedOperations;
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

  /** `ids` are those of references that are ready, by `<Kind>/<name>`. */
  request(object: KubeObject, ids: Readonly<Record<string, string>> = {}): OperationRequest {
    const dependencies = Object.fromEntries(Object.entries(ids).map(([key, id]) => [key, { id, ready: true }]));
    const deadlineAt = this.cloud.clock.now() + CALL_MS;
    return { object, dependencies, credentialsVersion: '1', deadlineAt, traceId: '0123456789abcdef0123456789abcdef' };
  }

  async create(object: KubeObject, dependencies?: Readonly<Record<string, string>>): Promise<Observation> {
    const observation = await this.operations(object.kind as KindName).create(this.request(object, dependencies));
    this.#made.push(`${pathOf(object.kind as KindName)}/${observation.id}`);
    return observation;
  }

  observe(object: KubeObject, id: string): Promise<Observation | undefined> {
    return this.operations(object.kind as KindName).observe({ ...this.request(object), id });
  }

  /** Updates until nothing is left to do, as the runtime does. @returns how many passes sent something */
  async settle(
    object: KubeObject,
    start: Observation,
  ): Promise<{ readonly passes: number; readonly observation: Observation }> {
    let observation = start;
    for (let passes = 0; passes < 5; passes++) {
      const { changed } = await this.operations(object.kind as KindName).update({
        ...this.request(object),
        observation,
      });
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
    const service = /^\/(networks|subnets|ports)/.test(path) ? 'network' : 'identity';
    const deadlineAt = this.cloud.clock.now() + CALL_MS;
    const call = { service, method, path, deadlineAt, traceId: '' };
    return (await session.call(body === undefined ? call : { ...call, body })).body;
  }

  /** Makes a resource that no object stands for. @returns its id */
  async outside(kind: KindName, attributes: JsonObject): Promise<string> {
    const path = pathOf(kind);
    const body = await this.call('POST', path, { [kind.toLowerCase()]: attributes });
    const { id } = body[kind.toLowerCase()] as { readonly id: string };
    this.#made.push(`${path}/${id}`);
    return id;
  }

  /** Makes a port on a network, which keeps the network in use. */
  async occupy(networkId: string): Promise<void> {
    const { port } = await this.call('POST', '/ports', { port: { network_id: networkId } });
    this.#made.push(`/ports/${(port as { readonly id: string }).id}`);
  }

  async close(): Promise<void> {
    try {
      for (const path of this.#made.reverse()) {
        if (path.startsWith('/domains')) await this.call('PATCH', path, { domain: { enabled: false } });
        await this.call('DELETE', path);
      }
    } finally {
      await this.cloud.close();
    }
  }
}

function pathOf(kind: KindName): string {
  return `/${kind.toLowerCase()}s`;
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
