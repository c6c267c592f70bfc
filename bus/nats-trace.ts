// The trace as CloudEvents 1.0 in structured mode, one event a message: `nats sub 'troupe.event.>'` reads it.

import { headers } from 'nats';
import type { Trace, TraceEvent } from './bus.ts';
import type { Connection } from './connection.ts';
import type { JsonObject } from './json.ts';
import { addressKey, eventSubject, eventWildcard, parseEventSubject } from './subjects.ts';

const CONTENT_TYPE = 'application/cloudevents+json';

/** @param process  who tells: the last part of the events' `source` */
export function natsTrace(connection: Connection, root: string, process: string): Trace {
  const spans = spanIds(connection.clock.random);
  return {
    emit(event: TraceEvent) {
      const { actor, type, traceId, data } = event;
      const span = spans();
      const traceparent = `00-${traceId}-${span}-01`;
      const header = headers();
      header.set('Content-Type', CONTENT_TYPE);
      header.set('traceparent', traceparent);
      const envelope = {
        specversion: '1.0',
        id: `${process}-${span}`,
        source: `/${root}/${encodeURIComponent(process)}`,
        type: `${root}.${type}`,
        subject: addressKey(actor),
        time: timestamp(connection.clock.now()),
        traceparent,
        datacontenttype: 'application/json',
        data,
      };
      const text = JSON.stringify(envelope);
      connection.inOneGo(() => {
        try {
          connection.send(eventSubject(event, root), text, header);
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
  };
}

/** Milliseconds since the epoch as RFC 3339 in UTC with microseconds. */
export function timestamp(at: number): string {
  const micros = Math.floor(at * 1_000);
  const seconds = new Date(Math.floor(micros / 1_000)).toISOString().slice(0, 20);
  return `${seconds}${String(micros % 1_000_000).padStart(6, '0')}Z`;
}

/** The inverse of `timestamp`, to the microsecond. */
export function parseTimestamp(text: string): number {
  const [, micros = '0'] = /\.\d{3}(\d{1,3})/.exec(text) ?? [];
  return Date.parse(text.replace(/(\.\d{3})\d+/, '$1')) + Number(micros.padEnd(3, '0')) / 1_000;
}

function parsed(subject: string, payload: Uint8Array, root: string): (TraceEvent & { at: number }) | undefined {
  const address = parseEventSubject(subject, root);
  if (address === undefined) return undefined;
  try {
    const { time, traceparent, data } = JSON.parse(new TextDecoder().decode(payload)) as Record<string, unknown>;
    const traceId = String(traceparent).split('-')[1] ?? '';
    return { ...address, traceId, data: (data ?? {}) as JsonObject, at: parseTimestamp(String(time)) };
  } catch {
    return undefined; // not ours
  }
}

/** 16 hexadecimal digits each, none of them twice: a random start, then counted. */
function spanIds(random: () => number): () => string {
  const start = Math.floor(random() * 2 ** 32)
    .toString(16)
    .padStart(8, '0');
  let count = 0;
  return () => {
    count += 1;
    return start + count.toString(16).padStart(8, '0');
  };
}
