// Attributes that the simulated Neutron knows, their places, and how values are checked and converted.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { formatPrefix, parseAddress, parsePrefix } from './addresses.ts';
import { neutronRefusal, pythonRepr } from './exchange.ts';

/** Refuses, or gives the value as it is stored. */
export type Convert = (value: Json, name: string) => Json;

export interface Attribute {
  readonly convert: Convert;
  /** Value when a creation leaves it out; absent: it must be given. `unset`: decided later. */
  readonly preset?: Json | 'unset';
  /** In which requests it may be given. */
  readonly allowed: 'always' | 'creation' | 'never';
}

export type AttributeTable = Readonly<Record<string, Attribute>>;

/** Error of the check of one attribute. */
export function invalid(name: string, reason: string): Error {
  return neutronRefusal(400, 'HTTPBadRequest', `Invalid input for ${name}. Reason: ${reason}`);
}

/** Error of the check of the whole request. */
export function invalidInput(reason: string): Error {
  return neutronRefusal(400, 'InvalidInput', `Invalid input for operation: ${reason}.`);
}

function plain(value: Json): string {
  return typeof value === 'string' ? value : pythonRepr(value);
}

export const toText: Convert = (value, name) => {
  if (typeof value !== 'string') throw invalid(name, `'${plain(value)}' is not a valid string.`);
  if (value.length > 255) throw invalid(name, `'${value}' exceeds maximum length of 255.`);
  return value;
};

export const toBoolean: Convert = (value) => {
  const text = String(value).toLowerCase();
  if (value === true || ['true', '1'].includes(text)) return true;
  if (value === false || ['false', '0'].includes(text)) return false;
  throw invalidInput(`'${plain(value)}' cannot be converted to boolean`);
};

export const toInteger: Convert = (value) => {
  if (typeof value !== 'boolean' && /^-?\d+$/.test(String(value))) return Number(value);
  throw invalidInput(`'${plain(value)}' is not an integer`);
};

export const toMtu: Convert = (value, name) => {
  const mtu = Number(toInteger(value, name));
  if (mtu < 0) throw invalid(name, `'${mtu}' should be non-negative.`);
  return mtu;
};

export const toHints: Convert = (value, name) => {
  if (!Array.isArray(value)) throw invalid(name, `'${plain(value)}' is not a list.`);
  return value;
};

/** A domain name in full, with its final dot. */
export const toDnsDomain: Convert = (value, name) => {
  const text = String(toText(value, name));
  if (text === '' || /^([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+$/.test(text)) return text;
  throw invalid(name, `'${text}' is not a FQDN.`);
};

export const toUuid: Convert = (value, name) => {
  if (/^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i.test(String(value))) return value;
  throw invalid(name, `'${plain(value)}' is not a valid UUID.`);
};

/** One of the values, which keeps its type. */
export function oneOf(...values: readonly Json[]): Convert {
  return (value, name) => {
    const found = values.find((candidate) => String(candidate) === String(value));
    if (found === undefined || value === null) throw invalid(name, `${plain(value)} is not in valid_values.`);
    return found;
  };
}

export const toAddressOrNull: Convert = (value, name) => {
  if (value === null || parseAddress(String(value)) !== undefined) return value;
  throw invalid(name, `'${plain(value)}' is not a valid IP address.`);
};

export const toNameservers: Convert = (value, name) => {
  if (!Array.isArray(value)) throw invalid(name, `Invalid data format for nameserver: '${plain(value)}'.`);
  for (const [index, server] of value.entries()) {
    const text = plain(server);
    if (parseAddress(text) === undefined) {
      throw invalid(name, `'${text}' is not a valid nameserver. '${text}' is not a valid IP address.`);
    }
    if (value.indexOf(server) < index) throw invalid(name, `Duplicate nameserver '${text}'.`);
  }
  return value;
};

/** A list of objects that have exactly these keys. */
function toRecords(keys: readonly string[], check: (record: JsonObject, name: string) => void): Convert {
  return (value, name) => {
    if (!Array.isArray(value)) throw invalid(name, `Invalid data format: '${plain(value)}'.`);
    for (const record of value as readonly JsonObject[]) {
      const provided = Object.keys(record);
      if (provided.length !== keys.length || keys.some((key) => !provided.includes(key))) {
        const show = (list: readonly string[]): string => `{${list.map((key) => `'${key}'`).join(', ')}}`;
        const found = `Expected keys: ${show(keys)} Provided keys: ${show(provided)}.`;
        throw invalid(name, `Validation of dictionary's keys failed. ${found}`);
      }
      check(record, name);
    }
    return value;
  };
}

function mustBeAddress(value: Json | undefined, name: string): void {
  if (parseAddress(String(value)) === undefined) throw invalid(name, `'${value}' is not a valid IP address.`);
}

export const toPools = toRecords(['end', 'start'], (record, name) => {
  mustBeAddress(record['start'], name);
  mustBeAddress(record['end'], name);
});

export const toRoutes = toRecords(['nexthop', 'destination'], (record, name) => {
  const text = String(record['destination']);
  const destination = parsePrefix(text);
  if (destination === undefined || !text.includes('/')) throw invalid(name, `'${text}' is not a valid CIDR.`);
  if (formatPrefix(destination) !== text.toLowerCase()) {
    throw invalid(name, `'${text}' is not a recognized CIDR, '${formatPrefix(destination)}' is recommended.`);
  }
  mustBeAddress(record['nexthop'], name);
});

export const asGiven: Convert = (value) => value;
