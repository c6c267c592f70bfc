// Kubernetes Events about one object, as `kubectl describe` shows them.
import type { KubeClient } from '../../adapters/kubernetes/mod.ts';
import { type Address, type Json, type JsonObject, toErrorData } from '../../bus/mod.ts';
import type { UserEventView } from './wire.ts';

/** Events of one object, the newest. */
const EVENTS = 50;
/** Where Events about cluster-scoped objects are. */
const ELSEWHERE = 'default';

export interface UserEvents {
  /** Newest first. */
  readonly events: readonly UserEventView[];
  /** Why they cannot be shown. */
  readonly eventsTrouble?: string;
}

export async function userEventsOf(
  client: Pick<KubeClient, 'call'>,
  { namespace, name }: Address,
  kind: string,
): Promise<UserEvents> {
  const selector = encodeURIComponent(`involvedObject.kind=${kind},involvedObject.name=${name}`);
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace || ELSEWHERE)}/events?fieldSelector=${selector}`;
  try {
    const { body } = await client.call({ method: 'GET', path });
    const items = Array.isArray(body['items']) ? (body['items'] as readonly JsonObject[]) : [];
    const events = items.map(viewOf).sort((one, other) => other.at - one.at);
    return { events: events.slice(0, EVENTS) };
  } catch (error) {
    return { events: [], eventsTrouble: toErrorData(error).message };
  }
}

function viewOf({ type, reason, message, count, lastTimestamp, eventTime, metadata }: JsonObject): UserEventView {
  const made = (metadata as JsonObject | undefined)?.['creationTimestamp'];
  const at = [lastTimestamp, eventTime, made].map(instantOf).find((each) => each > 0) ?? 0;
  return {
    at,
    type: textOf(type),
    reason: textOf(reason),
    message: textOf(message),
    count: typeof count === 'number' ? count : 1,
  };
}

function instantOf(value: Json | undefined): number {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? 0 : at;
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
