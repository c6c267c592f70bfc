// The embedded API server without its wire: the same objects, validation, patches, finalizers, watches, namespaces and
// garbage collection, asked in the same process.
//
// What it leaves out: users and rights, accounts, everything a client never sees of a connection but its failure.

import { type Contract, crd } from '../../adapters/api/contract/crds.ts';
import { metal3 } from '../../adapters/ironic/mod.ts';
import type { KubeClient } from '../../adapters/kubernetes/mod.ts';
import { refusalOf } from '../../adapters/kubernetes/refusals.ts';
import { openstackContracts } from '../../adapters/openstack/mod.ts';
import { rbac } from '../../adapters/simulated/kubernetes/access/rbac.ts';
import { ADMIN } from '../../adapters/simulated/kubernetes/access/user.ts';
import { ApiError, PlainAnswer } from '../../adapters/simulated/kubernetes/base/api-error.ts';
import { collectGarbage } from '../../adapters/simulated/kubernetes/controllers/garbage.ts';
import { followNamespaces } from '../../adapters/simulated/kubernetes/controllers/namespaces.ts';
import { builtinResources } from '../../adapters/simulated/kubernetes/kinds/builtins.ts';
import { definitionResource, followDefinitions } from '../../adapters/simulated/kubernetes/kinds/definitions.ts';
import { watchObjects } from '../../adapters/simulated/kubernetes/objects/watch.ts';
import { answer, parseRoute, resourceOf } from '../../adapters/simulated/kubernetes/requests/routes.ts';
import type { Api, Resource, ResourceRequest } from '../../adapters/simulated/kubernetes/resources/api.ts';
import { registry } from '../../adapters/simulated/kubernetes/resources/registry.ts';
import { type Change, memoryStore, type Stored } from '../../adapters/simulated/kubernetes/storage/store.ts';
import { restamped } from '../../adapters/simulated/kubernetes/storage/stored.ts';
import { bodyText } from '../../adapters/simulated/kubernetes/wire/http.ts';
import { parseJson } from '../../adapters/text/exact-json.ts';
import { windowsContracts } from '../../adapters/windows/contracts/mod.ts';
import type { Clock, JsonObject } from '../../bus/mod.ts';
import type { KubeObject } from '../../machines/object.ts';
import { bookContract, paperContract } from '../example-adapter/contracts.ts';

export type KubeCall = Parameters<KubeClient['call']>[0];

/** Changes that a watch may have missed before it has to list anew. */
const REMEMBERED = { changes: 200, characters: 8 * 1024 * 1024 };
/** Revisions of the server that the definitions are made on come before those of any history. */
const FIRST_REVISION = 100_000;
/** The built-in resources that anybody asks for. */
const SERVED = ['namespaces', 'secrets', 'configmaps', 'leases'];
const CONTRACTS: readonly Contract[] = [...openstackContracts, paperContract, bookContract];
/** In histories of hosts nothing else is known. */
export const HOST_CONTRACTS: readonly Contract[] = metal3.contracts;
/** And in those of Windows storage nothing but that. */
export const WINDOWS_CONTRACTS: readonly Contract[] = windowsContracts;

export interface Cluster {
  /** Answers a request at once. @throws as `KubeClient.call` */
  call(call: KubeCall): JsonObject;
  /** Begins a watch; `write` gets each event at once. @returns the way to end it @throws as `KubeClient.stream` */
  watch(path: string, accept: string | undefined, write: (event: JsonObject) => void, end: () => void): () => void;
  /** All objects of a plural, as they are stored: nobody changes them. */
  objects(plural: string): readonly KubeObject[];
  get(plural: string, namespace: string, name: string): KubeObject | undefined;
  /** Told of every change of an object of the managed kinds, of config maps, of secrets and of namespaces, as it happens. */
  follow(onChange: (plural: string, change: Change) => void): void;
  /** Of the last change. */
  revision(): number;
  /**
   * As after a backup was restored: all watches end, and revisions are lower than they were, those of objects, too. Their content is what
   * it was, so that whatever must hold still does.
   */
  restore(): void;
}

/** Of a server that was restored: lower than those of before, and never reached by it. */
const RESTORED_REVISION = 50_000;

/** Made once a process: compiling the definitions takes longer than a history. */
const definitions = new Map<readonly Contract[], Promise<ReadonlyMap<string, readonly Resource[]>>>();

export async function cluster(clock: Clock, contracts: readonly Contract[] = CONTRACTS): Promise<Cluster> {
  const compiling = definitions.get(contracts) ?? compiled(clock, contracts);
  definitions.set(contracts, compiling);
  const served = await compiling;
  const open = (firstRevision: number): Api => {
    const opened = emptyApi(clock, firstRevision);
    for (const [key, resources] of served) opened.registry.set(key, resources);
    return opened;
  };
  const control = (controlled: Api): void => {
    collectGarbage(controlled);
    followNamespaces(controlled);
  };
  let api = open(FIRST_REVISION);
  control(api);
  const followers: ((plural: string, change: Change) => void)[] = [];
  const watches = new Set<() => void>();
  const read = reader();
  const keys = new Map(contracts.map(({ group, plural }) => [plural, `${group}/${plural}`]));
  const keyOf = (plural: string): string => keys.get(plural) ?? `/${plural}`;
  const request = ({ path, accept, contentType, body }: Omit<KubeCall, 'method'>): ResourceRequest => {
    const [place = '', query = ''] = path.split(/\?(.*)/s);
    const route = parseRoute(place);
    if (route === undefined) throw refusalOf(404, undefined, { method: '', path: place });
    return {
      resource: resourceOf(api, route),
      namespace: route.namespace,
      name: route.name,
      subresource: route.subresource,
      query: new URLSearchParams(query),
      accept: accept ?? 'application/json',
      contentType: contentType ?? 'application/json',
      userAgent: 'simulation',
      body: Buffer.from(body === undefined ? '' : JSON.stringify(body)),
      user: ADMIN,
      warn: () => undefined,
    };
  };
  return {
    call(asked) {
      return translated({ method: asked.method, path: asked.path.split('?')[0] ?? '' }, () => {
        const made = request(asked);
        return read(bodyText(answer(api, asked.method, made).body(made.resource))) as JsonObject;
      });
    },
    watch(path, accept, write, end) {
      return translated({ method: 'watch', path: path.split('?')[0] ?? '' }, () => {
        const { open } = watchObjects(api, request({ path, ...(accept !== undefined && { accept }) }));
        const close = open({
          write(chunk) {
            for (const event of eventsIn(chunk, read)) write(event);
            return 0;
          },
          end,
          onClose: () => undefined,
        });
        const stop = (): void => {
          close();
          end();
        };
        watches.add(stop);
        return () => {
          watches.delete(stop);
          close();
        };
      });
    },
    objects: (plural) =>
      api.store
        .collection(keyOf(plural))
        .list(undefined, '')
        .map((stored) => readOnce(stored, read).object as unknown as KubeObject),
    get(plural, namespace, name) {
      const stored = api.store.collection(keyOf(plural)).get(namespace, name);
      return stored && (readOnce(stored, read).object as unknown as KubeObject);
    },
    follow(onChange) {
      followers.push(onChange);
      if (followers.length === 1) tellFollowers(api, { also: 'present' });
    },
    revision: () => api.store.revision(),
    restore() {
      const before = api;
      for (const stop of watches) stop();
      watches.clear();
      api = open(RESTORED_REVISION);
      const there = [...before.store.collections()].flatMap(({ key, list }) =>
        list(undefined, '').map((stored) => ({ key, stored })),
      );
      api.store.restoreRevision(RESTORED_REVISION + there.length);
      for (const [at, { key, stored }] of there.entries())
        api.store.restore(key, restamped(stored, RESTORED_REVISION + at + 1));
      control(api);
      tellFollowers(api, { also: 'nothing' });
    },
  };

  /** Of changes, and of what is there where nobody was told of it. */
  function tellFollowers(followed: Api, { also }: { readonly also: 'present' | 'nothing' }): void {
    let isTold = also === 'nothing';
    followed.store.follow((collection, { stored, previous, ...change }) => {
      if (isTold || followed !== api) return;
      const reported = {
        ...change,
        stored: readOnce(stored, read),
        previous: previous && readOnce(previous, read),
      };
      for (const onChange of followers) onChange(collection.key.split('/')[1] ?? '', reported);
    });
    isTold = false;
  }
}

/** What a text says. */
type Read = (text: string) => unknown;

/**
 * Who is told of a version, whoever asks: its text is read once as long as nothing else is read. Processes share what they are
 * given, and change nothing of it, but for texts in place of equal ones (`internTexts`).
 */
function reader(): Read {
  let lastText: string | undefined;
  let last: unknown;
  return (text) => {
    if (text !== lastText) {
      last = parseJson(text);
      lastText = text;
    }
    return last;
  };
}

const READ = new WeakMap<Stored, Stored>();

/** The same version; its text is read when somebody first asks for the object, and never again. */
function readOnce(stored: Stored, read: Read): Stored {
  const known = READ.get(stored);
  if (known !== undefined) return known;
  const { revision, metadata, text } = stored;
  let object: Stored['object'] | undefined;
  const version = {
    revision,
    metadata,
    text,
    get object() {
      object ??= read(text) as Stored['object'];
      return object;
    },
  };
  READ.set(stored, version);
  return version;
}

/** Lines that were made once for all who watch are read once for all. */
const EVENTS = new WeakMap<Buffer, readonly JsonObject[]>();
const EVENT = /^\{"type":"([A-Z]+)","object":(.*)\}$/s;

function eventsIn(chunk: Buffer | string, read: Read): readonly JsonObject[] {
  const known = typeof chunk === 'string' ? undefined : EVENTS.get(chunk);
  if (known !== undefined) return known;
  const events: JsonObject[] = [];
  for (const line of String(chunk).split('\n')) {
    const [, type, object] = EVENT.exec(line) ?? [];
    if (type !== undefined && object !== undefined) events.push({ type, object: read(object) as JsonObject });
    else if (line !== '') throw new Error(`no event of a watch: ${line}`);
  }
  if (typeof chunk !== 'string') EVENTS.set(chunk, events);
  return events;
}

function emptyApi(clock: Clock, firstRevision: number): Api {
  const store = memoryStore({ remembered: REMEMBERED, firstRevision });
  const api: Api = {
    store,
    registry: registry(),
    clock,
    closing: new AbortController().signal,
    access: rbac(store),
  };
  for (const resource of builtinResources({}))
    if (SERVED.includes(resource.plural)) api.registry.set(resource.storeKey, [resource]);
  return api;
}

async function compiled(
  clock: Clock,
  contracts: readonly Contract[],
): Promise<ReadonlyMap<string, readonly Resource[]>> {
  // Its identities are nobody's: they must not take from the chance of a history.
  const api = emptyApi({ ...clock, now: () => clock.now(), random: () => 0.5 }, 1);
  const resource = definitionResource();
  api.registry.set(resource.storeKey, [resource]);
  followDefinitions(api);
  for (const contract of contracts) {
    const body = Buffer.from(JSON.stringify(crd(contract)));
    const query = new URLSearchParams();
    const common = { namespace: '', name: '', subresource: '', accept: 'application/json', userAgent: 'simulation' };
    const contentType = 'application/json';
    answer(api, 'POST', { ...common, resource, query, contentType, body, user: ADMIN, warn: () => undefined });
  }
  const keys = contracts.map(({ group, plural }) => `${group}/${plural}`);
  // Definitions are served a few reactions after they were written.
  for (let turn = 0; turn < 100 && keys.some((key) => api.registry.ofStoreKey(key).length === 0); turn++)
    await Promise.resolve();
  return new Map(
    keys.map((key) => {
      const resources = api.registry.ofStoreKey(key);
      if (resources.length === 0) throw new Error(`the definition '${key}' is not served`);
      return [key, resources];
    }),
  );
}

function translated<Result>(what: { readonly method: string; readonly path: string }, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    if (error instanceof PlainAnswer) throw refusalOf(error.code, undefined, what);
    if (error instanceof ApiError) {
      const { status } = error;
      throw refusalOf(status.code, JSON.parse(JSON.stringify(status)) as JsonObject, what);
    }
    throw error;
  }
}
