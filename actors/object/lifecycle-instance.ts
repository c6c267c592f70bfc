// Instance of a lifecycle's state machine while it is active, with its status writer and its user events.
import type { Logger } from 'pino';
import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import type { Clock } from '../../bus/mod.ts';
import {
  type Dependency,
  type HoldersByFinalizer,
  type Lifecycle,
  type Step,
  type StepDetails,
  stateOf,
  Tag,
  type UserEvent,
} from '../../machines/lifecycle.ts';
import type { KubeObject } from '../../machines/object.ts';
import { type Actor, chart, chartClock, type MachineClock } from './machine-instance.ts';
import type { StatusThrottle } from './status-throttle.ts';
import { type StatusWrite, StatusWriter } from './status-writer.ts';

export interface LifecycleInstanceDeps {
  readonly key: string;
  readonly life: Lifecycle;
  /** State machine of the lifecycle, with its effects. */
  readonly machine: AnyStateMachine;
  readonly clock: Clock;
  readonly turns: StatusThrottle;
  readonly log: () => Logger;
  /** Current object, as far as known; undefined if it is deleted. */
  readonly object: () => KubeObject | undefined;
  readonly dependencies: () => readonly Dependency[];
  /** Holders of the object, if it is being deleted. */
  readonly holders: (object: KubeObject) => HoldersByFinalizer | undefined;
  /** Time until which requests of an earlier lifecycle may still take effect, in milliseconds since the epoch (P13). */
  readonly inDoubtUntil: number;
  /** Another object has recorded the same external id. */
  readonly isOwnershipDisputed: boolean;
  readonly writeStatus: StatusWrite;
  /** It is in a state; called at each step. Says whether it was in another one before. */
  readonly onState: (state: MachineState) => boolean;
  /** Called after it has processed an event, since others may have to be notified of the result. */
  readonly onStep: () => void;
  readonly onUserEvent: (news: UserEvent) => void;
  /** It settled, or there is nothing left to write: it may have nothing left to do. Not called within a step. */
  readonly onQuiet: () => void;
  /** Code of the kind threw: the chart has ended. */
  readonly onFault: (error: unknown) => void;
  /** Runs code of the lifecycle outside of a step of its machine. */
  readonly supervise: <Result>(act: () => Result) => Result | undefined;
}

/** State of a machine, as seen from outside. */
export interface MachineState {
  /** The leaf that it is in, for people. */
  readonly state: string;
  readonly tags: ReadonlySet<string>;
  /** The event that led there. */
  readonly cause: string;
  readonly reported: StepDetails;
  /** Time of the next attempt after a failure, milliseconds since the epoch; undefined: no failure, or not known. */
  readonly retryAt?: number | undefined;
}

/** Object as a lifecycle sees it now, as text. */
export function viewed(
  life: Lifecycle,
  object: KubeObject,
  { clock, holders }: Pick<LifecycleInstanceDeps, 'clock' | 'holders'>,
): string {
  return JSON.stringify(life.view(object, clock.now(), holders(object)));
}

export class LifecycleInstance {
  readonly #deps: LifecycleInstanceDeps;
  readonly #actor: Actor;
  readonly #clock: MachineClock;
  readonly #status: StatusWriter;
  readonly #hear: ((step: Step) => UserEvent | undefined) | undefined;
  #seen: AnyMachineSnapshot | undefined;
  #viewText = '';
  #stopped = false;

  constructor(deps: LifecycleInstanceDeps, object: KubeObject) {
    const { key, life, machine, clock, turns, inDoubtUntil, isOwnershipDisputed, onFault } = deps;
    this.#deps = deps;
    const at = clock.now();
    const view = life.view(object, at, deps.holders(object));
    this.#viewText = JSON.stringify(view);
    this.#clock = chartClock(clock);
    this.#actor = chart({
      machine,
      clock: this.#clock,
      input: { key, object: view, dependencies: deps.dependencies(), at, inDoubtUntil, isOwnershipDisputed },
      onStep: (cause, snapshot) => this.#onStep(cause, snapshot),
      onFault,
    });
    this.#hear = life.userEvents?.(object);
    this.#status = new StatusWriter({
      life,
      clock,
      turns,
      object: deps.object,
      isUnanswered: () =>
        deps.object() !== undefined &&
        deps.dependencies().some(({ neededFor, answer }) => neededFor !== 'never' && answer === undefined),
      write: deps.writeStatus,
      onIdle: deps.onQuiet,
      supervise: deps.supervise,
      log: deps.log,
    });
  }

  start(): void {
    this.#actor.start();
    this.#actor.send({ type: 'lifecycle.started' });
  }

  stop(): void {
    this.#stopped = true;
    this.#actor.stop();
    this.#status.stop();
  }

  /** Whether dependents may use the external resource. */
  get isAvailable(): boolean {
    return this.#snapshot.hasTag(Tag.Available);
  }

  /**
   * Nothing is running, no timer is set, and all its knowledge is in the object and the mailbox (OBJECT-MACHINES-5).
   */
  get canPassivate(): boolean {
    const { life, clock } = this.#deps;
    const snapshot = this.#snapshot;
    // mutant: life-rests-with-timer &&.2 drop
    return (
      snapshot.hasTag(Tag.Settled) &&
      this.#clock.armed === 0 &&
      this.#status.isIdle &&
      life.canPassivate(snapshot, clock.now())
    );
  }

  sendObject(object: KubeObject): void {
    const { life, clock, dependencies, holders } = this.#deps;
    const at = clock.now();
    const view = life.view(object, at, holders(object));
    this.#viewText = JSON.stringify(view);
    this.#actor.send({ type: 'object.changed', object: view, dependencies: dependencies(), at });
    // A settled lifecycle checks its status itself, also when it is passivated.
    // mutant: taken-status-not-said drop
    if (!this.#stopped && !this.#snapshot.hasTag(Tag.Settled)) this.#status.restore(this.#snapshot);
  }

  /** Unless the chart would see no difference. */
  tellIfNew(object: KubeObject): void {
    if (viewed(this.#deps.life, object, this.#deps) !== this.#viewText) this.sendObject(object);
  }

  /** The object as it was seen last, for {@link viewed}. */
  get viewText(): string {
    return this.#viewText;
  }

  sendDependencies(): void {
    const { dependencies, clock } = this.#deps;
    this.#actor.send({ type: 'dependencies.changed', dependencies: dependencies(), at: clock.now() });
  }

  sendOwnerReleased(): void {
    this.#actor.send({ type: 'owner.released' });
  }

  sendRelationsChanged(): void {
    this.#actor.send({ type: 'relations.changed', at: this.#deps.clock.now() });
  }

  get #snapshot(): AnyMachineSnapshot {
    return this.#actor.getSnapshot();
  }

  #onStep(event: { readonly type: string }, snapshot: AnyMachineSnapshot): void {
    if (this.#stopped || event.type === 'xstate.init') return;
    const { life, object, onState, onStep, onUserEvent, onQuiet } = this.#deps;
    const from = this.#seen;
    this.#seen = snapshot;
    const isSettled = snapshot.hasTag(Tag.Settled);
    const reported = life.stepDetails(snapshot);
    // The pause after a failure begins with the state that is entered for it.
    const retryAt = snapshot.hasTag(Tag.Failing) ? this.#clock.lastDueAt : undefined;
    const isNew = onState({ state: stateOf(snapshot), tags: snapshot.tags, cause: event.type, reported, retryAt });
    // Dependents are notified before the status is written.
    onStep();
    if (isNew) {
      const news = this.#hear?.({ cause: event, from, to: snapshot, object: object() });
      if (news !== undefined && object() !== undefined) onUserEvent(news);
      // A life that begins with a settled object has nothing to say yet.
      if (event.type !== 'lifecycle.started' || !isSettled) this.#status.enter();
    }
    if (object() !== undefined) this.#status.consider(snapshot);
    if (isSettled) queueMicrotask(onQuiet);
  }
}
