// Events as CloudEvents 1.0 in structured mode.
// @see https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/spec.md
import type { ReceivedEvent, TraceEvent } from './bus.ts';
import type { JsonObject } from './json.ts';
import { addressKey, ROOT } from './subjects.ts';
import { timestamp } from './timestamps.ts';
import { validTraceparent } from './trace-context.ts';

/** Members of an envelope beside the event. */
export interface Occasion {
  readonly id: string;
  readonly source: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export function envelopeOf(
  { actor, type, data, ...event }: TraceEvent,
  { id, source, at }: Occasion,
  root: string = ROOT,
): JsonObject {
  const traceparent = validTraceparent(event.traceparent);
  return {
    specversion: '1.0',
    id,
    source,
    type: `${root}.${type}`,
    subject: addressKey(actor),
    time: timestamp(at),
    ...(traceparent !== undefined && { traceparent }),
    datacontenttype: 'application/json',
    data,
  };
}

/** The CloudEvent that was heard; one that was on no wire is named after what it says. */
export function cloudEvent(event: ReceivedEvent, root: string = ROOT): JsonObject {
  const { id = `${addressKey(event.actor)}-${event.type}-${event.at}`, source = `/${root}`, at } = event;
  return envelopeOf(event, { id, source, at }, root);
}
