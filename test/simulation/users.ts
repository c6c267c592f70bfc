// How users ask the API server for something: once, or until it takes what they have.
import { type JsonObject, toErrorData } from '../../bus/mod.ts';
import type { Chronicle } from './chronicle.ts';
import type { Cluster, KubeCall } from './cluster.ts';
import type { SimulatedTime } from './time.ts';

export interface UsersDeps {
  readonly time: SimulatedTime;
  readonly cluster: Cluster;
  readonly chronicle: Chronicle;
  /** Something is to be looked at again. */
  readonly onChange: () => void;
}

interface Creation {
  readonly path: string;
  /** Asked for when it is created: a password that was right when a user began to wait may not be any more. */
  readonly body: () => JsonObject;
  /** In words. */
  readonly what: string;
  /** Before each try. */
  readonly look?: () => void;
}

/** Whoever keeps an object that is deleted. */
const PIN = 'simulation.example.org/keeps';
/** How often a user tries again what the API server did not take, and for how long, in milliseconds. */
const AGAIN_MS = 700;
const PATIENCE_MS = 60_000;

export class Users {
  readonly #deps: UsersDeps;
  /** What users have asked for and the API server has not taken yet. */
  pending = 0;

  constructor(deps: UsersDeps) {
    this.#deps = deps;
  }

  /** Once; what is not there is fine. */
  ask(what: string, call: KubeCall): void {
    try {
      this.#deps.cluster.call(call);
      this.#deps.chronicle.note(`user ${what}`, () => `a user ${what}`);
    } catch (error) {
      if (toErrorData(error).code !== 'absent') throw error;
    }
  }

  delete(what: string, path: string): void {
    this.ask(`deletes ${what}`, { method: 'DELETE', path });
  }

  patch(what: string, path: string, body: JsonObject): void {
    this.ask(what, { method: 'PATCH', path, body, contentType: 'application/merge-patch+json' });
  }

  /** Others hold the object, or do not any more. @param edit  writes its finalizers */
  pin(
    metadata: { readonly finalizers?: readonly string[]; readonly deletionTimestamp?: unknown } | undefined,
    deed: 'pin' | 'unpin',
    edit: (finalizers: readonly string[]) => void,
  ): void {
    const { finalizers = [], deletionTimestamp } = metadata ?? {};
    if (metadata === undefined || (deed === 'pin' && deletionTimestamp !== undefined)) return;
    const others = finalizers.filter((finalizer) => finalizer !== PIN);
    if (deed === 'pin' || others.length < finalizers.length) edit([...others, ...(deed === 'pin' ? [PIN] : [])]);
  }

  /** As soon as whoever was there before has gone. Nothing is created where an object is that nobody deletes. */
  create({ path, body, what, look }: Creation): void {
    const { cluster, time, chronicle, onChange } = this.#deps;
    const untilMs = time.elapsed() + PATIENCE_MS;
    this.pending += 1;
    const attempt = (): void => {
      look?.();
      const there = this.metadataAt(path);
      if (there === undefined) {
        cluster.call({ method: 'POST', path: path.slice(0, path.lastIndexOf('/')), body: body() });
        chronicle.note(`user creates ${what}`, () => `a user creates ${what}`);
      } else if (there['deletionTimestamp'] !== undefined && time.elapsed() < untilMs) {
        time.after(AGAIN_MS, attempt);
        return;
      }
      this.pending -= 1;
      onChange();
    };
    attempt();
  }

  /** Undefined: there is no such object. */
  metadataAt(path: string): JsonObject | undefined {
    try {
      return this.#deps.cluster.call({ method: 'GET', path })['metadata'] as JsonObject;
    } catch (error) {
      if (toErrorData(error).code !== 'absent') throw error;
      return undefined;
    }
  }
}

export function secretPath(namespace: string, name: string): string {
  return `/api/v1/namespaces/${namespace}/secrets/${name}`;
}

/** As Secrets have it. */
export function encoded(text: string): string {
  return Buffer.from(text).toString('base64');
}
