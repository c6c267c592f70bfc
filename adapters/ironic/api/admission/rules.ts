// What rules of admission are made of: functions of an object to what is wrong with it.
import type { JsonMap } from '../../json-values.ts';

/** What has other names in the versions of the API, as messages call it and as objects have it. */
export interface FieldNames {
  readonly online: 'online' | 'poweredOn';
  readonly deviceName: 'deviceName' | 'devicePath';
}

const V1ALPHA1: FieldNames = { online: 'online', deviceName: 'deviceName' };
const V1BETA1: FieldNames = { online: 'poweredOn', deviceName: 'devicePath' };

export function fieldNamesOf(version: string): FieldNames {
  return version === 'v1beta1' ? V1BETA1 : V1ALPHA1;
}

/**
 * BareMetalHosts of all namespaces that may refer to an object, as they are in the API; undefined: it could not be found out
 * which there are.
 */
export type Others = readonly unknown[] | undefined;

/** The rules of a kind. What is not stated is not ruled. */
export interface KindRules {
  /** What is wrong with an object, whatever it was before. */
  readonly problems?: (object: JsonMap, names: FieldNames) => readonly string[];
  /** What is wrong with a change of its spec. */
  readonly changes?: (object: JsonMap, oldObject: JsonMap, others: Others) => readonly string[];
  /** What keeps it from being deleted. */
  readonly deletion?: (oldObject: JsonMap, others: Others) => readonly string[];
}
