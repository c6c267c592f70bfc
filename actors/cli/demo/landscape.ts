// The sample landscape: its files, and its way to the API server and back.
import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { parseAllDocuments } from 'yaml';
import { type KubeClient, resourcePath, SECRETS } from '../../../adapters/kubernetes/mod.ts';
import { AbsentError, type Clock, type JsonObject, TerminalError, toErrorData } from '../../../bus/mod.ts';
import type { Kind, Reference } from '../../../machines/kind.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { progressOf } from '../../base/conditions.ts';

export const NAMESPACE = 'company-cloud';
export const SECRET_NAME = 'openstack-clouds';
/** Keys of objects are `<kind>/<name>` in lower case. */
export const SECRET_KEY = `secret/${SECRET_NAME}`;
/** Files from here on are applied while the rest is up. */
const LATER = '90';
const MANAGER = 'troupe-demo';
const APPLY = 'application/apply-patch+yaml';
/** Label by which a later demo knows the namespace of one that was killed. */
const MARK = { 'app.kubernetes.io/managed-by': MANAGER };
const NAMESPACE_PATH = `/api/v1/namespaces/${NAMESPACE}`;
/** Pause before a broken watch is opened again, in milliseconds. */
const PAUSE_MS = 200;

export interface LandscapeObject {
  /** `subnet/shop-web-v4`. */
  readonly key: string;
  readonly kind: string;
  readonly plural: string;
  readonly name: string;
  /** Keys of what it refers to. */
  readonly references: readonly string[];
  /** Those of them that it can be made without, and needs afterwards. */
  readonly later?: readonly string[];
  /** Those of them that cannot be deleted before it. */
  readonly guarded: readonly string[];
  /** It makes an object for itself, and is usable before that one is. */
  readonly owns?: boolean;
  readonly path: string;
  readonly manifest: JsonObject;
}

export interface Landscape {
  readonly first: readonly LandscapeObject[];
  readonly later: readonly LandscapeObject[];
}

/** Reads all files of a landscape; dependents come first. @throws {TerminalError} an unknown kind */
export async function readLandscape(folder: URL, kinds: readonly Kind[]): Promise<Landscape> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.yaml')).sort();
  const read = async (name: string): Promise<LandscapeObject[]> => {
    const documents = parseAllDocuments(await readFile(new URL(name, folder), 'utf8'));
    return documents.flatMap((document) => {
      const manifest = document.toJS() as JsonObject | null;
      return manifest === null ? [] : [landscapeObject(manifest, kinds)];
    });
  };
  const of = async (files: readonly string[]): Promise<LandscapeObject[]> => {
    const objects = (await Promise.all(files.map(read))).flat();
    const rank = ({ references }: LandscapeObject): number => -references.length;
    return objects.sort((one, other) => rank(one) - rank(other));
  };
  return {
    first: await of(names.filter((name) => name < LATER)),
    later: await of(names.filter((name) => name >= LATER)),
  };
}

function landscapeObject(manifest: JsonObject, kinds: readonly Kind[]): LandscapeObject {
  const object = manifest as unknown as KubeObject;
  const { name } = object.metadata;
  if (object.kind === SECRETS.kind) return secretObject(name, manifest);
  const kind = kinds.find((candidate) => candidate.kind === object.kind);
  if (kind === undefined) throw new TerminalError(`the landscape has a '${object.kind}', which is no kind of ours`);
  const references = kind.references(object);
  const keys = (of: readonly Reference[]): string[] => of.map((reference) => keyOf(reference.kind, reference.name));
  return {
    key: keyOf(object.kind, name),
    kind: object.kind,
    plural: kind.plural,
    name,
    references: keys(references.filter(({ neededFor }) => neededFor !== 'never')),
    later: keys(references.filter(({ neededFor }) => neededFor === 'update')),
    guarded: keys(references.filter(({ finalizers }) => finalizers.length > 0)),
    owns: kind.children(object).length > 0,
    path: resourcePath(kind, NAMESPACE, name),
    manifest,
  };
}

function keyOf(kind: string, name: string): string {
  return `${kind.toLowerCase()}/${name}`;
}

/** Whether it is counted: Secrets are beside the objects that Troupe manages. */
export function isManaged({ kind }: Pick<LandscapeObject, 'kind'>): boolean {
  return kind !== SECRETS.kind;
}

/** A Secret, as an object of the landscape. */
function secretObject(name: string, content: JsonObject): LandscapeObject {
  const metadata = { name, namespace: NAMESPACE };
  return {
    key: keyOf(SECRETS.kind, name),
    kind: SECRETS.kind,
    plural: SECRETS.plural,
    name,
    references: [],
    guarded: [],
    path: resourcePath(SECRETS, NAMESPACE, name),
    manifest: { ...content, apiVersion: 'v1', kind: SECRETS.kind, metadata },
  };
}

/** The credentials. @param data  values in base64 */
export function credentialsObject(data: Readonly<Record<string, string>>): LandscapeObject {
  return secretObject(SECRET_NAME, { data });
}

/** The Secrets that objects refer to and no file has, as a person makes them: with random passwords. */
export function generatedSecrets(objects: readonly LandscapeObject[]): readonly LandscapeObject[] {
  const prefix = keyOf(SECRETS.kind, '');
  const brought = new Set([SECRET_KEY, ...objects.map(({ key }) => key)]);
  const missing = new Set(objects.flatMap(({ references }) => references).filter((key) => !brought.has(key)));
  return [...missing]
    .filter((key) => key.startsWith(prefix))
    .map((key) => {
      const password = randomBytes(24).toString('base64url');
      return secretObject(key.slice(prefix.length), { stringData: { password, value: password } });
    });
}

/** Without those that are to be missing, and without all that need one of these. */
export function without(
  { first, later }: Landscape,
  isMissing: (object: LandscapeObject) => boolean,
): Landscape & { readonly missing: readonly string[] } {
  const all = [...first, ...later];
  const missing = new Set(all.filter(isMissing).map(({ key }) => key));
  for (let before = -1; before < missing.size; ) {
    before = missing.size;
    for (const { key, references } of all) if (references.some((other) => missing.has(other))) missing.add(key);
  }
  const isThere = ({ key }: LandscapeObject): boolean => !missing.has(key);
  return { first: first.filter(isThere), later: later.filter(isThere), missing: [...missing] };
}

/** Applies objects, all at once. @throws as `KubeClient.call` */
export async function applyObjects(client: KubeClient, objects: readonly LandscapeObject[]): Promise<void> {
  await Promise.all(
    objects.map(({ path, manifest }) =>
      client.call({
        method: 'PATCH',
        path: `${path}?fieldManager=${MANAGER}&force=true`,
        contentType: APPLY,
        body: manifest,
      }),
    ),
  );
}

/** Asks for the deletion of one object. @throws as `KubeClient.call` */
export async function deleteObject(client: KubeClient, { path }: LandscapeObject): Promise<void> {
  await client.call({ method: 'DELETE', path });
}

/** Whose the namespace is that is there already, if there is one. @throws as `KubeClient.call` */
export async function namespaceOwner(client: KubeClient): Promise<'nobody' | 'demo' | 'other'> {
  const namespace = await read(client, NAMESPACE_PATH);
  if (namespace === undefined) return 'nobody';
  const { labels } = namespace['metadata'] as { labels?: Record<string, string> };
  return Object.entries(MARK).every(([name, value]) => labels?.[name] === value) ? 'demo' : 'other';
}

/** @throws as `KubeClient.call` */
export async function createNamespace(client: KubeClient): Promise<void> {
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE, labels: MARK } };
  await client.call({ method: 'POST', path: `/api/v1/namespaces?fieldManager=${MANAGER}`, body });
}

/** Asks for the deletion of the namespace with all that is in it; one that is not there is fine. @throws as `KubeClient.call` */
export async function deleteNamespace(client: KubeClient): Promise<void> {
  try {
    await client.call({ method: 'DELETE', path: NAMESPACE_PATH });
  } catch (error) {
    if (!(error instanceof AbsentError)) throw error;
  }
}

/** Resolves to true when the namespace is deleted, to false when `signal` was aborted before. */
export async function namespaceGone(client: KubeClient, clock: Clock, signal: AbortSignal): Promise<boolean> {
  const watch = `/api/v1/namespaces?watch=1&fieldSelector=${encodeURIComponent(`metadata.name=${NAMESPACE}`)}`;
  while (!signal.aborted) {
    try {
      const namespace = await read(client, NAMESPACE_PATH);
      if (namespace === undefined) return true;
      const { resourceVersion } = namespace['metadata'] as { resourceVersion: string };
      for await (const { type } of client.stream(`${watch}&resourceVersion=${resourceVersion}`, undefined, signal)) {
        if (type === 'DELETED') return true;
      }
    } catch (error) {
      if (toErrorData(error).code === 'terminal') throw error;
    }
    await clock.sleep(PAUSE_MS, signal);
  }
  return false;
}

/** What Kubernetes says of an object that is not ready: the message of its condition, or a host's error. */
export async function messageOf(client: KubeClient, { path }: LandscapeObject): Promise<string | undefined> {
  const object = ((await read(client, path)) ?? {}) as unknown as KubeObject;
  const message = progressOf(object)?.message ?? (object.status?.['errorMessage'] || undefined);
  return typeof message === 'string' ? message : undefined;
}

/** Keys of the objects that the API server still has. @throws as `KubeClient.call` */
export async function remaining(client: KubeClient, kinds: readonly Kind[]): Promise<readonly string[]> {
  const lists = await Promise.all(
    kinds.map(async (kind) => {
      const { items = [] } = ((await read(client, resourcePath(kind, NAMESPACE))) ?? {}) as { items?: JsonObject[] };
      return items.map(({ metadata }) => keyOf(kind.kind, (metadata as { name: string }).name));
    }),
  );
  const namespace = await read(client, NAMESPACE_PATH);
  return [...lists.flat(), ...(namespace === undefined ? [] : [`namespace/${NAMESPACE}`])];
}

async function read(client: KubeClient, path: string): Promise<JsonObject | undefined> {
  try {
    return (await client.call({ method: 'GET', path })).body;
  } catch (error) {
    if (error instanceof AbsentError) return undefined;
    throw error;
  }
}
