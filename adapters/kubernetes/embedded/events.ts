// Events have two spellings, core/v1 and events.k8s.io/v1, of one stored object; stored is the one of core/v1.
import type { KubeObject } from './json.ts';

/** Field of core/v1, field of events.k8s.io/v1. */
const SPELLINGS = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['reportingComponent', 'reportingController'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
] as const;

function renamed(object: KubeObject, apiVersion: string, names: readonly (readonly [string, string])[]): KubeObject {
  const result: KubeObject = { ...object, apiVersion };
  for (const [from, to] of names) {
    if (!Object.hasOwn(object, from)) continue;
    result[to] = object[from];
    delete result[from];
  }
  return result;
}

/** As events.k8s.io/v1 shows it. */
export function fromCoreEvent(object: KubeObject): KubeObject {
  return renamed(object, 'events.k8s.io/v1', SPELLINGS);
}

/** As it is stored. */
export function toCoreEvent(object: KubeObject): KubeObject {
  return renamed(
    object,
    'v1',
    SPELLINGS.map(([core, other]) => [other, core] as const),
  );
}
