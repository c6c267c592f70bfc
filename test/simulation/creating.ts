// How users create objects in histories: until the API server takes them, since whoever was there before has to go first.
import { type JsonObject, toErrorData } from '../../bus/mod.ts';
import type { Chronicle } from './chronicle.ts';
import type { Cluster } from './cluster.ts';
import type { SimulatedTime } from './time.ts';

/** How often a user tries again what the API server did not take, and for how long, in milliseconds. */
const AGAIN_MS = 700;
const PATIENCE_MS = 60_000;

export interface CreatingDeps {
  readonly cluster: Cluster;
  readonly time: SimulatedTime;
  readonly chronicle: Chronicle;
}

/**
 * Nothing is created where an object is that nobody deletes. `body`: asked for when it is created, since a password that was right
 * when a user began to wait may not be any more. `look`: before each try; `done`: it was created, or never will be.
 */
export function createWhenFree(
  { cluster, time, chronicle }: CreatingDeps,
  { path, body, what }: { readonly path: string; readonly body: () => JsonObject; readonly what: string },
  { look, done }: { readonly look?: () => void; readonly done: () => void },
): void {
  const untilMs = time.elapsed() + PATIENCE_MS;
  const attempt = (): void => {
    look?.();
    const there = metadataAt(cluster, path);
    if (there === undefined) {
      cluster.call({ method: 'POST', path: path.slice(0, path.lastIndexOf('/')), body: body() });
      chronicle.note(`user creates ${what}`, () => `a user creates ${what}`);
    } else if (there['deletionTimestamp'] !== undefined && time.elapsed() < untilMs) {
      time.after(AGAIN_MS, attempt);
      return;
    }
    done();
  };
  attempt();
}

/** Undefined: there is no such object. */
export function metadataAt(cluster: Cluster, path: string): JsonObject | undefined {
  try {
    return cluster.call({ method: 'GET', path })['metadata'] as JsonObject;
  } catch (error) {
    if (toErrorData(error).code !== 'absent') throw error;
    return undefined;
  }
}
