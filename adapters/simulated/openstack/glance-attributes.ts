// Attributes of an image of the simulated Glance.
import type { Json } from '../../../bus/bus.ts';
import { pythonRepr } from './exchange.ts';

const FORMATS: Readonly<Record<string, readonly string[]>> = {
  container_format: ['ami', 'ari', 'aki', 'bare', 'ovf', 'ova', 'docker', 'compressed'],
  disk_format: ['ami', 'ari', 'aki', 'vhd', 'vhdx', 'vmdk', 'raw', 'qcow2', 'vdi', 'iso', 'ploop'],
  visibility: ['community', 'public', 'private', 'shared'],
};
const LONGEST = 255;

/** Glance's own, which clients write. */
export const EDITABLE: ReadonlySet<string> = new Set([
  'name',
  'tags',
  'protected',
  'os_hidden',
  'visibility',
  'min_disk',
  'min_ram',
  'owner',
  'disk_format',
  'container_format',
]);
export const READ_ONLY: ReadonlySet<string> = new Set([
  'created_at',
  'updated_at',
  'status',
  'checksum',
  'size',
  'virtual_size',
  'direct_url',
  'self',
  'file',
  'schema',
  'id',
  'os_hash_algo',
  'os_hash_value',
]);
export const RESERVED: ReadonlySet<string> = new Set(['location', 'deleted', 'deleted_at']);

/** Error of the schema about a value; undefined: none. */
export function checkAttribute(name: string, value: Json): string | undefined {
  const said = pythonRepr(value);
  const formats = FORMATS[name];
  if (formats !== undefined) {
    const isNothing = value === null && name !== 'visibility';
    if (isNothing || formats.includes(String(value))) return undefined;
    return `${said} is not one of [${name === 'visibility' ? '' : 'None, '}${formats.map((each) => `'${each}'`).join(', ')}]`;
  }
  switch (name) {
    case 'protected':
    case 'os_hidden':
      return typeof value === 'boolean' ? undefined : `${said} is not of type 'boolean'`;
    case 'min_disk':
    case 'min_ram':
      return Number.isInteger(value) ? undefined : `${said} is not of type 'integer'`;
    case 'tags': {
      if (!Array.isArray(value)) return `${said} is not of type 'array'`;
      return value.map((tag: Json) => textComplaint(tag)).find((problemMessage) => problemMessage !== undefined);
    }
    case 'name':
    case 'owner':
      return value === null ? undefined : textComplaint(value, "'null', 'string'");
    default:
      // A property of the user's.
      return typeof value === 'string' ? undefined : `${said} is not of type 'string'`;
  }
}

function textComplaint(value: Json, types = "'string'"): string | undefined {
  if (typeof value !== 'string') return `${pythonRepr(value)} is not of type ${types}`;
  return value.length > LONGEST ? `${pythonRepr(value)} is too long` : undefined;
}
