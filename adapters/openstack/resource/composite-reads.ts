// Resources that one request does not tell as a whole: the parts that others tell are read after it.
//
// Invariant:
//   OS-COMPOSITE-READS-1. A list only reveals that a resource has changed: a watch always reports a complete reading.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { TransientError } from '../../../bus/errors.ts';
import type { Observation, WatchRequest, WatchUpdate } from '../../../machines/external-resource/operations.ts';
import { onlyChanges } from '../../../machines/external-resource/polling.ts';
import { equalTo } from '../base/criteria.ts';
import { projected } from '../base/projection.ts';
import type { LookUpCall } from '../client/lookups.ts';
import type { Poller } from '../client/poller.ts';
import type { Session } from '../client/session.ts';
import type { TableKind } from './table.ts';
import { callOf, pathOf } from './update.ts';

/** The resource with its parts; undefined if it is deleted. */
export async function withParts(
  kind: Pick<TableKind, 'service' | 'collection' | 'parts' | 'projection'>,
  resource: JsonObject,
  session: Session,
  call: LookUpCall,
): Promise<JsonObject | undefined> {
  if (kind.parts === undefined) return resource;
  const path = pathOf(kind, String(resource['id']));
  const parts = await Promise.all(
    Object.entries(kind.parts).map(async ([name, part]): Promise<readonly [string, Json] | undefined> => {
      const { status, body } = await session.call({ ...callOf(kind, `${path}/${part.path}`, call), method: 'GET' });
      if (status === 404) return undefined;
      const { [part.member]: reported } = body;
      if (reported === undefined)
        throw new TransientError(`GET ${path}/${part.path} answered ${status} without a '${part.member}'`);
      return [name, reported];
    }),
  );
  const there = parts.filter((part) => part !== undefined);
  if (there.length < parts.length) return undefined;
  return { ...projected(kind.projection, resource), ...Object.fromEntries(there) };
}

export interface WholeWatch {
  readonly kind: TableKind;
  readonly poller: Poller;
  readonly session: Session;
  readonly request: WatchRequest;
  /** Reads the resource with its parts; undefined if it is deleted. */
  readonly read: () => Promise<Observation | undefined>;
  /** Called before a deletion is reported. An exception ends the watch. */
  readonly onGone: () => void;
}

/** A watch as `Poller.watch`, whose news are read as a whole (OS-COMPOSITE-READS-1), one after the other. */
export async function watchWhole({ kind, poller, session, request, read, onGone }: WholeWatch): Promise<never> {
  const failed = Promise.withResolvers<never>();
  const ended = new AbortController();
  const report = onlyChanges(request.observation, request.progress);
  let reading = Promise.resolve();
  const readOn = async (news: WatchUpdate): Promise<void> => {
    if (request.signal.aborted || ended.signal.aborted) return;
    const seen = 'gone' in news ? undefined : await read();
    if (seen === undefined) onGone();
    report(seen);
  };
  const watched = {
    ...request,
    observation: request.observation && signOf(kind, request.observation.attributes),
    signal: AbortSignal.any([request.signal, ended.signal]),
    progress: (news: WatchUpdate): void => {
      reading = reading.then(() => readOn(news)).catch((error: unknown) => failed.reject(error));
    },
  };
  const watch = poller.watch(
    session,
    kind,
    [equalTo('id', request.id)],
    watched,
    (found) => found && signOf(kind, found),
  );
  return Promise.race([failed.promise, watch]).finally(() => ended.abort());
}

/** Attributes that both a list and a read return: only compared. */
function signOf(kind: TableKind, found: JsonObject): Observation {
  const hidden = new Set([...Object.keys(kind.parts ?? {}), ...(kind.listing?.lacks ?? [])]);
  const shown = Object.entries(projected(kind.projection, found)).filter(([name]) => !hidden.has(name));
  return { id: String(found['id']), attributes: Object.fromEntries(shown), resource: {}, available: false };
}
