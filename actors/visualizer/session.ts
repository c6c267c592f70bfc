// Sources of the object graph: a watch of each kind, the events of all processes, the last state of each actor,
// and the leases. They load the API server and the bus, so a session exists only while a page is open.
//
// Invariants:
//   UI-SESSION-1. Events are heard before those that are kept are read, so that no state falls between.
//   UI-SESSION-2. A source that could not be started is started again, until the session ends; none of it continues then.
import type { Logger } from 'pino';
import { type KubeClient, type Objects, watchResource } from '../../adapters/kubernetes/mod.ts';
import {
  AbsentError,
  addressKey,
  type Bus,
  CALL_EVENT,
  type Clock,
  type LeaseRecord,
  type ReceivedEvent,
  toErrorData,
} from '../../bus/mod.ts';
import type { Kind } from '../../machines/kind.ts';
import { placesOf } from '../base/list-all.ts';
import { defectsAmong, type Hosting, type ReportedCause } from '../diagnosis/infrastructure-causes.ts';
import { QUARANTINED } from '../object/object-machines.ts';
import { type Registry, resourceOf } from '../object/registry.ts';
import { ObjectGraph } from './object-graph.ts';
import { ServiceAnswers } from './services.ts';
import { TRANSITION, toldBy } from './steps.ts';

export interface SessionDeps {
  readonly bus: Bus;
  readonly client: KubeClient;
  readonly objects: Objects;
  readonly registry: Registry;
  /** Whose objects are shown; undefined: all. */
  readonly namespaces: readonly string[] | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface SessionListener {
  /** Something in the graph is new. */
  onUpdate(): void;
  /** Something was missed: the graph that was sent is no base any more. */
  onRebase(): void;
  onTrouble(): void;
}

/** Pause before what could not be begun is begun again, in milliseconds. */
const PAUSE_MS = 1_000;
/** Longest wait for all that is needed to show a graph: what is late comes as a change, in milliseconds. */
const PATIENCE_MS = 10_000;

/** Problems, by their source. */
const Place = { Bus: 'bus', Trace: 'trace', Recall: 'recall', Leases: 'leases' } as const;
const BUS_PLACES: ReadonlySet<string> = new Set(Object.values(Place));

export class Session {
  readonly graph: ObjectGraph;
  readonly services = new ServiceAnswers();
  /** The graph can be shown. Never rejects. */
  readonly ready: Promise<void>;
  /** Undefined: not known yet. */
  leases: readonly LeaseRecord[] | undefined;
  readonly #deps: SessionDeps;
  readonly #listener: SessionListener;
  readonly #stop = new AbortController();
  readonly #troubles = new Map<string, string>();
  readonly #running = new Set<Promise<unknown>>();
  readonly #shown: ReadonlySet<string> | undefined;
  #recalls = 0;

  constructor(deps: SessionDeps, listener: SessionListener) {
    this.#deps = deps;
    this.#listener = listener;
    this.#shown = deps.namespaces && new Set(['', ...deps.namespaces]);
    this.graph = new ObjectGraph(deps.registry);
    const first = [this.#hear(), ...this.#watchAll()];
    this.#running.add(
      this.#hold(Place.Leases, () =>
        deps.bus.leases.watch((leases) => {
          this.leases = leases;
        }),
      ),
    );
    const late = new AbortController();
    this.#stop.signal.addEventListener('abort', () => late.abort());
    const all = Promise.all(first).then(() => this.graph.forgetStrangers());
    this.ready = Promise.race([all, deps.clock.sleep(PATIENCE_MS, late.signal)]).then(() => late.abort());
  }

  /** The problem of the sources; undefined: none. */
  get problem(): string | undefined {
    const [first] = this.#troubles.values();
    return first;
  }

  /** Why the API server cannot be watched, each reason in a line. */
  get troubles(): readonly string[] {
    return [...new Set([...this.#troubles].flatMap(([where, what]) => (BUS_PLACES.has(where) ? [] : [what])))];
  }

  /** The hosts of objects; undefined: not known yet. @throws as `defectsAmong` */
  async hosting(reported: readonly ReportedCause[]): Promise<Hosting | undefined> {
    const { description: bus, mailbox, trace } = this.#deps.bus;
    for (const [where, message] of this.#troubles) if (BUS_PLACES.has(where)) return { kind: 'away', message };
    const { leases } = this;
    return (
      leases && { kind: 'reported', bus, shards: mailbox.shards, leases, defects: await defectsAmong(trace, reported) }
    );
  }

  /** Ends all; resolves when nothing runs any more. */
  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
  }

  /** Resolves when the kept states are taken in, or cannot be for now. */
  #hear(): Promise<void> {
    const { bus } = this.#deps;
    const { promise, resolve } = Promise.withResolvers<void>();
    const unlisten = bus.onConnectivity(({ kind, detail }) => {
      this.#problem(Place.Bus, kind === 'connected' ? undefined : detail);
      if (kind === 'connected') this.#keep(this.#recall((isRead) => isRead && this.#listener.onRebase()));
    });
    const subscribe = async (): Promise<{ close(): Promise<void> }> => {
      const subscription = await bus.trace.subscribe((event) => this.#take(event));
      const onTried = (isRead: boolean): void => {
        if (isRead) this.#listener.onUpdate();
        resolve();
      };
      this.#keep(this.#recall(onTried));
      return subscription;
    };
    this.#running.add(this.#hold(Place.Trace, subscribe, resolve).finally(unlisten));
    return promise;
  }

  /** Reads the last state of each actor (UI-SESSION-1), for any number of calls; the latest call alone continues. */
  async #recall(onTried: (isRead: boolean) => void): Promise<void> {
    const { bus, clock } = this.#deps;
    this.#recalls += 1;
    const own = this.#recalls;
    const isMeant = (): boolean => !this.#stop.signal.aborted && this.#recalls === own;
    while (isMeant()) {
      try {
        for (const type of [TRANSITION, QUARANTINED]) {
          for await (const event of bus.trace.history({ type, only: 'last' })) {
            if (!isMeant()) return;
            this.#remember(event, 'before');
          }
        }
      } catch (error) {
        if (!(error instanceof AbsentError)) {
          this.#problem(Place.Recall, toErrorData(error).message);
          onTried(false);
          await clock.sleep(PAUSE_MS, this.#stop.signal);
          continue;
        }
      }
      this.#problem(Place.Recall, undefined);
      return onTried(true);
    }
  }

  #take(event: ReceivedEvent): void {
    if (this.#stop.signal.aborted) return;
    if (event.type === CALL_EVENT) this.services.take(event);
    else if (this.#remember(event, 'now')) this.#listener.onUpdate();
  }

  #remember(event: ReceivedEvent, when: 'now' | 'before'): boolean {
    if (this.#deps.registry.kind(event.actor) === undefined) return false;
    if (this.#shown?.has(event.actor.namespace) === false) return false;
    const reported = toldBy(event);
    if (reported !== undefined) this.graph.take(reported, when);
    return reported !== undefined;
  }

  /** One promise a watch: it has brought what there is, or does not for now. */
  #watchAll(): readonly Promise<void>[] {
    const { registry, namespaces } = this.#deps;
    return registry.kinds.flatMap((kind) =>
      placesOf(resourceOf(kind), namespaces).map((place) => this.#watch(kind, place)),
    );
  }

  #watch(kind: Kind, place: string | undefined): Promise<void> {
    const { graph } = this;
    const { client, objects, clock } = this.#deps;
    const { signal } = this.#stop;
    const { promise, resolve } = Promise.withResolvers<void>();
    const where = `${kind.plural} ${place ?? ''}`;
    const taken = (): void => {
      if (!signal.aborted) this.#listener.onUpdate();
    };
    const watching = watchResource(
      { client, objects, clock },
      { resource: resourceOf(kind), namespace: place },
      {
        onList(items) {
          graph.replace(kind, place, items);
          taken();
          resolve();
        },
        onChange(object) {
          graph.put(kind, object);
          taken();
        },
        onGone({ metadata: { namespace = '', name } }) {
          graph.remove(addressKey({ realm: kind.realm, plural: kind.plural, namespace, name }));
          taken();
        },
        // A kind that the cluster does not have has no objects.
        onTrouble: (message, isMissing) => {
          this.#problem(where, isMissing ? undefined : message);
          resolve();
        },
        onRecovery: () => this.#problem(where, undefined),
      },
      signal,
    );
    this.#running.add(watching.finally(resolve));
    return promise;
  }

  /** Keeps something begun until the session ends (UI-SESSION-2). @param onTrouble  told when it cannot be begun for now */
  async #hold(
    where: string,
    begin: () => Promise<{ close(): Promise<void> }>,
    onTrouble: () => void = () => undefined,
  ): Promise<void> {
    const { clock } = this.#deps;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        const held = await begin();
        this.#problem(where, undefined);
        if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        await held.close();
      } catch (error) {
        this.#problem(where, toErrorData(error).message);
        onTrouble();
        await clock.sleep(PAUSE_MS, signal);
      }
    }
  }

  /** Waited for at the end, and forgotten when it is over. */
  #keep(work: Promise<unknown>): void {
    this.#running.add(work);
    void work.finally(() => this.#running.delete(work));
  }

  #problem(where: string, what: string | undefined): void {
    const before = this.problem;
    if (what === undefined) this.#troubles.delete(where);
    else this.#troubles.set(where, what);
    if (this.problem !== before && !this.#stop.signal.aborted) this.#listener.onTrouble();
  }
}
