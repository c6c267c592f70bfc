// Objects for the benchmarks, and how many of them are brought to the API server at once.
import type { JsonObject } from '../../bus/mod.ts';
import type { Stage } from './stage.ts';

export const CREDENTIALS = { secretName: 'clouds', cloudName: process.env['OS_CLOUD'] ?? 'openstack' };
const GROUP = '/apis/openstack.k-orc.cloud/v1alpha1';
/** Requests of the benchmark that are under way at a time. */
const IN_FLIGHT = 64;

export interface Item {
  readonly plural: 'networks' | 'subnets' | 'ports';
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

interface Stored {
  readonly metadata: { readonly generation: number };
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly observedGeneration: number;
    }[];
  };
}

function isAvailable({ metadata: { generation }, status }: Stored): boolean {
  return (
    status?.conditions?.some(
      ({ type, status, observedGeneration }) =>
        type === 'Available' && status === 'True' && observedGeneration === generation,
    ) ?? false
  );
}

/** A namespace of its own at the API server of a stage. */
export class Landscape {
  readonly #stage: Stage;
  readonly #namespace: string;

  /** @param name  what the name of the namespace begins with: that of an earlier run may still be going */
  constructor(stage: Stage, name: string) {
    this.#stage = stage;
    this.#namespace = `${name}-${Math.floor(stage.clock.random() * 36 ** 6).toString(36)}`;
  }

  /** Makes the namespace and the credentials in it. */
  async open(): Promise<void> {
    const { client, cloudsYaml } = this.#stage;
    const path = '/api/v1/namespaces';
    const name = this.#namespace;
    await client.call({ method: 'POST', path, body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } } });
    await client.call({
      method: 'POST',
      path: `${path}/${name}/secrets`,
      body: {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: CREDENTIALS.secretName },
        stringData: { 'clouds.yaml': cloudsYaml },
      },
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
  async count(plural: Item['plural']): Promise<{ readonly present: number; readonly available: number }> {
    let present = 0;
    let available = 0;
    let next = '';
    do {
      const { body } = await this.#stage.client.call({
        method: 'GET',
        path: `${this.#path(plural)}?limit=1000${next}`,
      });
      const { items, metadata } = body as unknown as { items: Stored[]; metadata: { continue?: string } };
      present += items.length;
      available += items.filter(isAvailable).length;
      next = metadata.continue ? `&continue=${encodeURIComponent(metadata.continue)}` : '';
    } while (next !== '');
    return { present, available };
  }

  /** Whether an object is Available as of its generation. */
  async isAvailable(plural: Item['plural'], name: string): Promise<boolean> {
    const { body } = await this.#stage.client.call({ method: 'GET', path: `${this.#path(plural)}/${name}` });
    return isAvailable(body as unknown as Stored);
  }

  /** Deletes the namespace and waits until it is gone from where the API server's controllers delete it. */
  async close(): Promise<void> {
    await this.#stage.client.call({ method: 'DELETE', path: `/api/v1/namespaces/${this.#namespace}` });
  }

  #path(plural: string): string {
    return `${GROUP}/namespaces/${this.#namespace}/${plural}`;
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
