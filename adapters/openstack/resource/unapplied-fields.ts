// Fields of a spec without effect: the API server accepts an immutable field that is added after the resource was
// created. Derived from `status.resource`, so that a reader of the object alone gets the same result.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import type { KnownDependencies } from '../../../machines/kind.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { isJsonObject } from '../base/fields.ts';
import { isEmpty } from '../base/observed-values.ts';
import { pathsOf } from '../status/messages.ts';
import { wiredOf } from './desired.ts';
import type { TableKind } from './table.ts';

/**
 * As paths in the object. A field that the status does not show, or that refers to what is not known, is not judged.
 *
 * @param resource  what `status.resource` says, or is about to say
 */
export function unheededFields(
  kind: Pick<TableKind, 'resource' | 'status' | 'immutable'>,
  object: KubeObject,
  resource: JsonObject,
  known: KnownDependencies,
): readonly string[] {
  // Whatever was there from the beginning was sent.
  if (kind.immutable === true) return [];
  // mutant: unheeded-from-beginning if -> $2
  if ((object.metadata.generation ?? 1) <= 1 || object.spec?.['managementPolicy'] === 'unmanaged') return [];
  const names = Object.entries(kind.resource).flatMap(([name, field]) => {
    if (field.change.kind !== 'never' || field.schema.required || field.moves) return [];
    const wired = wiredOf(name, field, object, known);
    if (wired === undefined || wired.missing.length > 0) return [];
    return isShown(kind, field.encode(wired.value), resource) === false ? [name] : [];
  });
  return names.map((name) => pathsOf([name]));
}

/** Whether the status shows these attributes; undefined if it contains none of them. */
export function isShown(
  { status }: Pick<TableKind, 'status'>,
  attributes: JsonObject,
  resource: JsonObject,
): boolean | undefined {
  const judged = Object.entries(status).flatMap(([name, { projection, read }]) => {
    const reads = Object.keys(projection);
    if (reads.length === 0 || !reads.every((attribute) => attribute in attributes)) return [];
    const wanted = read(attributes);
    return wanted === undefined ? [] : [covers(resource[name], wanted)];
  });
  return judged.length === 0 ? undefined : judged.every((each) => each);
}

/** Whether all that is wanted is there; the cloud may have added to it, and spells in its own way. */
function covers(found: Json | undefined, wanted: Json): boolean {
  if (isEmpty(wanted) || wanted === false) return isEmpty(found) || found === false;
  if (Array.isArray(wanted))
    return Array.isArray(found) && wanted.every((item: Json) => found.some((other: Json) => covers(other, item)));
  if (isJsonObject(wanted))
    return (
      isJsonObject(found) &&
      Object.entries(wanted).every(([name, member]) => isEmpty(member) || covers(found[name], member))
    );
  return String(found).toLowerCase() === String(wanted).toLowerCase();
}
