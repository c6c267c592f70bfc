// Objects as JSON text, each version of each form serialised once.
import type { KubeObject } from '../json.ts';
import { inVersion, type Resource } from '../kinds/resources.ts';
import type { Stored } from '../storage/store.ts';
import type { Form } from './negotiation.ts';
import { tableOf } from './table.ts';

/** A stored object as the JSON of a version of its resource. */
export function objectJson(resource: Resource, stored: Stored): string {
  const key = `${resource.apiVersion} ${resource.since}`;
  let text = stored.encoded.get(key);
  if (text === undefined) {
    text = jsonOf(resource, inVersion(resource, stored.object));
    stored.encoded.set(key, text);
  }
  return text;
}

/** Kind and version come first, so that lists of built-in kinds can leave them out. */
function jsonOf({ kind, apiVersion }: Resource, object: KubeObject): string {
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
  return JSON.stringify({ kind, apiVersion, ...rest });
}

/** Items of lists of built-in kinds come without kind and version, as from the API server. */
function itemJson(resource: Resource, stored: Stored): string {
  const text = objectJson(resource, stored);
  if (!resource.builtin) return text;
  const head = `{"kind":${JSON.stringify(resource.kind)},"apiVersion":${JSON.stringify(resource.apiVersion)},`;
  return text.startsWith(head) ? `{${text.slice(head.length)}` : text;
}

export function partialJson({ metadata }: KubeObject): string {
  return JSON.stringify({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata });
}

/** One object in the form that was asked for. */
export function answerJson(resource: Resource, stored: Stored, form: Form, nowMs: number): string {
  switch (form.kind) {
    case 'object':
      return objectJson(resource, stored);
    case 'metadata':
      return partialJson(stored.object);
    case 'table':
      return JSON.stringify(
        tableOf(resource, [inVersion(resource, stored.object)], {
          nowMs,
          includeObject: form.includeObject,
          metadata: { resourceVersion: stored.object.metadata.resourceVersion },
          columns: true,
        }),
      );
  }
}

/** A list in the form that was asked for. */
export function listJson(
  resource: Resource,
  items: readonly Stored[],
  metadata: Readonly<Record<string, unknown>>,
  form: Form,
  nowMs: number,
): string {
  if (form.kind === 'table') {
    const objects = items.map((stored) => inVersion(resource, stored.object));
    return JSON.stringify(
      tableOf(resource, objects, { nowMs, includeObject: form.includeObject, metadata, columns: true }),
    );
  }
  const [kind, apiVersion, texts] =
    form.kind === 'metadata'
      ? ['PartialObjectMetadataList', 'meta.k8s.io/v1', items.map((stored) => partialJson(stored.object))]
      : [resource.listKind, resource.apiVersion, items.map((stored) => itemJson(resource, stored))];
  const head = JSON.stringify({ kind, apiVersion, metadata });
  return `${head.slice(0, -1)},"items":[${texts.join(',')}]}`;
}
