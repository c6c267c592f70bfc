// Conformance case: requests, in order, that are sent to the real API server and to the embedded one.
//
// Every string of a step may name what it needs in braces: `{ns}`, the case's own namespace; `{group}`, the API group of
// the definitions in definitions.ts; `{run}`, a lower-case word of this run, for names of cluster-scoped objects; and
// whatever an earlier step saved. `{rv+5}` adds to a saved number. Braces around anything else stay as they are.

/** One request. Its whole answer is compared. */
export interface Request {
  readonly method: string;
  /** Path with query, escaped as on the wire. */
  readonly path: string;
  /** Body that is sent as JSON. */
  readonly body?: unknown;
  /** Raw body, instead of `body`. */
  readonly raw?: string | Uint8Array;
  /** Content type; by default `application/json` with a body, and none without one. Empty: no such header. */
  readonly type?: string;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Name by the path of a value in the answer's JSON (`metadata.uid`, `items.0.metadata.name`), for later steps. */
  readonly save?: Readonly<Record<string, string>>;
  /** Repeats the request until this holds, and compares only the last answer: for work of controllers. */
  readonly until?: (answer: Answer) => boolean;
  /** The compared part of the answer, if the rest depends on other contents of the server. */
  readonly pick?: (answer: Answer) => unknown;
}

/** A watch. The kinds of its events and their objects are compared; it begins before `meanwhile` and ends after. */
export interface Watch {
  readonly watch: string;
  readonly accept?: string;
  readonly meanwhile?: readonly Request[];
  /** Number of awaited events, or `all` until the server ends the watch (give it `timeoutSeconds`). */
  readonly events: number | 'all';
}

export type Step = Request | Watch;

export interface Case {
  /** Unique among all cases. */
  readonly name: string;
  readonly steps: readonly Step[];
}

export interface Answer {
  readonly status: number;
  /** Headers of the answer that are in COMPARED_HEADERS. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body, parsed if it is JSON, otherwise text. */
  readonly body: unknown;
}

export const isWatch = (step: Step): step is Watch => 'watch' in step;

/** The request of a step in short, for people: `#2.1` is the first one during the watch that is step 2. */
export function describeStep({ steps }: Case, label: string): string {
  const [at = 0, below] = label.replace('#', '').split('.').map(Number);
  const outer = steps[at - 1];
  const step = below === undefined || outer === undefined || !isWatch(outer) ? outer : outer.meanwhile?.[below - 1];
  if (step === undefined) return label;
  if (isWatch(step)) return `WATCH ${step.watch}`;
  const { method, path, raw, body, type, accept } = step;
  const sent = raw === undefined ? JSON.stringify(body) : JSON.stringify(String(raw));
  const parts = [method, path, type, accept === undefined ? undefined : `accept ${accept}`, sent];
  return parts
    .map((part) => (part ?? '').slice(0, SHOWN_LENGTH))
    .join(' ')
    .trim();
}

/** Longest shown part of a request, in characters. */
const SHOWN_LENGTH = 300;

type Options = Omit<Request, 'method' | 'path' | 'body'>;

export const get = (path: string, options: Options = {}): Request => ({ method: 'GET', path, ...options });
export const post = (path: string, body: unknown, options: Options = {}): Request => ({
  method: 'POST',
  path,
  body,
  ...options,
});
export const put = (path: string, body: unknown, options: Options = {}): Request => ({
  method: 'PUT',
  path,
  body,
  ...options,
});
export const patch = (path: string, type: string, body: unknown, options: Options = {}): Request => ({
  method: 'PATCH',
  path,
  body,
  type,
  ...options,
});
export const del = (path: string, body?: unknown, options: Options = {}): Request => ({
  method: 'DELETE',
  path,
  ...(body === undefined ? {} : { body }),
  ...options,
});

/** Holds when the object is deleted. */
export const isGone = ({ status }: Answer): boolean => status === 404;

export const CORE = '/api/v1/namespaces/{ns}';
export const CONFIG_MAPS = `${CORE}/configmaps`;
export const SECRETS = `${CORE}/secrets`;
export const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
/** Namespaced, with a schema, a status subresource and two more versions: see definitions.ts. */
export const THINGS = '/apis/{group}/v1/namespaces/{ns}/things';
/** Namespaced, without subresources. */
export const PLAINS = '/apis/{group}/v1/namespaces/{ns}/plains';
/** Namespaced, with a status subresource, and fields for numbers of all sizes. */
export const POOLS = '/apis/{group}/v1/namespaces/{ns}/pools';
/** Cluster-scoped, with a status subresource. Give their names `{ns}`. */
export const GLOBES = '/apis/{group}/v1/globes';

export const MERGE = 'application/merge-patch+json';
export const JSON_PATCH = 'application/json-patch+json';
export const STRATEGIC = 'application/strategic-merge-patch+json';
export const APPLY = 'application/apply-patch+yaml';
export const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
export const PARTIAL = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
export const PARTIAL_LIST = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';

type Fields = Readonly<Record<string, unknown>>;

export const configMap = (name: string, more: Fields = {}, metadata: Fields = {}): Fields => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  ...more,
});

export const thing = (name: string, spec: Fields = {}, metadata: Fields = {}): Fields => ({
  apiVersion: '{group}/v1',
  kind: 'Thing',
  metadata: { name, ...metadata },
  spec: { size: 1, ...spec },
});

export const plain = (name: string, more: Fields = {}, metadata: Fields = {}): Fields => ({
  apiVersion: '{group}/v1',
  kind: 'Plain',
  metadata: { name, ...metadata },
  ...more,
});

export const pool = (name: string, spec: Fields = {}, metadata: Fields = {}): Fields => ({
  apiVersion: '{group}/v1',
  kind: 'Pool',
  metadata: { name, ...metadata },
  spec,
});

export const globe = (name: string, more: Fields = {}, metadata: Fields = {}): Fields => ({
  apiVersion: '{group}/v1',
  kind: 'Globe',
  metadata: { name, ...metadata },
  ...more,
});
