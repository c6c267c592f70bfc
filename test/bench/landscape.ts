// Objects for the benchmarks, and how many of them are brought to the API server at once.
import type { JsonObject } from '../../bus/mod.ts';
import type { Stage } from './stage.ts';

export const CREDENTIALS = { secretName: 'clouds', cloudName: process.env['OS_CLOUD'] ?? 'openstack' };
export const GROUP = '/apis/openstack.k-orc.cloud/v1alpha1';
/** Requests of the benchmark that are under way at a time. */
const IN_FLIGHT = 64;

export interface Item {
  readonly plural: string;
  readonly name: string;
  readonly body: JsonObject;
}

export function network(name: string): Item {
  return { plural: 'networks', name, body: body('Network', name, {}) };
}

export function subnet(name: string, networkRef: string): Item {
  const resource = { networkRef, ipVersion: 4, cidr: '10.0.0.0/24', enableDHCP: false };
  return { plural: 'subnets', name, body: body('Subnet', name, resource) };
}

export function port(name: string, networkRef: string, subnetRef?: string): Item {
  const addresses = subnetRef === undefined ? {} : { addresses: [{ subnetRef }] };
  return { plural: 'ports', name, body: body('Port', name, { networkRef, ...addresses }) };
}

function body(kind: string, name: string, resource: JsonObject): JsonObject {
  return {
    apiVersion: 'openstack.k-orc.cloud/v1alpha1',
    kind,
    metadata: { name },
    spec: { cloudCredentialsRef: CREDENTIALS, resource },
  };
}

export interface Stored {
  readonly metadata: { readonly generation: number };
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly observedGeneration: number;
    }[];
  };
}

export function isAvailable({ metadata: { generation }, status }: Stored): boolean {
  return (
    status?.conditions?.some(
      ({ type, status, observedGeneration }) =>
        type === 'Available' && status === 'True' && observedGeneration === generation,
    ) ?? false
  );
}

/** What a kind is called in paths. */
export function pluralOf(kind: string): string {
  return `${kind.toLowerCase()}s`;
}

/** A namespace of its own at the API server of a stage. */
export class Landscape {
  readonly #stage: Stage;
  readonly #namespace: string;
  readonly #group: string;

  /**
   * @param name  what the name of the namespace begins with: that of an earlier run may still be going
   * @param group  of its objects, as in paths
   */
  constructor(stage: Stage, name: string, group = GROUP) {
    this.#stage = stage;
    this.#group = group;
    this.#namespace = `${name}-${Math.floor(stage.clock.random() * 36 ** 6).toString(36)}`;
  }

  get namespace(): string {
    return this.#namespace;
  }

  /** Makes the namespace and Secrets in it: the credentials of the cloud, unless others are given. */
  async open(
    secrets: Parameters<Landscape['secrets']>[0] = {
      [CREDENTIALS.secretName]: { 'clouds.yaml': this.#stage.cloudsYaml },
    },
  ): Promise<void> {
    const { client } = this.#stage;
    const path = '/api/v1/namespaces';
    const name = this.#namespace;
    await client.call({ method: 'POST', path, body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } } });
    await this.secrets(secrets);
  }

  /** Makes Secrets, by their names. */
  async secrets(contents: Readonly<Record<string, Readonly<Record<string, string>>>>): Promise<void> {
    const { client } = this.#stage;
    const path = `/api/v1/namespaces/${this.#namespace}/secrets`;
    await each(Object.entries(contents), ([name, stringData]) => {
      const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData };
      return client.call({ method: 'POST', path, body });
    });
  }

  /** All at once, begun in the order given. */
  async apply(items: readonly Item[]): Promise<void> {
    const { client } = this.#stage;
    await each(items, ({ plural, body }) => client.call({ method: 'POST', path: this.#path(plural), body }));
  }

  async remove(items: readonly Item[]): Promise<void> {
    const { client } = this.#stage;
    await each(items, ({ plural, name }) => client.call({ method: 'DELETE', path: `${this.#path(plural)}/${name}` }));
  }

  /** Changes members of an object; null takes one away. */
  async merge(plural: string, name: string, patch: JsonObject): Promise<void> {
    await this.#stage.client.call({
      method: 'PATCH',
      path: `${this.#path(plural)}/${name}`,
      contentType: 'application/merge-patch+json',
      body: patch,
    });
  }

  /** Writes a status as if it had always been there. */
  async writeStatus(items: readonly { readonly item: Item; readonly status: JsonObject }[]): Promise<void> {
    const { client } = this.#stage;
    await each(items, ({ item: { plural, name }, status }) =>
      client.call({
        method: 'PATCH',
        path: `${this.#path(plural)}/${name}/status`,
        contentType: 'application/merge-patch+json',
        body: { status },
      }),
    );
  }

  /** How many objects of a kind there are, and how many of them are Available as of their generation. */
  async count(plural: string): Promise<{ readonly present: number; readonly available: number }> {
    const items = await this.list(plural);
    return { present: items.length, available: items.filter(isAvailable).length };
  }

  /** The objects of a kind as they are stored. */
  async list(plural: string): Promise<readonly Stored[]> {
    const found: Stored[] = [];
    let next = '';
    do {
      const { body } = await this.#stage.client.call({
        method: 'GET',
        path: `${this.#path(plural)}?limit=1000${next}`,
      });
      const { items, metadata } = body as unknown as { items: Stored[]; metadata: { continue?: string } };
      found.push(...items);
      next = metadata.continue ? `&continue=${encodeURIComponent(metadata.continue)}` : '';
    } while (next !== '');
    return found;
  }

  /** Deletes the namespace and waits until it is gone from where the API server's controllers delete it. */
  async close(): Promise<void> {
    await this.#stage.client.call({ method: 'DELETE', path: `/api/v1/namespaces/${this.#namespace}` });
  }

  #path(plural: string): string {
    return `${this.#group}/namespaces/${this.#namespace}/${plural}`;
  }
}

/** Runs `run` for all items, so many at a time. */
async function each<Value>(items: readonly Value[], run: (item: Value) => Promise<unknown>): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) await run(item);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, work));
}
