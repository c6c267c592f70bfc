// List and watch of one resource: what is there, then what changes, for ever.
//
// Invariants:
//   KUBE-WATCH-1. The version that is watched from is that of the last list, event or bookmark that was handed on: nothing between
//       two watches is lost. What an event could not be read from is asked for again.
//   KUBE-WATCH-2. A version that is kept no more, or a failure that the server tells in the stream, leads to a new list.
//   KUBE-WATCH-3. Attempts that bring nothing become rarer, whatever they end with, until one brings something or holds.
//   KUBE-WATCH-4. No watch outlives the end that the server was asked for: a connection may be dead without a sign.
//   KUBE-WATCH-5. A watch never resumes from a version that the server has not reached: a server restored from a backup
//       is behind, and would send nothing until it reaches that version. It is listed again.
//   KUBE-WATCH-6. An object that is too long for a watch is always read by a list: later watch events would hide it.
import type { JsonObject } from '../../bus/bus.ts';
import { AbsentError, TransientError, toErrorData } from '../../bus/errors.ts';
import type { Clock, Timer } from '../../bus/time.ts';
import { growingPauseMs } from '../../machines/backoff.ts';
import type { KubeObject } from '../../machines/object.ts';
import type { KubeClient, Objects } from './ports.ts';
import { ExpiredError, refusalOf, TooLargeError } from './refusals.ts';
import { acceptOf, compareVersions, type Resource, resourcePath, strip } from './resource.ts';

export interface WatchHandlers {
  /** All objects that exist now; an object seen before that is not in `items` is deleted as of `resourceVersion`. */
  onList(items: readonly KubeObject[], resourceVersion: string, serverTime: number): void;
  onChange(object: KubeObject): void;
  /** `object` as it was last, its resourceVersion that of the deletion. */
  onGone(object: KubeObject): void;
  /**
   * The watch fails. Called once until it works again, and once more when `missing` changes meanwhile.
   * @param missing  the API server does not know the resource
   */
  onTrouble(message: string, missing: boolean): void;
  /** It works again: it brought something, or holds for SHORT_WATCH_MS. */
  onRecovery(): void;
}

export interface WatchScope {
  readonly resource: Resource;
  /** Undefined: all namespaces. */
  readonly namespace?: string | undefined;
  /** Only objects of this name. */
  readonly name?: string;
}

interface WatchEvent {
  readonly type: string;
  readonly object: JsonObject;
}

/** The server is asked to end a watch after this long, in seconds. */
const WATCH_SECONDS = 300;
/** Delay after which an overdue watch is ended, in milliseconds. */
const GRACE_MS = 15_000;
/** A watch that ends sooner without anything new has told nothing, in milliseconds. */
const SHORT_WATCH_MS = 1_000;
const PAUSES = { firstMs: 200, limitMs: 15_000 };
/** One end without an error is nothing to speak of: servers are replaced. */
const SHORT_WATCHES_UNTOLD = 2;

export interface WatchDeps {
  readonly client: KubeClient;
  readonly objects: Objects;
  readonly clock: Clock;
}

/**
 * Watches a resource until `signal` is aborted. Lists again after 410, resumes from the last resourceVersion (bookmarks
 * included) after any other end.
 */
export async function watchResource(
  { client, objects, clock }: WatchDeps,
  { resource, namespace, name }: WatchScope,
  handlers: WatchHandlers,
  signal: AbortSignal,
): Promise<void> {
  const path = resourcePath(resource, namespace);
  const only = name === undefined ? '' : `&fieldSelector=${encodeURIComponent(`metadata.name=${name}`)}`;
  let version: string | undefined;
  /** In a row. */
  let failures = 0;
  let reported: 'nothing' | 'problem' | 'missing' = 'nothing';
  const succeed = (): void => {
    failures = 0;
    if (reported === 'nothing') return;
    reported = 'nothing';
    handlers.onRecovery();
  };
  const report = (message: string, missing: boolean): void => {
    const what = missing ? 'missing' : 'problem';
    if (reported === what) return;
    reported = what;
    handlers.onTrouble(message, missing);
  };
  // A separate function, so that the listed objects do not stay in memory while the watch runs.
  const list = async (): Promise<string> => {
    const { items, resourceVersion, serverTime } = await objects.list(resource, namespace, name);
    // mutant: stopped-hears-list if -> true
    if (!signal.aborted) handlers.onList(items, resourceVersion, serverTime);
    return resourceVersion;
  };
  /** The server may be another one, or what it was, whenever a watch has ended. */
  const isBehind = async (known: string): Promise<boolean> => {
    const accept = acceptOf(resource, 'list');
    const { body } = await client.call({ method: 'GET', path: `${path}?limit=1${only}`, accept });
    const { resourceVersion } = body['metadata'] as { resourceVersion: string };
    // mutant: watch-from-future return -> false
    return compareVersions(resourceVersion, known) < 0;
  };
  const take = ({ type, object }: WatchEvent): void => {
    if (type === 'ERROR') {
      version = undefined;
      throw refusalOf(Number(object['code']), object, { method: 'watch', path });
    }
    const { resourceVersion } = object['metadata'] as { resourceVersion: string };
    if (type === 'ADDED' || type === 'MODIFIED') handlers.onChange(strip(object, resource));
    else if (type === 'DELETED') handlers.onGone(strip(object, resource));
    // A bookmark may say again what is known.
    // mutant: bookmark-is-progress if -> true
    if (resourceVersion !== version) succeed();
    // mutant: watch-from-list drop
    version = resourceVersion;
  };
  /** One watch, to its end. */
  const follow = async (from: string): Promise<void> => {
    const attempt = new AbortController();
    const abort = (): void => attempt.abort();
    signal.addEventListener('abort', abort);
    const late = new TransientError(`watch ${path}: silent beyond its end`);
    // mutant: watch-silence =>.1 -> undefined
    const end = clock.setTimeout(() => attempt.abort(late), WATCH_SECONDS * 1_000 + GRACE_MS);
    let holds: Timer | undefined;
    const onOpen = (): void => {
      holds = clock.setTimeout(succeed, SHORT_WATCH_MS);
    };
    try {
      const accept = acceptOf(resource, 'one');
      const query = `?watch=1&allowWatchBookmarks=true&timeoutSeconds=${WATCH_SECONDS}&resourceVersion=${from}${only}`;
      const events = client.stream(`${path}${query}`, accept, attempt.signal, onOpen);
      for await (const event of events) take(event as unknown as WatchEvent);
    } finally {
      signal.removeEventListener('abort', abort);
      clock.clearTimeout(end);
      if (holds !== undefined) clock.clearTimeout(holds);
    }
    if (attempt.signal.reason === late) throw late;
  };
  while (!signal.aborted) {
    let retryAfterMs = 0;
    try {
      if (version === undefined || (await isBehind(version))) version = await list();
      if (signal.aborted) return;
      const openedAt = clock.now();
      const from = version;
      await follow(from);
      // mutant: watch-without-pause if -> true
      if (version !== from || clock.now() - openedAt >= SHORT_WATCH_MS) continue;
      if (failures >= SHORT_WATCHES_UNTOLD) report(`watch ${path}: the server ends it at once each time`, false);
    } catch (error) {
      if (signal.aborted) return;
      const missing = error instanceof AbsentError;
      // mutant: expired-version-asked-again if -> $1
      if (missing || error instanceof ExpiredError || error instanceof TooLargeError) version = undefined;
      // That a version expires is the way of things.
      if (!(error instanceof ExpiredError)) report(toErrorData(error).message, missing);
      if (error instanceof TransientError) retryAfterMs = error.retryAfterMs ?? 0;
    }
    failures += 1;
    const pauseMs = growingPauseMs(failures, PAUSES) * (0.5 + clock.random() / 2);
    await clock.sleep(Math.max(pauseMs, retryAfterMs), signal);
  }
}
