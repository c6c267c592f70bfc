// Every object of a kind, written once so that the API server stores it again: with a patch that changes nothing, so
// that concurrent writes of others stay.

import type { Companions } from '../../../adapters/api/migration.ts';
import type { Data } from '../../../adapters/api/webhooks.ts';
import type { KubeClient } from '../../../adapters/kubernetes/mod.ts';
import { AbsentError, type Clock, ErrorCode, type JsonObject, toErrorData } from '../../../bus/mod.ts';
import type { Definition } from './definition.ts';

/** An object by its place, and which one it is. */
export interface Place {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** `gone`: nothing of it is stored in any version, or what has its name now is stored in the new one. */
export type Outcome = 'rewritten' | 'gone' | { readonly failed: string };

export interface RewritingDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly companions: readonly Companions[];
}

const MERGE = 'application/merge-patch+json';
const METADATA = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
const MANAGER = 'troupe-migrate';
const PAGE = 500;
/** Attempts for one object, and the pause before the second, in milliseconds. */
const ATTEMPTS = 8;
const PAUSE_MS = 100;

export const keyOf = ({ namespace, name }: Pick<Place, 'namespace' | 'name'>): string => `${namespace}/${name}`;

/** All that are there, in the order of the bytes of their keys. Whatever comes later is stored in the new version. */
export async function placesOf(
  { client, clock }: Pick<RewritingDeps, 'client' | 'clock'>,
  definition: Definition,
  namespaces: readonly string[] | undefined,
): Promise<readonly Place[]> {
  const places: Place[] = [];
  for (const namespace of namespaces ?? [undefined]) {
    const path = collectionOf(definition, requestVersion(definition), namespace);
    let next: string | undefined;
    do {
      const more = next === undefined ? '' : `&continue=${encodeURIComponent(next)}`;
      const { body } = await patiently(clock, () =>
        client.call({ method: 'GET', path: `${path}?limit=${PAGE}${more}`, accept: METADATA }),
      );
      const { items, metadata } = body as unknown as {
        items: readonly { metadata: Place }[] | null;
        metadata: { continue?: string };
      };
      for (const { metadata: of } of items ?? []) {
        places.push({ namespace: of.namespace ?? '', name: of.name, uid: of.uid });
      }
      next = metadata.continue || undefined;
    } while (next !== undefined);
  }
  return places.sort((one, other) => Buffer.compare(Buffer.from(keyOf(one)), Buffer.from(keyOf(other))));
}

/** The API server reports for a while that a definition that has changed is not ready. */
async function patiently<Answer>(clock: Clock, ask: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      if (toErrorData(error).code !== ErrorCode.Transient || attempt === ATTEMPTS) throw error;
      await clock.sleep(pauseMs(clock, attempt));
    }
  }
}

const pauseMs = (clock: Clock, attempt: number): number => PAUSE_MS * 2 ** (attempt - 1) * (0.5 + clock.random() / 2);

/** Tries again what passes. @param options.isDry  the API server does all of it but the writing */
export async function rewrite(
  deps: RewritingDeps,
  definition: Definition,
  place: Place,
  { isDry }: { readonly isDry: boolean },
): Promise<Outcome> {
  const { client, clock } = deps;
  const path = `${pathOf(definition, requestVersion(definition), place)}?fieldManager=${MANAGER}${isDry ? '&dryRun=All' : ''}`;
  for (let attempt = 1; ; attempt++) {
    try {
      if (!isDry) await accompany(deps, definition, place);
      await client.call({ method: 'PATCH', path, contentType: MERGE, body: { metadata: { uid: place.uid } } });
      return 'rewritten';
    } catch (error) {
      const { code, message } = toErrorData(error);
      if (code === ErrorCode.Absent) return 'gone';
      // Another of the name has come since.
      if (code === ErrorCode.Conflict && (await isReplaced(client, definition, place))) return 'gone';
      if (code === ErrorCode.Terminal || attempt === ATTEMPTS) return { failed: message };
      await clock.sleep(pauseMs(clock, attempt));
    }
  }
}

/** Definitions that must be there before the object is stored in the new version. */
async function accompany({ client, companions }: RewritingDeps, definition: Definition, place: Place): Promise<void> {
  const { group, plural } = definition;
  for (const rule of companions.filter((each) => each.group === group && each.plural === plural)) {
    // A conversion may have no place for all of it.
    const version = requestVersion(definition);
    const object = await read(client, pathOf(definition, version, place));
    if (object === undefined) return;
    const beside = { ...definition, plural: rule.companions };
    const change = rule.wanted(object, await read(client, pathOf(beside, version, place)));
    if (change.kind === 'none') continue;
    const isNew = change.kind === 'create';
    const path = isNew ? collectionOf(beside, version, place.namespace) : pathOf(beside, version, place);
    await client.call({ method: isNew ? 'POST' : 'PUT', path, body: change.object as JsonObject });
  }
}

async function isReplaced(client: KubeClient, definition: Definition, place: Place): Promise<boolean> {
  const now = await read(client, pathOf(definition, requestVersion(definition), place));
  const { uid } = (now?.['metadata'] ?? {}) as { readonly uid?: string };
  return uid !== place.uid;
}

async function read(client: KubeClient, path: string): Promise<Data | undefined> {
  try {
    return (await client.call({ method: 'GET', path })).body;
  } catch (error) {
    if (error instanceof AbsentError) return undefined;
    throw error;
  }
}

/**
 * In which objects are asked for and patched: the one that they were stored in, if it is served. A patch in the new one would write
 * what that has by default, as an edit of ours.
 */
const requestVersion = ({ storage, stored, served }: Definition): string =>
  served.find((version) => version !== storage && stored.includes(version)) ??
  (served.includes(storage) ? storage : (served[0] ?? storage));

function collectionOf({ group, plural }: Definition, version: string, namespace: string | undefined): string {
  const place = namespace ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `/apis/${group}/${version}${place}/${plural}`;
}

function pathOf(definition: Definition, version: string, { namespace, name }: Place): string {
  return `${collectionOf(definition, version, namespace)}/${encodeURIComponent(name)}`;
}
