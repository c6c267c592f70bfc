// IDs and addresses of an object in the external system, as its status has them. A status may hold anything.
import { isIP } from 'node:net';
import type { Json } from '../../bus/mod.ts';
import type { KubeObject } from '../../machines/object.ts';

/** Limit of addresses of one object. */
const ADDRESSES = 8;
/** Limit of an ID, in characters. */
const ID_LENGTH = 200;
/** Depth and number of values that are searched in a status. */
const DEPTH = 6;
const VALUES = 2_000;

/** Empty: it has none yet. */
export function idIn({ status }: Pick<KubeObject, 'status'>): string {
  const { id, provisioning } = (status ?? {}) as Readonly<Record<string, Json | undefined>>;
  if (typeof id === 'string') return id.slice(0, ID_LENGTH);
  const inner = typeof provisioning === 'object' && provisioning !== null ? provisioning : {};
  const { ID } = inner as Readonly<Record<string, Json | undefined>>;
  return typeof ID === 'string' ? ID.slice(0, ID_LENGTH) : '';
}

/** Each once, in the order in which they are found. */
export function addressesIn({ status }: Pick<KubeObject, 'status'>): readonly string[] {
  const found = new Set<string>();
  let left = VALUES;
  const look = (value: Json | undefined, depth: number): void => {
    if (--left < 0 || depth > DEPTH || found.size >= ADDRESSES) return;
    if (typeof value === 'string') {
      if (value.length <= 45 && isIP(value) > 0) found.add(value);
    } else if (Array.isArray(value)) {
      for (const each of value) look(each, depth + 1);
    } else if (typeof value === 'object' && value !== null) {
      for (const each of Object.values(value)) look(each as Json, depth + 1);
    }
  };
  look(status as Json | undefined, 0);
  return [...found];
}
