// The statechart of one life while it is awake, with what belongs to it: who writes its status, who hears of its news.
import type { Logger } from 'pino';
import { type AnyActorRef, createActor, type InspectionEvent, type SnapshotFrom } from 'xstate';
import type { Clock, JsonObject } from '../../bus/mod.ts';
import type { Claims, guardMachine } from '../../machines/guard.ts';
import type { KubeObject, ManagedKind } from '../../machines/kind.ts';
import { type Dependency, objectView } from '../../machines/life.ts';
import type { managedMachine } from '../../machines/managed.ts';
import { lifeView, type ManagedContext, phaseOf } from '../../machines/managed-context.ts';
import type { Occurrence } from '../telling/event-recorder.ts';
import { LifeEvents } from '../telling/life-events.ts';
import { SETTLED } from './rest.ts';
import type { StatusTurns } from './status-turns.ts';
import { StatusWriter } from './status-writer.ts';

export interface StatechartDeps {
  readonly key: string;
  readonly kind: ManagedKind | undefined;
  readonly machines: { readonly managed: typeof managedMachine; readonly guarded: typeof guardMachine };
  readonly clock: Clock;
  readonly turns: StatusTurns;
  readonly log: () => Logger;
  /** As it is known now; undefined: it is gone. */
  readonly object: () => KubeObject | undefined;
  readonly dependencies: () => readonly Dependency[];
  /** Until when a create of an earlier life may still be done, milliseconds since the epoch. */
  readonly landedBy: () => number;
  readonly phase: () => string;
  /** Writes what the kind's status manager owns. Throws as `Objects.applyStatus`. */
  readonly writeStatus: (status: JsonObject) => Promise<void>;
  /** It entered a phase. */
  readonly onPhase: (phase: string, cause: string, context: Said) => void;
  /** It took something in, and others may have to hear of what came of it. */
  readonly onStep: () => void;
  readonly onNews: (news: Occurrence) => void;
  /** It settled, or there is nothing left to write: it may have nothing left to do. Not called within a step. */
  readonly onQuiet: () => void;
}

/** What is told of a transition. */
export type Said = Partial<Pick<ManagedContext, 'error' | 'externalId'>>;

type ManagedActor = ReturnType<typeof createActor<typeof managedMachine>>;
type GuardedActor = ReturnType<typeof createActor<typeof guardMachine>>;
type ManagedSnapshot = SnapshotFrom<typeof managedMachine>;

export class Statechart {
  readonly #deps: StatechartDeps;
  readonly #managed: ManagedActor | undefined;
  readonly #guarded: GuardedActor | undefined;
  readonly #status: StatusWriter | undefined;
  readonly #news: LifeEvents | undefined;
  #stopped = false;

  constructor(deps: StatechartDeps, object: KubeObject, claims: Claims) {
    const { key, kind, machines, clock, turns } = deps;
    this.#deps = deps;
    const options = { clock: clock as never, inspect: (event: InspectionEvent) => this.#onInspect(event) };
    if (kind === undefined) {
      const input = { key, object: guardedView(object), claims };
      this.#guarded = createActor(machines.guarded, { ...options, input });
      return;
    }
    const at = clock.now();
    const view = objectView(object, kind, at);
    // What is recorded was answered for.
    const landedBy = view.externalId === undefined ? deps.landedBy() : 0;
    const input = { key, object: view, dependencies: deps.dependencies(), claims, at, landedBy };
    this.#managed = createActor(machines.managed, { ...options, input });
    this.#news = new LifeEvents(object);
    this.#status = new StatusWriter({
      kind,
      clock,
      turns,
      object: deps.object,
      write: deps.writeStatus,
      onIdle: deps.onQuiet,
      log: deps.log,
    });
  }

  start(): void {
    this.#guarded?.start();
    this.#managed?.start();
    this.#managed?.send({ type: 'life.began' });
  }

  stop(): void {
    this.#stopped = true;
    this.#guarded?.stop();
    this.#managed?.stop();
    this.#status?.stop();
  }

  /** Others may use the external resource. */
  get available(): boolean {
    return this.#managed?.getSnapshot().context.available === true;
  }

  /** Nothing is under way, and it knows nothing that the object and the mail do not say. */
  get isSpent(): boolean {
    if (this.#managed === undefined || this.#status?.isIdle !== true) return false;
    const { value, context } = this.#managed.getSnapshot();
    return (
      value.guard === 'watching' &&
      context.yielded.length === 0 &&
      context.landedBy <= this.#deps.clock.now() &&
      context.externalId === context.object.externalId &&
      context.available === context.object.available
    );
  }

  tellObject(object: KubeObject): void {
    const { kind, clock } = this.#deps;
    this.#guarded?.send({ type: 'object.changed', object: guardedView(object) });
    if (kind === undefined) return;
    const at = clock.now();
    const view = objectView(object, kind, at);
    this.#managed?.send({ type: 'object.changed', object: view, dependencies: this.#deps.dependencies(), at });
  }

  tellDependencies(): void {
    const { dependencies, clock } = this.#deps;
    this.#managed?.send({ type: 'dependencies.changed', dependencies: dependencies(), at: clock.now() });
  }

  tellClaims(claims: Claims): void {
    this.#guarded?.send({ type: 'claims.changed', claims });
    this.#managed?.send({ type: 'claims.changed', claims });
  }

  #onInspect(event: InspectionEvent): void {
    const root: AnyActorRef | undefined = this.#managed ?? this.#guarded;
    if (event.type !== '@xstate.snapshot' || this.#stopped || event.actorRef !== root) return;
    const { kind, onPhase, onStep, onNews, onQuiet } = this.#deps;
    const snapshot = event.snapshot as ManagedSnapshot;
    if (typeof snapshot.value !== 'object' && kind !== undefined) return;
    const phase = kind === undefined ? String(snapshot.value) : phaseOf(snapshot.value.lifecycle);
    if (phase === 'starting') return;
    const from = this.#deps.phase();
    const object = this.#deps.object();
    if (phase !== from) {
      onPhase(phase, event.event.type, snapshot.context);
      // Whoever waits hears of it before the status is written.
      onStep();
      const news = this.#news?.hear({ cause: event.event, from, to: phase, context: snapshot.context });
      if (news !== undefined && object !== undefined) onNews(news);
      // A life that begins with a settled object has nothing to say yet.
      if (event.event.type !== 'life.began' || !SETTLED.has(phase)) this.#status?.enter();
    } else if (kind !== undefined) onStep();
    if (object !== undefined) this.#status?.consider(lifeView(snapshot.context, phase));
    if (SETTLED.has(phase)) queueMicrotask(onQuiet);
  }
}

function guardedView({ metadata }: KubeObject): {
  readonly uid: string;
  readonly deleting: boolean;
  readonly finalizers: readonly string[];
} {
  const { uid, deletionTimestamp, finalizers = [] } = metadata;
  return { uid, deleting: deletionTimestamp !== undefined, finalizers };
}
