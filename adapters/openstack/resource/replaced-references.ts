// Replaced references: a resource was built on others than its dependencies have now, since those were deleted
// externally and re-created. An update changes the reference if it can (`Change`); others are reported, and stay.
// Derived from `status.resource` (`ReferenceTarget.shownBy`), so that a restarted process knows the same.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import type { KnownDependencies, Reference } from '../../../machines/kind.ts';
import type { KubeObject } from '../../../machines/object.ts';
import type { TableKind } from '../kinds/table.ts';
import { anew, pathsOf } from '../status/messages.ts';
import { eachReference } from './references.ts';

type Shown = Pick<TableKind, 'resource'>;

/** A reference whose id the status shows. */
interface Use {
  /** Of `spec.resource`. */
  readonly field: string;
  /** As `<Kind>/<name>`. */
  readonly label: string;
  /** Of `status.resource`. */
  readonly shownBy: string;
  /** An update brings the new one to the resource. */
  readonly follows: boolean;
}

/**
 * Notes for users about references that the resource does not follow.
 *
 * @param resource  what `status.resource` says, or is about to say
 */
export function outdatedRemarks(
  kind: Shown,
  object: KubeObject,
  resource: JsonObject,
  known: KnownDependencies,
): readonly string[] {
  const uses = usesOf(kind, object).filter(({ follows }) => !follows);
  return uses.flatMap(({ field, label, shownBy }) => {
    const id = known[label]?.id;
    const { [shownBy]: shown } = resource;
    if (id === undefined || shown === undefined || holds(shown, id)) return [];
    const old = typeof shown === 'string' && shown !== '' ? shown : 'another';
    return [`it was made of ${old}, ${label} ${nowIs(id)}: to follow ${pathsOf([field])}, ${anew(object)}`];
  });
}

const nowIs = (id: string): string => `is ${id} by now`;

/** Hint contained in such a note; undefined if there is none. */
export function outdatedAdvice(message: string): string | undefined {
  return /; it was made of .* by now: (to follow .*)$/s.exec(message)?.[1];
}

/** Whether the status shows that the resource was made of another one than this; an object that has said so says nothing new. */
export function isBuiltOnReplaced(
  kind: Shown,
  object: KubeObject,
  { kind: of, name }: Pick<Reference, 'kind' | 'name'>,
  id: string,
): boolean {
  const { resource } = object.status ?? {};
  if (resource === undefined || object.spec?.['managementPolicy'] === 'unmanaged') return false;
  const uses = usesOf(kind, object).filter(({ label }) => label === `${of}/${name}`);
  const isShown = uses.every(({ shownBy, follows }) => {
    const shown = (resource as JsonObject)[shownBy];
    // A resource that shows none has none, or another writer omitted it.
    return shown === undefined ? !follows : holds(shown, id);
  });
  return !isShown && !JSON.stringify(object.status?.['conditions'] ?? []).includes(nowIs(id));
}

function usesOf({ resource: fields }: Shown, { spec }: KubeObject): readonly Use[] {
  const given = (spec?.['resource'] ?? {}) as JsonObject;
  return Object.entries(fields).flatMap(([field, { schema, change }]) => {
    const value = given[field];
    const uses: Use[] = [];
    if (value === undefined) return uses;
    eachReference(schema, value, ({ kind, shownBy }, name) => {
      if (shownBy !== undefined)
        uses.push({ field, label: `${kind}/${name}`, shownBy, follows: change.kind !== 'never' });
    });
    return uses;
  });
}

/** Whether an id is anywhere in what is shown. */
function holds(shown: Json | undefined, id: string): boolean {
  if (typeof shown === 'object' && shown !== null)
    return Object.values(shown as JsonObject).some((part) => holds(part, id));
  return shown === id;
}
