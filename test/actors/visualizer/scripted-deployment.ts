// An API server and a trace as a test says them, without a wire: lists and watches of all resources, events, what is kept of them.
import type { KubeClient } from '../../../adapters/kubernetes/mod.ts';
import {
  AbsentError,
  type Bus,
  type Clock,
  type EventQuery,
  type JsonObject,
  memoryBroker,
  type ReceivedEvent,
  TransientError,
} from '../../../bus/mod.ts';

export class ScriptedWorld {
  readonly bus: Bus;
  /** Objects by the path of their collection in all namespaces. */
  readonly objects = new Map<string, JsonObject[]>();
  readonly kept: ReceivedEvent[] = [];
  /** What was asked of the API server, as `GET /apis/...`. */
  readonly calls: string[] = [];
  isAway = false;
  readonly #listeners = new Set<(event: ReceivedEvent) => void>();
  readonly #watches = new Set<{ readonly path: string; report(event: JsonObject): void }>();
  #connectivity: ((up: boolean) => void)[] = [];

  constructor(clock: Clock) {
    const bus = memoryBroker({ clock }).connect();
    const kept = this.kept;
    const isAway = (): boolean => this.isAway;
    this.bus = {
      ...bus,
      trace: {
        emit: (event) => bus.trace.emit(event),
        subscribe: async (onEvent) => {
          if (isAway()) throw new TransientError('the bus is away');
          this.#listeners.add(onEvent);
          return { close: async () => void this.#listeners.delete(onEvent) };
        },
        async *history({ type }: EventQuery = {}) {
          if (isAway()) throw new TransientError('the bus is away');
          yield* kept.filter((event) => type === undefined || event.type === type);
        },
      },
      onConnectivity: (listener) => {
        const reported = (up: boolean): void =>
          listener({ kind: up ? 'connected' : 'disconnected', detail: 'the bus is away' });
        this.#connectivity.push(reported);
        return () => {
          this.#connectivity = this.#connectivity.filter((each) => each !== reported);
        };
      },
    };
  }

  /** What goes on: watches, and listeners of the trace. */
  get open(): number {
    return this.#watches.size + this.#listeners.size + this.#connectivity.length;
  }

  readonly client: KubeClient = {
    server: 'https://scripted',
    namespace: 'default',
    call: async ({ method, path }: { method: string; path: string }) => {
      this.calls.push(`${method} ${path}`);
      const [collection = ''] = path.split('?');
      const items = this.objects.get(collection);
      if (items === undefined) throw new AbsentError(`${path} is not there`);
      return { body: { metadata: { resourceVersion: '1' }, items }, serverTime: 0 };
    },
    stream: (path: string, _accept: string, signal: AbortSignal) => this.#stream(path, signal),
    close: async () => undefined,
  } as unknown as KubeClient;

  async *#stream(path: string, signal: AbortSignal): AsyncGenerator<JsonObject> {
    const events: JsonObject[] = [];
    let wake = (): void => undefined;
    const watch = {
      path,
      report: (event: JsonObject): void => {
        events.push(event);
        wake();
      },
    };
    this.#watches.add(watch);
    signal.addEventListener('abort', () => wake());
    try {
      while (!signal.aborted) {
        yield* events.splice(0);
        if (signal.aborted || events.length > 0) continue;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      this.#watches.delete(watch);
    }
  }

  report(collection: string, type: 'ADDED' | 'MODIFIED' | 'DELETED', object: JsonObject): void {
    for (const watch of this.#watches) if (watch.path.startsWith(`${collection}?`)) watch.report({ type, object });
  }

  hear(event: ReceivedEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  /** The bus goes away, or comes back. */
  connected(up: boolean): void {
    this.isAway = !up;
    for (const reported of this.#connectivity) reported(up);
  }
}
