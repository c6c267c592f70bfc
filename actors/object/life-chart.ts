// The statechart of one life while it is awake, with what belongs to it: who writes its status, who hears of its news.
import type { Logger } from 'pino';
import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import type { Clock } from '../../bus/mod.ts';
import {
  type Dependency,
  type HoldersByFinalizer,
  type Life,
  type Occurrence,
  type Step,
  stateOf,
  Tag,
  type Told,
} from '../../machines/life.ts';
import type { KubeObject } from '../../machines/object.ts';
import { type Actor, type ChartClock, chart, chartClock } from './chart.ts';
import type { StatusTurns } from './status-turns.ts';
import { type StatusWrite, StatusWriter } from './status-writer.ts';

export interface LifeChartDeps {
  readonly key: string;
  readonly life: Life;
  /** That of the life, with its effects. */
  readonly machine: AnyStateMachine;
  readonly clock: Clock;
  readonly turns: StatusTurns;
  readonly log: () => Logger;
  /** As it is known now; undefined: it is gone. */
  readonly object: () => KubeObject | undefined;
  readonly dependencies: () => readonly Dependency[];
  /** Who holds the object, if it is deleted. */
  readonly holders: (object: KubeObject) => HoldersByFinalizer | undefined;
  /** Until when what an earlier life asked for may still be done, milliseconds since the epoch (P13). */
  readonly landsBy: number;
  /** Another object has recorded the same external id. */
  readonly isContested: boolean;
  readonly writeStatus: StatusWrite;
  /** It is in a state; called at each step. Says whether it was in another one before. */
  readonly onState: (state: ChartState) => boolean;
  /** It took something in, and others may have to hear of what came of it. */
  readonly onStep: () => void;
  readonly onNews: (news: Occurrence) => void;
  /** It settled, or there is nothing left to write: it may have nothing left to do. Not called within a step. */
  readonly onQuiet: () => void;
  /** Code of the kind threw: the chart has ended. */
  readonly onFault: (error: unknown) => void;
  /** Runs what the life says where no step of the chart is. */
  readonly supervise: <Result>(act: () => Result) => Result | undefined;
}

/** Where a chart is, for whoever looks at it from outside. */
export interface ChartState {
  /** The leaf that it is in, for people. */
  readonly state: string;
  readonly tags: ReadonlySet<string>;
  /** The event that led there. */
  readonly cause: string;
  readonly told: Told;
}

/** An object as a life sees it now, as text. */
export function viewed(
  life: Life,
  object: KubeObject,
  { clock, holders }: Pick<LifeChartDeps, 'clock' | 'holders'>,
): string {
  return JSON.stringify(life.view(object, clock.now(), holders(object)));
}

export class LifeChart {
  readonly #deps: LifeChartDeps;
  readonly #actor: Actor;
  readonly #clock: ChartClock;
  readonly #status: StatusWriter;
  readonly #hear: ((step: Step) => Occurrence | undefined) | undefined;
  #seen: AnyMachineSnapshot | undefined;
  #viewText = '';
  #stopped = false;

  constructor(deps: LifeChartDeps, object: KubeObject) {
    const { key, life, machine, clock, turns, landsBy, isContested, onFault } = deps;
    this.#deps = deps;
    const at = clock.now();
    const view = life.view(object, at, deps.holders(object));
    this.#viewText = JSON.stringify(view);
    this.#clock = chartClock(clock);
    this.#actor = chart({
      machine,
      clock: this.#clock,
      input: { key, object: view, dependencies: deps.dependencies(), at, landsBy, isContested },
      onStep: (cause, snapshot) => this.#onStep(cause, snapshot),
      onFault,
    });
    this.#hear = life.news?.(object);
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
    this.#actor.send({ type: 'life.began' });
  }

  stop(): void {
    this.#stopped = true;
    this.#actor.stop();
    this.#status.stop();
  }

  /** Others may use what the object stands for. */
  get isAvailable(): boolean {
    return this.#snapshot.hasTag(Tag.Available);
  }

  /** Nothing is under way, no timer runs, and it knows nothing that the object and the mail do not say (A5). */
  get isSpent(): boolean {
    const { life, clock } = this.#deps;
    const snapshot = this.#snapshot;
    // mutant: life-rests-with-timer &&.2 drop
    return (
      snapshot.hasTag(Tag.Settled) &&
      this.#clock.armed === 0 &&
      this.#status.isIdle &&
      life.isSpent(snapshot, clock.now())
    );
  }

  tellObject(object: KubeObject): void {
    const { life, clock, dependencies, holders } = this.#deps;
    const at = clock.now();
    const view = life.view(object, at, holders(object));
    this.#viewText = JSON.stringify(view);
    this.#actor.send({ type: 'object.changed', object: view, dependencies: dependencies(), at });
    // What is settled looks at its status itself: also at rest.
    // mutant: taken-status-not-said drop
    if (!this.#stopped && !this.#snapshot.hasTag(Tag.Settled)) this.#status.restore(this.#snapshot);
  }

  /** Unless the chart would see no difference. */
  tellIfNew(object: KubeObject): void {
    if (viewed(this.#deps.life, object, this.#deps) !== this.#viewText) this.tellObject(object);
  }

  /** The object as it was seen last, for {@link viewed}. */
  get viewText(): string {
    return this.#viewText;
  }

  tellDependencies(): void {
    const { dependencies, clock } = this.#deps;
    this.#actor.send({ type: 'dependencies.changed', dependencies: dependencies(), at: clock.now() });
  }

  tellRivalGone(): void {
    this.#actor.send({ type: 'rival.gone' });
  }

  tellRelations(): void {
    this.#actor.send({ type: 'relations.changed', at: this.#deps.clock.now() });
  }

  get #snapshot(): AnyMachineSnapshot {
    return this.#actor.getSnapshot();
  }

  #onStep(event: { readonly type: string }, snapshot: AnyMachineSnapshot): void {
    if (this.#stopped || event.type === 'xstate.init') return;
    const { life, object, onState, onStep, onNews, onQuiet } = this.#deps;
    const from = this.#seen;
    this.#seen = snapshot;
    const isSettled = snapshot.hasTag(Tag.Settled);
    const told = life.told(snapshot);
    const isNew = onState({ state: stateOf(snapshot), tags: snapshot.tags, cause: event.type, told });
    // Whoever waits hears of it before the status is written.
    onStep();
    if (isNew) {
      const news = this.#hear?.({ cause: event, from, to: snapshot, object: object() });
      if (news !== undefined && object() !== undefined) onNews(news);
      // A life that begins with a settled object has nothing to say yet.
      if (event.type !== 'life.began' || !isSettled) this.#status.enter();
    }
    if (object() !== undefined) this.#status.consider(snapshot);
    if (isSettled) queueMicrotask(onQuiet);
  }
}
