// Objects of a test's namespace as the API server has them, and all their versions.
import { type KubeClient, type Resource, resourcePath } from '../../adapters/kubernetes/mod.ts';
import type { Clock, JsonObject } from '../../bus/mod.ts';

/** An object as the API server shows it, managedFields and all. */
export interface Raw {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly generation: number;
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[];
    readonly managedFields?: readonly ManagedFields[];
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: JsonObject;
  readonly status?: {
    readonly id?: string;
    readonly resource?: JsonObject;
    readonly lastSyncTime?: string;
    readonly conditions?: readonly Condition[];
  };
}

export interface ManagedFields {
  readonly manager: string;
  readonly operation: string;
  readonly subresource?: string;
  readonly fieldsV1: JsonObject;
}

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration: number;
  readonly lastTransitionTime: string;
}

/** What was seen of an object at some time; undefined: it was gone. */
export type Seen = Raw | undefined;

interface Waiter {
  readonly key: string;
  readonly look: () => void;
}

/** With these a watch ends that a new list goes on from: it is too old, or what has changed could not be converted. */
const BEGUN_ANEW: ReadonlySet<number> = new Set([410, 500]);

export class Follower {
  readonly #clock: Clock;
  readonly #client: KubeClient;
  readonly #namespace: string;
  readonly #stop = new AbortController();
  readonly #objects = new Map<string, Raw>();
  readonly #history = new Map<string, Raw[]>();
  readonly #gaps = new Map<string, string[]>();
  readonly #waiters = new Set<Waiter>();
  readonly #running: Promise<void>[] = [];

  constructor(deps: { clock: Clock; client: KubeClient; namespace: string }) {
    this.#clock = deps.clock;
    this.#client = deps.client;
    this.#namespace = deps.namespace;
  }

  /** Resolves when everything of the resource that is there has been seen. */
  async follow(resource: Resource): Promise<void> {
    const path = resourcePath(resource, this.#namespace);
    const version = await this.#list(resource, path);
    this.#running.push(this.#watch(resource, path, version));
  }

  /** The object as last seen. */
  get(kind: string, name: string): Seen {
    return this.#objects.get(`${kind}/${name}`);
  }

  all(): readonly Raw[] {
    return [...this.#objects.values()];
  }

  /** `<kind>/<name>` of all that was there at any time. */
  everSeen(): readonly string[] {
    return [...this.#history.keys()];
  }

  /** All that an object of this name has looked like, oldest first. */
  history(kind: string, name: string): readonly Raw[] {
    return this.#history.get(`${kind}/${name}`) ?? [];
  }

  /** Versions of the lists that the watch of a kind began with anew: what came before each may not have been seen. */
  gaps(kind: string): readonly string[] {
    return this.#gaps.get(kind) ?? [];
  }

  /** The object, once it is as wanted. @throws {Error} not by the deadline; says how it is instead */
  until(kind: string, name: string, what: string, isSo: (object: Seen) => boolean, deadlineMs: number): Promise<Seen> {
    const key = `${kind}/${name}`;
    const { promise, resolve, reject } = Promise.withResolvers<Seen>();
    const waiter: Waiter = {
      key,
      look: () => {
        const object = this.#objects.get(key);
        if (!isSo(object)) return;
        this.#clock.clearTimeout(timer);
        this.#waiters.delete(waiter);
        resolve(object);
      },
    };
    const timer = this.#clock.setTimeout(() => {
      this.#waiters.delete(waiter);
      const object = this.#objects.get(key);
      const { generation, deletionTimestamp, finalizers } = object?.metadata ?? {};
      const said = JSON.stringify({ generation, deletionTimestamp, finalizers, status: object?.status });
      reject(
        new Error(`${key}: not ${what} after ${deadlineMs} ms: ${object === undefined ? 'it is not there' : said}`),
      );
    }, deadlineMs);
    this.#waiters.add(waiter);
    waiter.look();
    return promise;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
  }

  /** @returns since when what changes is news */
  async #list({ kind }: Resource, path: string): Promise<string> {
    const { body } = await this.#client.call({ method: 'GET', path });
    const items = (body['items'] as unknown as Raw[]).map((item) => ({ ...item, kind }));
    const present = new Set(items.map(({ metadata: { name } }) => name));
    for (const known of this.all()) {
      if (known.kind === kind && !present.has(known.metadata.name)) this.#miss(`${kind}/${known.metadata.name}`);
    }
    for (const item of items) this.#see(item);
    return (body['metadata'] as { resourceVersion: string }).resourceVersion;
  }

  async #watch(resource: Resource, path: string, from: string): Promise<void> {
    let version: string | undefined = from;
    while (!this.#stop.signal.aborted) {
      try {
        if (version === undefined) {
          version = await this.#list(resource, path);
          this.#gaps.set(resource.kind, [...this.gaps(resource.kind), version]);
        }
        const query = `?watch=1&timeoutSeconds=300&resourceVersion=${version}`;
        for await (const { type, object } of this.#client.stream(`${path}${query}`, undefined, this.#stop.signal)) {
          const seen = object as unknown as Raw;
          if (type === 'ERROR' && BEGUN_ANEW.has(Number((object as { readonly code?: number }).code))) {
            version = undefined;
            break;
          }
          if (type === 'ERROR') throw new Error(`the watch of ${resource.plural} ended: ${JSON.stringify(object)}`);
          version = seen.metadata.resourceVersion;
          if (type === 'DELETED') this.#miss(`${resource.kind}/${seen.metadata.name}`);
          else this.#see({ ...seen, kind: resource.kind });
        }
      } catch (error) {
        // Tests take the API server away too; the watch then goes on where it was.
        if (this.#stop.signal.aborted) return;
        await this.#clock.sleep(100, this.#stop.signal);
        if (error instanceof Error && error.message.startsWith('the watch of')) throw error;
      }
    }
  }

  #see(object: Raw): void {
    const key = `${object.kind}/${object.metadata.name}`;
    this.#objects.set(key, object);
    const seen = this.#history.get(key) ?? [];
    seen.push(object);
    this.#history.set(key, seen);
    this.#look(key);
  }

  #miss(key: string): void {
    this.#objects.delete(key);
    this.#look(key);
  }

  #look(key: string): void {
    for (const waiter of this.#waiters) if (waiter.key === key) waiter.look();
  }
}

/** The condition of a type; one with empty fields when there is none. */
export function condition(object: Raw | undefined, type: string): Condition {
  const none = { type, status: '', reason: '', message: '', observedGeneration: -1, lastTransitionTime: '' };
  return object?.status?.conditions?.find((candidate) => candidate.type === type) ?? none;
}

/** `<status> <reason>: <message>` of the conditions Available and Progressing. */
export function said(object: Raw | undefined): { readonly Available: string; readonly Progressing: string } {
  const text = (type: string): string => {
    const { status, reason, message } = condition(object, type);
    return `${status} ${reason}: ${message}`;
  };
  return { Available: text('Available'), Progressing: text('Progressing') };
}
