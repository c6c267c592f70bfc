// Objects as JSON text. What is stored in the version that is asked for goes out as it is stored.

import { jsonText } from '../../../text/exact-json.ts';
import type { KubeObject } from '../base/kube-object.ts';
import { each } from '../conversion/pending.ts';
import type { Resource } from '../resources/api.ts';
import { inVersion } from '../resources/registry.ts';
import { type Stored, textOf } from '../storage/stored.ts';
import type { Form } from './negotiation.ts';
import { tableOf } from './table.ts';

/** A stored object as the JSON of a version of its resource. */
export function objectJson(resource: Resource, stored: Stored): string {
  const isAsStored =
    resource.convert === undefined &&
    stored.text.startsWith(headOf(resource)) &&
    !(resource.schema.defaultsBeneath && stored.revision <= resource.since);
  return isAsStored ? stored.text : textOf(inVersion(resource, stored.object));
}

/** Start of the text of an object of this version. */
const headOf = ({ kind, apiVersion }: Resource): string =>
  `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`;

/** Items of lists of built-in kinds come without kind and version, as from the API server. */
function itemJson(resource: Resource, stored: Stored): string {
  const text = objectJson(resource, stored);
  if (!resource.builtin) return text;
  const head = headOf(resource);
  return text.startsWith(head) ? `{${text.slice(head.length)}` : text;
}

function partialJson({ metadata }: KubeObject, apiVersion: string): string {
  return JSON.stringify({ kind: 'PartialObjectMetadata', apiVersion, metadata });
}

/** A webhook may change labels and annotations; without one, metadata is the same in all versions. */
export function partialOf(resource: Resource, { object }: Stored, apiVersion: string): string {
  return partialJson(resource.versions?.webhook === undefined ? object : inVersion(resource, object), apiVersion);
}

/** One object in the form that was asked for. */
export function answerJson(resource: Resource, stored: Stored, form: Form, nowMs: number): string {
  switch (form.kind) {
    case 'object':
      return objectJson(resource, stored);
    case 'metadata':
      return partialOf(resource, stored, form.apiVersion);
    case 'table': {
      const object = inVersion(resource, stored.object);
      const metadata = { resourceVersion: object.metadata.resourceVersion };
      return jsonText(tableOf(resource, [object], { ...form, nowMs, metadata, columns: true }));
    }
  }
}

/** A list in the form that was asked for, as texts that follow each other. */
export function listJson(
  resource: Resource,
  items: readonly Stored[],
  metadata: Readonly<Record<string, unknown>>,
  form: Form,
  nowMs: number,
): readonly string[] {
  if (form.kind === 'table') {
    const objects = each(items, (stored) => inVersion(resource, stored.object));
    return [jsonText(tableOf(resource, objects, { ...form, nowMs, metadata, columns: true }))];
  }
  const [kind, apiVersion, texts] =
    form.kind === 'metadata'
      ? [
          'PartialObjectMetadataList',
          form.apiVersion,
          each(items, (stored) => partialOf(resource, stored, form.apiVersion)),
        ]
      : [resource.listKind, resource.apiVersion, each(items, (stored) => itemJson(resource, stored))];
  // Lists of custom resources name their continuation even when there is none.
  const whole = form.kind === 'object' && !resource.builtin ? { continue: '', ...metadata } : metadata;
  const head = JSON.stringify({ kind, apiVersion, metadata: whole });
  const separated = texts.flatMap((text, index) => (index === 0 ? [text] : [',', text]));
  return [`${head.slice(0, -1)},"items":[`, ...separated, ']}'];
}
