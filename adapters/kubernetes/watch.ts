// List and watch of one resource: what is there, then what changes, for ever.
import type { JsonObject } from '../../bus/bus.ts';
import { AbsentError, toErrorData } from '../../bus/errors.ts';
import type { Clock } from '../../bus/time.ts';
import type { KubeObject } from '../../machines/object.ts';
import type { KubeClient } from './client.ts';
import type { Objects } from './objects.ts';
import { acceptOf, type Resource, resourcePath, strip } from './resource.ts';

export interface WatchHandlers {
  /** Everything that is there now; what was seen before and is not in `items` is gone as of `resourceVersion`. */
  onList(items: readonly KubeObject[], resourceVersion: string, serverTime: number): void;
  onChange(object: KubeObject): void;
  /** `object` as it was last, its resourceVersion that of the deletion. */
  onGone(object: KubeObject): void;
  /** The watch fails; called once until it works again. `missing`: the API server does not know the resource. */
  onTrouble(message: string, missing: boolean): void;
  /** It works again. */
  onRecovery(): void;
}

export interface WatchScope {
  readonly resource: Resource;
  /** Undefined: all namespaces. */
  readonly namespace?: string | undefined;
  /** Only objects of this name. */
  readonly name?: string;
}

/** The server is asked to end a watch after this long, in seconds, so that dead connections are noticed. */
const WATCH_SECONDS = 300;
/** A watch that ends sooner without an event has told nothing, in milliseconds. */
const SHORT_WATCH_MS = 1_000;
const PAUSE_FIRST_MS = 200;
const PAUSE_LIMIT_MS = 15_000;

/**
 * Follows a resource until `signal` is aborted. Lists anew after 410, resumes from the last resourceVersion (bookmarks
 * included) after any other end.
 */
export async function watchResource(
  { client, objects, clock }: { client: KubeClient; objects: Objects; clock: Clock },
  { resource, namespace, name }: WatchScope,
  handlers: WatchHandlers,
  signal: AbortSignal,
): Promise<void> {
  const only = name === undefined ? '' : `&fieldSelector=${encodeURIComponent(`metadata.name=${name}`)}`;
  let version: string | undefined;
  let failures = 0;
  // Not before the server has agreed to a watch: what fails again and again is told once, and backed off from.
  const recovered = (): void => {
    if (failures > 0) handlers.onRecovery();
    failures = 0;
  };
  // A function of its own: what was listed must not stay in memory for as long as the watch goes on.
  const list = async (): Promise<string> => {
    const { items, resourceVersion, serverTime } = await objects.list(resource, namespace, name);
    if (!signal.aborted) handlers.onList(items, resourceVersion, serverTime);
    return resourceVersion;
  };
  while (!signal.aborted) {
    try {
      if (version === undefined) {
        version = await list();
        if (signal.aborted) return;
      }
      const path = `${resourcePath(resource, namespace)}?watch=1&allowWatchBookmarks=true&timeoutSeconds=${WATCH_SECONDS}&resourceVersion=${version}${only}`;
      const openedAt = clock.now();
      let fruitful = false;
      for await (const event of client.stream(path, acceptOf(resource, 'one'), signal, recovered)) {
        const { type, object } = event as { type?: string; object?: JsonObject };
        if (object === undefined) continue;
        if (type === 'ERROR') {
          version = undefined;
          break;
        }
        fruitful = true;
        version = (object['metadata'] as { resourceVersion: string }).resourceVersion;
        if (type === 'ADDED' || type === 'MODIFIED') handlers.onChange(strip(object, resource));
        else if (type === 'DELETED') handlers.onGone(strip(object, resource));
      }
      // A server that ends every watch at once is not asked at full speed.
      if (!fruitful && clock.now() - openedAt < SHORT_WATCH_MS) await clock.sleep(PAUSE_FIRST_MS, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof AbsentError) version = undefined;
      if (failures++ === 0) handlers.onTrouble(toErrorData(error).message, error instanceof AbsentError);
      const pauseMs = Math.min(PAUSE_FIRST_MS * 2 ** (failures - 1), PAUSE_LIMIT_MS);
      await clock.sleep(pauseMs * (0.5 + clock.random() / 2), signal);
    }
  }
}
