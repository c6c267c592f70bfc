// Types of admission rules: functions of an object that return its problems.
import type { JsonMap } from '../../json-values.ts';

/** Names that differ between the versions of the API, as messages write them and as objects have them. */
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
  /** Problems of an object, independent of its earlier state. */
  readonly problems?: (object: JsonMap, names: FieldNames) => readonly string[];
  /** Problems of a change of its spec. */
  readonly changes?: (object: JsonMap, oldObject: JsonMap, others: Others) => readonly string[];
  /** Reasons why the object must not be deleted. */
  readonly deletion?: (oldObject: JsonMap, others: Others) => readonly string[];
}
