// Reads and writes of objects, as far as actors make them (actors/README.md, "Several pods"): a stale host's write loses.
import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonObject } from '../../bus/bus.ts';
import { AbsentError, ConflictError, ErrorCode, TerminalError, TroupeError } from '../../bus/errors.ts';
import type { KubeObject, OwnerReference } from '../../machines/object.ts';
import type { SecretContent } from '../api/adapter.ts';
import { together } from '../http/batch.ts';
import { FairSemaphore } from '../http/fair-semaphore.ts';
import { departure } from './departure.ts';
import type { KubeClient, Objects } from './ports.ts';
import { ExpiredError, TooLargeError } from './refusals.ts';
import {
  acceptOf,
  type ObjectReference,
  type Resource,
  referenceTo,
  resourcePath,
  SECRETS,
  strip,
} from './resource.ts';

const APPLY = 'application/apply-patch+yaml';
const MERGE = 'application/merge-patch+json';
const JSON_PATCH = 'application/json-patch+json';
/** Objects a page of a list, at most. */
const PAGE = 500;
/** Maximum size of a page; parsed, it needs several times as much. */
const PAGE_BYTES = 8 * 1024 * 1024;
/** Pages that are read at a time: at the start all kinds are listed at once. */
const PAGES = 2;

interface Page {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: readonly KubeObject[];
  readonly serverTime: number;
}

/** Only the owner itself ends the ownership. */
function ownerOf(owner: OwnerReference): JsonObject {
  return { ...owner, blockOwnerDeletion: true };
}

export function objects({ client }: { client: KubeClient }): Objects {
  const send = async (
    resource: Resource,
    { namespace, name }: Pick<ObjectReference, 'namespace' | 'name'>,
    contentType: string,
    body: JsonObject | readonly JsonObject[],
    suffix = '',
  ): Promise<KubeObject> => {
    const path = `${resourcePath(resource, namespace, name)}${suffix}`;
    const answer = await client.call({ method: 'PATCH', path, contentType, body, accept: acceptOf(resource, 'one') });
    return strip(answer.body, resource);
  };
  const query = (manager: string): string => `?fieldManager=${encodeURIComponent(manager)}&force=true`;
  const identity = (
    resource: Resource,
    { namespace, name, uid }: ObjectReference,
  ): { apiVersion: string; kind: string; metadata: JsonObject } => ({
    apiVersion: resource.group === '' ? resource.version : `${resource.group}/${resource.version}`,
    kind: resource.kind,
    metadata: { ...(namespace !== '' && { namespace }), name, uid },
  });
  const pages = new FairSemaphore(PAGES);

  // Each costs what all owners of the object do, and a thousand may share one.
  const reading = together<undefined, { readonly body: JsonObject }>();
  const adding = together<OwnerReference, KubeObject>();
  const leaving = together<string, { readonly left: KubeObject; readonly stays: string | undefined }>();

  /** A JSON patch on just this incarnation of the object; `exact`: on just this state of it. */
  const patchObject = async (
    resource: Resource,
    object: KubeObject,
    steps: readonly JsonObject[],
    { exact }: { readonly exact: boolean } = { exact: true },
  ): Promise<KubeObject> => {
    const { uid, resourceVersion } = object.metadata;
    const state: JsonObject[] = [{ op: 'test', path: '/metadata/uid', value: uid }];
    if (exact) state.push({ op: 'test', path: '/metadata/resourceVersion', value: resourceVersion });
    try {
      return await send(resource, referenceTo(object), JSON_PATCH, [...state, ...steps]);
    } catch (error) {
      // A test that fails, or a position that is not there: both say that the view is out of date.
      if (error instanceof TroupeError && error.code === ErrorCode.Terminal)
        throw new ConflictError(error.message, { cause: error });
      throw error;
    }
  };

  return {
    async get(resource, namespace, name) {
      try {
        const path = resourcePath(resource, namespace, name);
        const { body } = await client.call({ method: 'GET', path, accept: acceptOf(resource, 'one') });
        return strip(body, resource);
      } catch (error) {
        if (error instanceof AbsentError) return undefined;
        throw error;
      }
    },
    async list(resource, namespace, name) {
      const only = name === undefined ? '' : `fieldSelector=${encodeURIComponent(`metadata.name=${name}`)}`;
      const read = async (mostBytes: number, ...parts: readonly string[]): Promise<Page> => {
        const query = [...parts, only].filter(Boolean).join('&');
        const path = `${resourcePath(resource, namespace)}${query === '' ? '' : `?${query}`}`;
        const accept = acceptOf(resource, 'list');
        // mutant: list-pages-all-at-once drop
        await pages.enter(resourcePath(resource, namespace));
        try {
          const { body, serverTime } = await client.call({ method: 'GET', path, accept, mostBytes });
          const { metadata, items } = body as unknown as Pick<Page, 'metadata'> & { items: JsonObject[] | null };
          // A list of metadata without any is `null`.
          return { metadata, items: (items ?? []).map((item) => strip(item, resource)), serverTime };
        } finally {
          // mutant: list-pages-all-at-once drop
          pages.leave();
        }
      };
      let limit = PAGE;
      /** A page with as many objects as fit. */
      const page = async (...parts: readonly string[]): Promise<Page> => {
        for (;;) {
          try {
            return await read(PAGE_BYTES, `limit=${limit}`, ...parts);
          } catch (error) {
            if (!(error instanceof TooLargeError) || limit === 1) throw error;
            limit = Math.floor(limit / 2);
          }
        }
      };
      let last = await page();
      const items = [...last.items];
      // mutant: list-first-page if -> false
      while (last.metadata.continue) {
        try {
          last = await page(`continue=${encodeURIComponent(last.metadata.continue)}`);
        } catch (error) {
          if (!(error instanceof ExpiredError)) throw error;
          // The number of changes would expire another paged attempt too: all objects in one request, of any size, which
          // cannot expire. The token for the rest that a 410 has is not used: those objects would be of a later version,
          // and the version of the first page, from which a watch would have to start, has expired.
          items.length = 0;
          // mutant: whole-list-within-page ().1 -> PAGE_BYTES
          last = await read(Number.POSITIVE_INFINITY);
        }
        for (const item of last.items) items.push(item);
      }
      return { items, resourceVersion: last.metadata.resourceVersion, serverTime: last.serverTime };
    },
    async addFinalizers(resource, object, manager, finalizers) {
      const body = identity(resource, object);
      const { resourceVersion } = object;
      const metadata = { ...body.metadata, ...(resourceVersion !== undefined && { resourceVersion }), finalizers };
      try {
        return await send(resource, object, APPLY, { ...body, metadata }, query(manager));
      } catch (error) {
        // The server refuses new finalizers on a deleting object as invalid; for us that is a view out of date.
        if (error instanceof TerminalError) throw new ConflictError(error.message, { cause: error });
        throw error;
      }
    },
    async removeFinalizers(resource, object, finalizers, { exact }) {
      const known = object.metadata.finalizers ?? [];
      const patch: JsonObject[] = [];
      // From the end, so that the positions of the others stay.
      for (let index = known.length - 1; index >= 0; index--) {
        const finalizer = known[index];
        if (finalizer === undefined || !finalizers.includes(finalizer)) continue;
        const path = `/metadata/finalizers/${index}`;
        patch.push({ op: 'test', path, value: finalizer }, { op: 'remove', path });
      }
      return patchObject(resource, object, patch, { exact });
    },
    applyStatus(resource, object, manager, status) {
      const body = identity(resource, referenceTo(object));
      const { resourceVersion } = object.metadata;
      const state = { ...body, metadata: { ...body.metadata, resourceVersion }, status };
      return send(resource, referenceTo(object), APPLY, state, `/status${query(manager)}`);
    },
    async storeStatus(resource, object, manager, status) {
      const change = changeTo(status, object.status ?? {});
      if (change === undefined) return object;
      const { uid, resourceVersion } = object.metadata;
      const body = { metadata: { uid, resourceVersion }, status: change };
      return send(resource, referenceTo(object), MERGE, body, `/status?fieldManager=${encodeURIComponent(manager)}`);
    },
    patchStatus(resource, object, manager, status) {
      const { uid, resourceVersion } = object.metadata;
      const body = { metadata: { uid, resourceVersion }, status };
      return send(resource, referenceTo(object), MERGE, body, `/status?fieldManager=${encodeURIComponent(manager)}`);
    },
    patchSpec(resource, object, manager, spec) {
      const { uid, resourceVersion } = object.metadata;
      const body = { metadata: { uid, resourceVersion }, spec };
      return send(resource, referenceTo(object), MERGE, body, `?fieldManager=${encodeURIComponent(manager)}`);
    },
    mark(resource, object, manager, { labels, annotations, owners }) {
      const body = identity(resource, object);
      const ownerReferences = owners.map((owner) => ({ ...owner, controller: false })) as unknown as JsonObject[];
      const metadata = {
        ...body.metadata,
        ...(Object.keys(labels).length > 0 && { labels: { ...labels } }),
        ...(annotations !== undefined && { annotations: { ...annotations } }),
        ...(owners.length > 0 && { ownerReferences }),
      };
      return send(resource, object, APPLY, { ...body, metadata }, query(manager));
    },
    recordId(resource, object, id, applied) {
      const { uid, resourceVersion } = object.metadata;
      const status = { id, ...(applied !== undefined && { resource: applied }) };
      return send(resource, referenceTo(object), MERGE, { metadata: { uid, resourceVersion }, status }, '/status');
    },
    async applied(resource, namespace, name, manager) {
      try {
        const path = resourcePath(resource, namespace, name);
        const { body } = await reading(path, undefined, () =>
          client.call({ method: 'GET', path, accept: acceptOf(resource, 'one') }),
        );
        const { managedFields = [] } = body['metadata'] as { managedFields?: readonly JsonObject[] };
        const own = managedFields.find((entry) => entry['manager'] === manager && entry['operation'] === 'Apply');
        return { object: strip(body, resource), fields: (own?.['fieldsV1'] ?? {}) as JsonObject };
      } catch (error) {
        if (error instanceof AbsentError) return undefined;
        throw error;
      }
    },
    apply(resource, { namespace, name }, content, { manager, owners, labels, known }) {
      const { metadata: _, ...type } = identity(resource, { namespace, name, uid: '' });
      const ownerReferences = owners.map(ownerOf);
      const metadata = {
        name,
        ...(namespace !== '' && { namespace }),
        ...(known !== undefined && { uid: known.metadata.uid, resourceVersion: known.metadata.resourceVersion }),
        ...(labels !== undefined && { labels }),
        ...(ownerReferences.length > 0 && { ownerReferences }),
      } as unknown as JsonObject;
      return send(resource, { namespace, name }, APPLY, { ...type, ...content, metadata }, query(manager));
    },
    addOwner(resource, object, owner) {
      const { namespace, name, uid } = referenceTo(object);
      return adding(`${resourcePath(resource, namespace, name)} ${uid}`, owner, (owners) => {
        const steps = owners.map((each) => ({ op: 'add', path: '/metadata/ownerReferences/-', value: ownerOf(each) }));
        return patchObject(resource, object, steps, { exact: false });
      });
    },
    async removeOwner(resource, object, owner) {
      const { namespace, name, uid } = referenceTo(object);
      const path = resourcePath(resource, namespace, name);
      const { left, stays } = await leaving(`${path} ${uid}`, owner, async (owners) => {
        // A waiting deletion has seen the others before they were deleted.
        const present =
          owners.length === 1 ? object : strip((await client.call({ method: 'GET', path })).body, resource);
        if (present.metadata.uid !== uid) throw new ConflictError(`${path}: it is another one by now`);
        const { steps, stays } = departure(present.metadata.ownerReferences ?? [], owners);
        const left = steps.length === 0 ? present : await patchObject(resource, present, steps);
        return { left, stays };
      });
      if (stays === owner) throw new ConflictError(`${path}: all others have left it`);
      return left;
    },
    removeAnnotations(resource, object, names) {
      const steps = names.map((name) => ({
        op: 'remove',
        path: `/metadata/annotations/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
      }));
      return patchObject(resource, object, steps);
    },
    async remove(resource, { namespace, name, uid }) {
      const path = resourcePath(resource, namespace, name);
      try {
        await client.call({ method: 'DELETE', path, body: { preconditions: { uid } } });
      } catch (error) {
        if (!(error instanceof AbsentError) && !(error instanceof ConflictError)) throw error;
        // Gone, or another one under the same name.
      }
    },
    async readSecret(namespace, name) {
      try {
        const { body } = await client.call({
          method: 'GET',
          path: `/api/v1/namespaces/${encodeURIComponent(namespace)}/secrets/${encodeURIComponent(name)}`,
        });
        const {
          metadata,
          type,
          data = {},
        } = body as unknown as Partial<Pick<SecretContent, 'type' | 'data'>> & {
          readonly metadata: Pick<SecretContent, 'uid' | 'resourceVersion'>;
        };
        return { uid: metadata.uid, resourceVersion: metadata.resourceVersion, ...(type && { type }), data };
      } catch (error) {
        if (error instanceof AbsentError) return undefined;
        throw error;
      }
    },
    async writeSecret(namespace, name, { uid, resourceVersion }, data) {
      const { apiVersion, kind } = identity(SECRETS, { namespace, name, uid });
      // It may be empty, and have no `data` to replace.
      const steps = [{ op: 'add', path: '/data', value: { ...data } }];
      await patchObject(SECRETS, { apiVersion, kind, metadata: { namespace, name, uid, resourceVersion } }, steps);
    },
  };
}

/** The merge patch (RFC 7396) that makes one of the other; undefined: they say the same. A member that is null is not there. */
function changeTo(wanted: JsonObject, stored: JsonObject): JsonObject | undefined {
  const change: Record<string, Json> = {};
  for (const name of new Set([...Object.keys(stored), ...Object.keys(wanted)])) {
    const [now, then] = [stored[name] ?? null, wanted[name] ?? null];
    if (isDeepStrictEqual(now, then)) continue;
    const inner = isMap(now) && isMap(then) ? changeTo(then, now) : without(then);
    if (inner !== undefined) change[name] = inner;
  }
  return Object.keys(change).length === 0 ? undefined : change;
}

function isMap(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value without members that are null: in a patch they would be an order to take something away. */
function without(value: Json): Json {
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => (inner === null ? [] : [[name, without(inner)]])),
  );
}
