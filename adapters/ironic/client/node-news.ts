// Whether a node differs from what was known of it: compares only fields that operations wait for or decide by.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { isObject, type Node, type NodeField } from './node.ts';

/** Mask that Ironic returns in place of a secret. */
const MASKED = '******';

/** Keys of `instance_info` that describe the deployment. Ironic adds more keys while it works. */
const INSTANCE_KEYS = [
  'boot_iso',
  'capabilities',
  'image_checksum',
  'image_disk_format',
  'image_os_hash_algo',
  'image_os_hash_value',
  'image_source',
  'root_device',
] as const;

/** Objects are compared by what shows of them, on both sides; all else as it is. */
const VIEWS: Partial<Record<NodeField, (value: JsonObject, other: JsonObject) => Json>> = {
  instance_info: (value) => Object.fromEntries(INSTANCE_KEYS.map((key) => [key, own(value, key)])),
  driver_info: (value, other) =>
    Object.fromEntries(Object.entries(value).filter(([key, each]) => each !== MASKED && own(other, key) !== MASKED)),
};

/**
 * The fields in which a node is not as it was known; empty: there is no news.
 *
 * A node that is held now, and was not, is no news: it is to others. One that is held no longer is.
 *
 * @param known  what was read before; fields that it lacks are not compared
 */
export function newsOf(known: Partial<Node>, seen: Node): readonly NodeField[] {
  const fields = Object.keys(known) as NodeField[];
  return fields.filter((field) => {
    // Objects of other writers may have more fields.
    if (!Object.hasOwn(seen, field)) return false;
    // mutant: ironic-reservation-wakes drop
    if (field === 'reservation' && isNothing(known.reservation)) return false;
    return !isSame(field, known[field], seen[field]);
  });
}

function isSame(field: NodeField, one: Json | undefined, other: Json | undefined): boolean {
  const view = VIEWS[field];
  if (view === undefined || !isObject(one) || !isObject(other))
    return canonical(one ?? null) === canonical(other ?? null);
  return canonical(view(one, other)) === canonical(view(other, one));
}

/** Null, and what is not there at all. */
function isNothing(value: Json | undefined): value is null | undefined {
  return value === undefined || value === null;
}

function own(value: JsonObject, key: string): Json {
  return (Object.hasOwn(value, key) ? value[key] : undefined) ?? null;
}

/** JSON with sorted keys: equal values may be written in several ways. */
function canonical(value: Json): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
