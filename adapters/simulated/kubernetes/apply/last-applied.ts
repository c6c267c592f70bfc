// The annotation in which kubectl's client-side apply keeps what it applied: how its owner moves to server-side apply.
import { parseJson } from '../../../text/exact-json.ts';
import { canonical, copy, isMap } from '../../../text/json.ts';
import type { KubeObject } from '../base/kube-object.ts';
import { compare, fieldSetOf } from './comparison.ts';
import { difference, EMPTY_SET, type FieldSet } from './field-sets.ts';
import { typeProblem } from './fitting.ts';
import type { Writer } from './managers.ts';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** The fields that client-side apply set, and that were not changed since. */
export function allowedByLastApplied(live: KubeObject, { schema, apiVersion }: Writer): FieldSet {
  const text = live.metadata.annotations?.[LAST_APPLIED] ?? '';
  let applied: unknown;
  try {
    applied = parseJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) return EMPTY_SET; // a broken annotation proves nothing
    throw error;
  }
  if (!isMap(applied) || applied['apiVersion'] !== apiVersion || typeProblem(schema, applied) !== undefined) {
    return EMPTY_SET;
  }
  const { added, modified, removed } = compare(schema, applied, live);
  return difference(difference(difference(fieldSetOf(schema, applied), modified), added), removed);
}

/** Keeps the annotation true where there is one. */
export function renewLastApplied(object: KubeObject, applied: KubeObject): void {
  if ((object.metadata.annotations?.[LAST_APPLIED] ?? '') === '') return;
  const configuration = copy(applied);
  if (configuration.metadata.annotations !== undefined) {
    delete configuration.metadata.annotations[LAST_APPLIED];
    if (Object.keys(configuration.metadata.annotations).length === 0) delete configuration.metadata.annotations;
  }
  const annotations = { ...object.metadata.annotations, [LAST_APPLIED]: `${canonical(configuration)}\n` };
  object.metadata.annotations = annotations;
}
