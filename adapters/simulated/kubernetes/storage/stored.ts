// One version of an object, kept as its JSON text.
import { jsonText, parseJson } from '../../../text/exact-json.ts';
import { type JsonMap, same } from '../../../text/json.ts';
import type { KubeObject, ObjectMeta } from '../base/kube-object.ts';

/** Facts of an object without reading its text: enough for selectors by label, owners and the end of its lifecycle. */
export type Facts = Readonly<
  Pick<ObjectMeta, 'name' | 'namespace' | 'uid' | 'labels' | 'finalizers' | 'ownerReferences' | 'deletionTimestamp'>
>;

/** Never changes (KSIM-OBJECT-1). */
export interface Stored {
  readonly revision: number;
  readonly metadata: Facts;
  /** Compact JSON of the stored version. Begins with `kind` and `apiVersion`, and `resourceVersion` is in it. */
  readonly text: string;
  /** The text, parsed again each time: a caller that needs more than one thing of it keeps it. */
  readonly object: KubeObject;
}

const FACTS = [
  'name',
  'namespace',
  'uid',
  'labels',
  'finalizers',
  'ownerReferences',
  'deletionTimestamp',
] as const satisfies readonly (keyof Facts)[];

class TextObject implements Stored {
  readonly revision: number;
  readonly metadata: Facts;
  readonly text: string;

  constructor(revision: number, metadata: Facts, text: string) {
    this.revision = revision;
    this.metadata = metadata;
    this.text = text;
  }

  get object(): KubeObject {
    return parseJson(this.text) as KubeObject; // written by `textOf`
  }
}

/** Kind and version come first, so that lists of built-in kinds can leave them out. */
export function textOf(object: KubeObject): string {
  if (isInOrder(object)) return jsonText(object);
  const { kind, apiVersion, ...rest } = object;
  return jsonText({ kind, apiVersion, ...rest });
}

/** Whether it came from a text already. */
function isInOrder(object: KubeObject): boolean {
  let place = 0;
  for (const key in object) {
    if (key !== (place === 0 ? 'kind' : 'apiVersion')) return false;
    place++;
    if (place === 2) return true;
  }
  return false;
}

/**
 * The object as a version of its own, with the revision as its `resourceVersion`.
 *
 * @param previous  the version before; facts that are the same are kept once
 */
export function stamped(object: KubeObject, revision: number, previous?: Stored): Stored {
  const metadata = { ...object.metadata, resourceVersion: String(revision) };
  const facts = factsOf(metadata);
  const known = previous !== undefined && same(previous.metadata, facts) ? previous.metadata : facts;
  return new TextObject(revision, known, textOf({ ...object, metadata }));
}

/** An object that is answered like a stored one, but is not stored: it keeps the `resourceVersion` that it has. */
export function asStored(object: KubeObject, revision = 0): Stored {
  return new TextObject(revision, factsOf(object.metadata), textOf(object));
}

/** A stored version as an earlier process wrote it; `metadata` is what was read from the text. */
export function fromText(revision: number, metadata: ObjectMeta, text: string): Stored {
  return new TextObject(revision, factsOf(metadata), text);
}

/** The same content under another revision. */
export function restamped(stored: Stored, revision: number): Stored {
  // Quotes inside of strings are escaped, so what is found is a field; when there is one such field, it is the one of
  // the metadata.
  const field = `"resourceVersion":"${stored.revision}"`;
  const at = stored.text.indexOf(field);
  if (at < 0 || stored.text.lastIndexOf(field) !== at) return stamped(stored.object, revision);
  const text = `${stored.text.slice(0, at)}"resourceVersion":"${revision}"${stored.text.slice(at + field.length)}`;
  return new TextObject(revision, stored.metadata, text);
}

function factsOf(metadata: ObjectMeta): Facts {
  const facts: JsonMap = {};
  for (const key of FACTS) if (metadata[key] !== undefined) facts[key] = metadata[key];
  return facts;
}
