// A CustomResourceDefinition as a migration sees it, and what it notes there: how far it has come.
import type { KubeClient } from '../../../adapters/kubernetes/mod.ts';
import { type JsonObject, parseJsonObject, TerminalError } from '../../../bus/mod.ts';

const PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
/** Metadata, which the API server does not read: no definition is rebuilt for it. */
export const NOTE = 'troupe/storage-migration';
const MERGE = 'application/merge-patch+json';
const MANAGER = 'troupe-migrate';

export interface Definition {
  readonly name: string;
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
  readonly resourceVersion: string;
  /** Another one after each change of the spec. */
  readonly generation: number;
  /** Version in which objects are written. */
  readonly storage: string;
  /** Versions in which some may be stored. */
  readonly stored: readonly string[];
  readonly served: readonly string[];
  readonly note: Note | undefined;
}

/** Progress of a migration. It holds for this generation alone: after another one the stored versions are unknown. */
export interface Note {
  readonly generation: number;
  /** `namespace/name` of the last object before which all are done, in the order of their bytes. */
  readonly after: string;
  readonly done: number;
}

/** Definitions of a group, in the order of their names. */
export async function definitionsOf(client: KubeClient, groups: readonly string[]): Promise<readonly Definition[]> {
  const { body } = await client.call({ method: 'GET', path: PATH });
  const items = body['items'] as unknown as readonly JsonObject[];
  return items.map(definitionIn).filter(({ group }) => groups.includes(group));
}

export async function definitionNamed(client: KubeClient, name: string): Promise<Definition> {
  const { body } = await client.call({ method: 'GET', path: `${PATH}/${name}` });
  return definitionIn(body);
}

/** @param note  undefined: there is nothing to note any more */
export async function noteAt(client: KubeClient, { name }: Definition, note: Note | undefined): Promise<void> {
  const text = note === undefined ? null : JSON.stringify(note);
  const body = { metadata: { annotations: { [NOTE]: text } } };
  const path = `${PATH}/${name}?fieldManager=${MANAGER}`;
  await client.call({ method: 'PATCH', path, contentType: MERGE, body });
}

/** From now on nothing is stored in another version. @throws {ConflictError} the definition has changed since */
export async function settleStored(client: KubeClient, { name, storage, resourceVersion }: Definition): Promise<void> {
  const body = { metadata: { resourceVersion }, status: { storedVersions: [storage] } };
  const path = `${PATH}/${name}/status?fieldManager=${MANAGER}`;
  await client.call({ method: 'PATCH', path, contentType: MERGE, body });
}

interface Versions {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
}

function definitionIn({ metadata, spec, status }: JsonObject): Definition {
  const { name, resourceVersion, generation, annotations } = metadata as unknown as {
    name: string;
    resourceVersion: string;
    generation: number;
    annotations?: Readonly<Record<string, string>>;
  };
  const { group, scope, names, versions } = spec as unknown as {
    group: string;
    scope: string;
    names: { plural: string; kind: string };
    versions: readonly Versions[];
  };
  const storage = versions.find((version) => version.storage)?.name;
  const served = versions.filter((version) => version.served).map((version) => version.name);
  if (storage === undefined || served.length === 0) throw new TerminalError(`'${name}' serves no version`);
  const { storedVersions: stored = [] } = (status ?? {}) as unknown as { storedVersions?: readonly string[] };
  return {
    name,
    group,
    resourceVersion,
    generation,
    storage,
    stored,
    served,
    plural: names.plural,
    kind: names.kind,
    isNamespaced: scope === 'Namespaced',
    note: noteIn(annotations?.[NOTE], generation),
  };
}

function noteIn(text: string | undefined, generation: number): Note | undefined {
  const note = parseJsonObject(text ?? '');
  const { after, done } = note ?? {};
  if (note?.['generation'] !== generation || typeof after !== 'string' || typeof done !== 'number') return undefined;
  return { generation, after, done };
}
