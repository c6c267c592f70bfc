// Watches: the changes of a selection as a stream of JSON lines.
//
// Invariants:
//   KSIM-WATCH-1. A watch from a revision gets every later change exactly once and in order, or one ERROR event and its end.
//   KSIM-WATCH-2. An object that begins to match the selectors is ADDED, one that ceases to is DELETED.
//   KSIM-WATCH-3. A change is serialized once for each form, however many watch.
import type { Timer } from '../../../../bus/time.ts';
import { jsonText } from '../../../text/exact-json.ts';
import { type ApiError, expired, invalid, plainFailure } from '../base/api-error.ts';
import { type FieldError, forbidden, notSupported } from '../base/field-error.ts';
import { atOnce, each, oneAfterAnother, withConversions } from '../conversion/pending.ts';
import type { Api, Resource, ResourceRequest } from '../resources/api.ts';
import { inVersion } from '../resources/registry.ts';
import type { Change, Frames } from '../storage/store.ts';
import { restamped, type Stored } from '../storage/stored.ts';
import { objectJson, partialOf } from '../wire/encoding.ts';
import { acceptedForm, type Form } from '../wire/negotiation.ts';
import { candidate } from '../wire/selectors.ts';
import { tableOf } from '../wire/table.ts';
import { numberParameter, revisionParameter, selected, selectionOf } from './selection.ts';

/** Time between bookmarks, as the API server sends them. */
const BOOKMARK_INTERVAL_MS = 60_000;

/** Watches without `timeoutSeconds` end after this long, and up to twice as long. */
const DEFAULT_TIMEOUT_MS = 30 * 60_000;

/** A watcher that has not read this much is cut off; it will come back with its last revision. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;

/** Destination of a watch's events. */
export interface Sink {
  /** @returns bytes that wait to be read by the client */
  write(chunk: Buffer | string): number;
  end(): void;
  onClose(run: () => void): void;
}

type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** Begins a watch. The caller has sent the head of the answer already when `open` is called. */
export function watchObjects(api: Api, asked: ResourceRequest): { open(sink: Sink): () => void } {
  const webhook = asked.resource.versions?.webhook;
  const request = webhook === undefined ? asked : withConversions(asked, webhook.remembered);
  const { resource, namespace, query, accept } = request;
  const form = acceptedForm(resource, accept, query, false);
  const selection = selectionOf(request);
  const bookmarks = isTrue(query.get('allowWatchBookmarks'));
  const initialEvents = sendsInitialEvents(query, bookmarks);
  const refusesInitialEvents = query.has('sendInitialEvents') && !isTrue(query.get('sendInitialEvents'));
  numberParameter(query, 'limit');
  const from = revisionParameter(query, plainFailure);
  const timeoutSeconds = numberParameter(query, 'timeoutSeconds') ?? 0;
  const { clock } = api;
  const timeoutMs = timeoutSeconds > 0 ? timeoutSeconds * 1000 : DEFAULT_TIMEOUT_MS * (1 + clock.random());

  return {
    open(sink) {
      const collection = api.store.collection(resource.storeKey);
      const start = api.store.revision();
      const settled = api.store.settled();
      /** Lines that are not to be seen before they are settled. */
      let held: (Buffer | string)[] | undefined = settled === undefined ? undefined : [];
      let closed = false;
      let firstTable = true;
      let begun = false;
      const timers: { bookmark?: Timer; end?: Timer } = {};
      let stopListening = (): void => undefined;
      const close = (): void => {
        if (closed) return;
        closed = true;
        stopListening();
        if (timers.bookmark !== undefined) clock.clearTimeout(timers.bookmark);
        if (timers.end !== undefined) clock.clearTimeout(timers.end);
        if (held === undefined) sink.end();
      };
      const write = (chunk: Buffer | string): void => {
        if (closed) return;
        if (held !== undefined) held.push(chunk);
        else if (sink.write(chunk) > MAX_UNREAD_BYTES) close();
      };
      void settled?.then((undone) => {
        for (const chunk of undone === undefined ? (held ?? []) : []) sink.write(chunk);
        held = undefined;
        if (closed) sink.end();
        else if (undone !== undefined) close(); // the client comes back, and sees what is there then
      });
      const fail = ({ status }: ApiError): void => {
        if (!begun) write(`{"type":"ERROR","object":${JSON.stringify(status)}}\n`);
        close();
      };
      const inTurn = webhook === undefined ? atOnce : oneAfterAnother(webhook, fail);
      const isWanted = (stored: Stored): boolean =>
        (namespace === '' || stored.metadata.namespace === namespace) &&
        (selection.wants?.(candidate(resource, stored)) ?? true);
      const send = (type: EventType, stored: Stored, frames: Frames): void => {
        const withColumns = form.kind === 'table' && firstTable;
        const key = `${type} ${resource.apiVersion} ${resource.since} ${formKey(form)} ${withColumns}`;
        let frame = frames.get(key);
        if (frame === undefined) {
          frame = Buffer.from(
            `{"type":"${type}","object":${frameJson(resource, stored, form, withColumns, clock.now())}}\n`,
          );
          frames.set(key, frame); // KSIM-WATCH-3
        }
        firstTable = false;
        begun = true;
        write(frame);
      };
      const onChange = ({ type, stored, previous }: Change, frames: Frames): void => {
        const before = previous !== undefined && isWanted(previous);
        const after = type !== 'DELETED' && isWanted(stored);
        if (after)
          send(before ? 'MODIFIED' : 'ADDED', stored, frames); // KSIM-WATCH-2
        else if (before && previous !== undefined) {
          // The last state that matched, at the revision at which it ceased to.
          send('DELETED', type === 'DELETED' ? stored : restamped(previous, stored.revision), frames);
        }
      };
      const bookmark = (annotations?: Record<string, string>): void => {
        const metadata = {
          resourceVersion: String(Math.max(start, api.store.shownRevision())),
          ...(annotations === undefined ? {} : { annotations }),
        };
        inTurn(() => write(`{"type":"BOOKMARK","object":${bookmarkJson(resource, form, metadata, clock.now())}}\n`));
      };
      const sendInitial = (): void => {
        if (webhook === undefined) {
          for (const stored of selected(api, request, selection)) send('ADDED', stored, new Map());
          return;
        }
        const found = selected(api, request, { ...selection, wants: undefined });
        const frame = (stored: Stored): unknown =>
          isWanted(stored) && frameJson(resource, stored, form, false, clock.now());
        inTurn(() => void each(found, frame)); // asks for all at once
        for (const stored of found) {
          inTurn(() => {
            if (isWanted(stored)) send('ADDED', stored, new Map());
          });
        }
      };

      sink.onClose(close);
      const synthetic = initialEvents || from === undefined || from === 0;
      if (synthetic) {
        if (initialEvents || !refusesInitialEvents) sendInitial();
        if (initialEvents) bookmark({ 'k8s.io/initial-events-end': 'true' });
      } else {
        const missed = collection.changesSince(from);
        if (missed === undefined) {
          const { status } = expired(`too old resource version: ${from} (${collection.forgottenRevision()})`);
          write(`{"type":"ERROR","object":${JSON.stringify(status)}}\n`);
          close();
          return close;
        }
        for (const change of missed) inTurn(() => onChange(change, new Map()));
      }
      const seen = Math.max(start, from ?? 0);
      stopListening = collection.listen((change, frames) => {
        if (change.revision > seen) inTurn(() => onChange(change, frames));
      });
      const remind = (): void => {
        bookmark();
        timers.bookmark = clock.setTimeout(remind, BOOKMARK_INTERVAL_MS);
      };
      if (bookmarks) timers.bookmark = clock.setTimeout(remind, BOOKMARK_INTERVAL_MS);
      timers.end = clock.setTimeout(close, timeoutMs);
      return close;
    },
  };
}

export const isTrue = (text: string | null): boolean => text !== null && !['0', 'false'].includes(text.toLowerCase());

/** Whether the present comes first, and a bookmark after it. @throws {ApiError} 422 */
function sendsInitialEvents(query: URLSearchParams, bookmarks: boolean): boolean {
  const field = 'resourceVersionMatch';
  const match = query.get(field) ?? '';
  const errors: FieldError[] = [];
  if (!query.has('sendInitialEvents')) {
    if (match !== '')
      errors.push(forbidden(field, `${field} is forbidden for watch unless sendInitialEvents is provided`));
  } else if (match !== 'NotOlderThan') {
    errors.push(forbidden(field, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
    if (match !== '') errors.push(notSupported(field, match, ['NotOlderThan']));
  }
  if ((query.get('continue') ?? '') !== '') {
    errors.push(forbidden(field, `${field} is forbidden when continue is provided`));
  }
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', name: 'ListOptions' }, '', errors);
  return isTrue(query.get('sendInitialEvents')) && bookmarks;
}

function formKey(form: Form): string {
  return form.kind === 'object' ? form.kind : Object.values(form).join(' ');
}

function frameJson(resource: Resource, stored: Stored, form: Form, columns: boolean, nowMs: number): string {
  if (form.kind === 'object') return objectJson(resource, stored);
  if (form.kind === 'metadata') return partialOf(resource, stored, form.apiVersion);
  const object = inVersion(resource, stored.object);
  const metadata = { resourceVersion: object.metadata.resourceVersion };
  return jsonText(tableOf(resource, [object], { ...form, nowMs, metadata, columns }));
}

function bookmarkJson(
  resource: Resource,
  form: Form,
  metadata: Readonly<Record<string, unknown>>,
  nowMs: number,
): string {
  const { kind, apiVersion } = resource;
  if (form.kind === 'metadata') {
    return JSON.stringify({ kind: 'PartialObjectMetadata', apiVersion: form.apiVersion, metadata });
  }
  if (form.kind === 'table') {
    const { resourceVersion } = metadata;
    const object = { kind: 'PartialObjectMetadata', apiVersion: form.apiVersion, metadata };
    return JSON.stringify({
      kind: 'Table',
      apiVersion: form.apiVersion,
      metadata: { resourceVersion },
      columnDefinitions: null,
      rows: [
        { cells: resource.columns.map(({ cell }) => cell({ kind, apiVersion, metadata }, nowMs) ?? null), object },
      ],
    });
  }
  return JSON.stringify({ kind, apiVersion, metadata });
}
