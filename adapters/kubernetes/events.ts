// Kubernetes Events: what happened to an object, in words, as `kubectl describe` and `kubectl get events` show it.
//
// Written through core/v1, with a count and two timestamps, rather than through events.k8s.io/v1 with its series: it is
// the one form whose age, count and source every kubectl shows, and by whose `lastTimestamp` scripts sort.
import type { JsonObject } from '../../bus/bus.ts';
import type { KubeObject } from '../../machines/object.ts';
import type { KubeClient } from './ports.ts';

export const EventType = { Normal: 'Normal', Warning: 'Warning' } as const;
export type EventType = (typeof EventType)[keyof typeof EventType];

/** Trace context of the change that is reported first. */
const TRACEPARENT = 'troupe/traceparent';

/** Content of an Event, written at first and on each repetition. */
export interface EventRecord {
  /** Name of the Event itself, unique in the namespace. */
  readonly name: string;
  readonly about: EventSubject;
  readonly type: EventType;
  /** CamelCase, for programs. */
  readonly reason: string;
  /** For people. No secret. */
  readonly message: string;
  readonly count: number;
  /** Milliseconds since the epoch. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** W3C Trace Context of what it happened for: an annotation of the Event. */
  readonly traceparent?: string | undefined;
}

/** The incarnation, and the version, of the object that an event is about. */
export interface EventSubject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

export interface Events {
  /** @throws {ForbiddenError} also when the namespace is being deleted; otherwise as `KubeClient.call` */
  create(record: EventRecord): Promise<void>;
  /** Tells that it happened again. @throws {AbsentError} the server has forgotten it; otherwise as `create` */
  repeat(record: EventRecord): Promise<void>;
}

/**
 * @param deps.component  who reports, the same for all pods
 * @param deps.instance  which pod
 */
export function events({
  client,
  component,
  instance,
}: {
  readonly client: KubeClient;
  readonly component: string;
  readonly instance: string;
}): Events {
  const pathOf = (namespace: string): string => `/api/v1/namespaces/${encodeURIComponent(namespace)}/events`;
  return {
    async create({ name, about, type, reason, message, count, firstAt, lastAt, traceparent }) {
      const annotations = traceparent !== undefined && { annotations: { [TRACEPARENT]: traceparent } };
      const body: JsonObject = {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { namespace: about.namespace, name, ...annotations },
        involvedObject: { ...about },
        type,
        reason,
        message,
        count,
        firstTimestamp: secondsOf(firstAt),
        lastTimestamp: secondsOf(lastAt),
        source: { component },
        reportingComponent: component,
        reportingInstance: instance,
      };
      await client.call({ method: 'POST', path: pathOf(about.namespace), body });
    },
    async repeat({ name, about, message, count, lastAt }) {
      await client.call({
        method: 'PATCH',
        path: `${pathOf(about.namespace)}/${encodeURIComponent(name)}`,
        contentType: 'application/merge-patch+json',
        body: { message, count, lastTimestamp: secondsOf(lastAt) },
      });
    },
  };
}

export function subjectOf({ apiVersion, kind, metadata }: KubeObject): EventSubject {
  const { namespace = '', name, uid, resourceVersion } = metadata;
  return { apiVersion, kind, namespace, name, uid, resourceVersion };
}

/** RFC 3339 in UTC, whole seconds: the API server keeps no more. */
function secondsOf(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
}
