// The trace as CloudEvents 1.0 in structured mode, one event a message: `nats sub 'troupe.event.>'` reads it.

import type { ReceivedEvent, Trace, TraceEvent } from './bus.ts';
import { envelopeOf } from './cloud-event.ts';
import type { Connection } from './connection.ts';
import type { JsonObject } from './json.ts';
import { type HeaderLine, sentHeaders, TRACEPARENT_HEADER } from './message-headers.ts';
import { keptEvents } from './nats-event-stream.ts';
import { eventSubject, eventWildcard, parseEventSubject } from './subjects.ts';
import { parseTimestamp } from './timestamps.ts';
import { validTraceparent } from './trace-context.ts';

const CONTENT_TYPE: HeaderLine = ['Content-Type', 'application/cloudevents+json'];

export interface NatsTraceOptions {
  readonly connection: Connection;
  readonly root: string;
  /** Publisher: the last part of the events' `source`. */
  readonly process: string;
  /** Stream that keeps events, if there is one. */
  readonly stream: string;
}

export function natsTrace({ connection, root, process, stream }: NatsTraceOptions): Trace {
  const ids = eventIds(connection.clock.random);
  const source = `/${root}/${encodeURIComponent(process)}`;
  return {
    emit(event: TraceEvent) {
      const traceparent = validTraceparent(event.traceparent);
      const traced: readonly HeaderLine[] = traceparent === undefined ? [] : [[TRACEPARENT_HEADER, traceparent]];
      const envelope = envelopeOf(event, { id: `${process}-${ids()}`, source, at: connection.clock.now() }, root);
      const text = JSON.stringify(envelope);
      connection.inOneGo(() => {
        try {
          connection.send(eventSubject(event, root), text, { headers: sentHeaders([CONTENT_TYPE, ...traced]) });
        } catch {
          // Larger than the server takes, or the connection is just closing: an event that cannot be sent is lost.
        }
      });
    },

    async subscribe(onEvent) {
      if (!connection.up) throw connection.away();
      const subscription = connection.listen(eventWildcard(root), ({ subject, data }) => {
        const event = parsed(subject, data, root);
        if (event !== undefined) onEvent(event);
      });
      await connection.nats.flush(); // what is emitted from now on is heard
      return {
        async close() {
          subscription.unsubscribe();
        },
      };
    },

    async *history(query = {}) {
      for await (const { subject, data, keptAt } of keptEvents(connection, stream, root, query)) {
        const event = parsed(subject, data, root);
        if (event !== undefined) yield { ...event, keptAt };
      }
    },
  };
}

function parsed(subject: string, payload: Uint8Array, root: string): ReceivedEvent | undefined {
  const address = parseEventSubject(subject, root);
  if (address === undefined) return undefined;
  try {
    const envelope = JSON.parse(new TextDecoder().decode(payload)) as Record<string, unknown>;
    const { id, source, time, data } = envelope;
    const at = typeof time === 'string' ? parseTimestamp(time) : Number.NaN;
    if (Number.isNaN(at)) return undefined; // not ours
    const traceparent = validTraceparent(envelope['traceparent']);
    return {
      ...address,
      ...(typeof id === 'string' && { id }),
      ...(typeof source === 'string' && { source }),
      ...(traceparent !== undefined && { traceparent }),
      data: (data ?? {}) as JsonObject,
      at,
    };
  } catch {
    return undefined; // not ours
  }
}

/** 16 hexadecimal digits each, none of them twice: a random start, then counted. */
function eventIds(random: () => number): () => string {
  const start = Math.floor(random() * 2 ** 32)
    .toString(16)
    .padStart(8, '0');
  let count = 0;
  return () => {
    count += 1;
    return start + count.toString(16).padStart(8, '0');
  };
}
