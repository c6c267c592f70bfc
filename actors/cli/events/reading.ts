// Stored events of the bus, and then live ones: each event once, in the order of their publication.
import { AbsentError, type EventQuery, type ReceivedEvent } from '../../../bus/mod.ts';
import { aborted } from '../../process/run.ts';
import type { BusReader } from '../bus-reader.ts';

export interface Reading extends EventQuery {
  readonly trace: BusReader['trace'];
  /** Undefined: it ends with what is kept. */
  readonly until: AbortSignal | undefined;
  readonly onEvent: (event: ReceivedEvent) => void;
  /** No events are kept; only where it continues all the same. */
  readonly onNoHistory: (error: AbsentError) => void;
}

/** @throws {AbsentError} no events are kept, and nothing else was asked for; as `Trace.history` */
export async function readEvents({ trace, until, onEvent, onNoHistory, ...query }: Reading): Promise<void> {
  // Heard while the kept ones are read, and perhaps among them.
  let early: Map<string, ReceivedEvent> | undefined = new Map();
  const hear = (event: ReceivedEvent): void => {
    if (early === undefined) onEvent(event);
    else early.set(identityOf(event), event);
  };
  const listening = until === undefined ? undefined : await trace.subscribe(hear);
  try {
    try {
      for await (const event of trace.history(query)) {
        if (until?.aborted === true) return;
        early.delete(identityOf(event));
        onEvent(event);
      }
    } catch (error) {
      if (!(error instanceof AbsentError) || until === undefined) throw error;
      onNoHistory(error);
    }
    for (const event of early.values()) onEvent(event);
    early = undefined;
    if (until !== undefined) await aborted(until);
  } finally {
    await listening?.close();
  }
}

function identityOf({ keptAt: _, ...event }: ReceivedEvent): string {
  const { id, source } = event;
  return JSON.stringify(id === undefined ? event : [source, id]);
}
