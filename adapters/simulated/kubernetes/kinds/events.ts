// Events have two spellings, core/v1 and events.k8s.io/v1, of one stored object; stored is the one of core/v1.
import type { KubeObject } from '../base/kube-object.ts';

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

/** As core/v1 shows it: some fields are there even when nothing is in them. */
export function completeCoreEvent(object: KubeObject): KubeObject {
  const blank = {
    eventTime: null,
    firstTimestamp: null,
    lastTimestamp: null,
    reportingComponent: '',
    reportingInstance: '',
  };
  return { ...object, source: object['source'] ?? {}, ...blank, ...pick(object, Object.keys(blank)) };
}

function pick(object: KubeObject, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.filter((name) => Object.hasOwn(object, name)).map((name) => [name, object[name]]));
}

/** As events.k8s.io/v1 shows it. */
export function fromCoreEvent(object: KubeObject): KubeObject {
  const event = renamed(completeCoreEvent(object), 'events.k8s.io/v1', SPELLINGS);
  for (const key of ['reportingController', 'reportingInstance']) if (event[key] === '') delete event[key];
  return event;
}

/** As it is stored. */
export function toCoreEvent(object: KubeObject): KubeObject {
  return renamed(
    object,
    'v1',
    SPELLINGS.map(([core, other]) => [other, core] as const),
  );
}
