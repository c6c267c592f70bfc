// API server reader of the diagnosis: each object, list and group is read once, independent of the number of queries.
import { ForbiddenError, type KubeClient, type Objects, type Resource } from '../../adapters/kubernetes/mod.ts';
import { AbsentError, type Address, type Json } from '../../bus/mod.ts';
import type { KubeObject } from '../../machines/object.ts';
import type { Registry } from '../object/registry.ts';

export interface ClusterReaderDeps {
  /** Tells kinds with a lifecycle. An object of another kind, such as a Secret, counts as existing if the user may not read it. */
  readonly registry: Pick<Registry, 'kind'>;
  readonly objects: Pick<Objects, 'get' | 'list'>;
  /** To tell a kind that is not there from an object that is not; without it every kind counts as there. */
  readonly client?: Pick<KubeClient, 'call'>;
}

/** All throw as `Objects.get` and `Objects.list`. */
export class ClusterReader {
  readonly #deps: ClusterReaderDeps;
  readonly #objects = new Map<string, Promise<KubeObject | undefined>>();
  readonly #lists = new Map<string, Promise<readonly KubeObject[]>>();
  readonly #kinds = new Map<string, Promise<readonly string[] | undefined>>();

  constructor(deps: ClusterReaderDeps) {
    this.#deps = deps;
  }

  get(resource: Resource, { namespace, name }: Pick<Address, 'namespace' | 'name'>): Promise<KubeObject | undefined> {
    const key = `${listKey(resource, namespace)}/${name}`;
    const read = this.#objects.get(key) ?? this.#read(resource, namespace, name);
    this.#objects.set(key, read);
    return read;
  }

  async #read(resource: Resource, namespace: string, name: string): Promise<KubeObject | undefined> {
    const { objects, registry } = this.#deps;
    try {
      return await objects.get(resource, namespace, name);
    } catch (error) {
      // mutant: unreadable-secret-ends-answer || -> true
      if (!(error instanceof ForbiddenError) || registry.kind(resource) !== undefined) throw error;
      const { group, version, kind } = resource;
      const apiVersion = group === '' ? version : `${group}/${version}`;
      return { apiVersion, kind, metadata: { name, namespace, uid: '', resourceVersion: '' } };
    }
  }

  /** The objects of a namespace, of all if it is empty; a kind that the API server does not serve has none. */
  list(resource: Resource, namespace: string): Promise<readonly KubeObject[]> {
    const key = listKey(resource, namespace);
    const known = this.#lists.get(key);
    if (known !== undefined) return known;
    const all = namespace === '' ? undefined : this.#lists.get(listKey(resource, ''));
    if (all !== undefined) {
      const own = all.then((items) => items.filter(({ metadata }) => metadata.namespace === namespace));
      this.#lists.set(key, own);
      return own;
    }
    const none = (error: unknown): readonly KubeObject[] => {
      if (error instanceof AbsentError) return [];
      throw error;
    };
    const list = this.#deps.objects.list(resource, namespace).then(({ items }) => {
      for (const object of items) {
        const { namespace: of = '', name } = object.metadata;
        this.#objects.set(`${listKey(resource, of)}/${name}`, Promise.resolve(object));
      }
      return items;
    }, none);
    this.#lists.set(key, list);
    return list;
  }

  /** Kinds that the cluster has in the group of a resource; undefined if unknown. */
  kindsBeside({ group, version }: Pick<Resource, 'group' | 'version'>): Promise<readonly string[] | undefined> {
    const { client } = this.#deps;
    if (client === undefined || group === '') return Promise.resolve(undefined);
    const key = `${group}/${version}`;
    const known = this.#kinds.get(key) ?? kindsOf(client, key);
    this.#kinds.set(key, known);
    return known;
  }
}

function listKey({ plural, group }: Resource, namespace: string): string {
  return `${plural}.${group}/${namespace}`;
}

async function kindsOf(client: Pick<KubeClient, 'call'>, groupVersion: string): Promise<readonly string[] | undefined> {
  try {
    const { body } = await client.call({ method: 'GET', path: `/apis/${groupVersion}` });
    const resources = (body['resources'] ?? []) as readonly { readonly name: string; readonly kind: Json }[];
    return resources.filter(({ name }) => !name.includes('/')).map(({ kind }) => String(kind));
  } catch (error) {
    if (error instanceof AbsentError) return [];
    if (error instanceof ForbiddenError) return undefined;
    throw error;
  }
}
