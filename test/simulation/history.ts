// One history: a plan played on the whole runtime in one process, under simulated time. Equal plans give equal histories.
import pino from 'pino';
import { mulberry32 } from '../../actors/base/clock.ts';
import { type MemoryBroker, memoryBroker, shardOf } from '../../bus/mod.ts';
import type { KubeObject } from '../../machines/object.ts';
import { Chronicle, describe } from './chronicle.ts';
import { type Cluster, cluster } from './cluster.ts';
import { MailOrder } from './mail-order.ts';
import { isMisfortune, type Misfortune } from './misfortunes.ts';
import type { Deed, Environment, HistoryContext, Plan, Unrest } from './model.ts';
import { Moments } from './moments.ts';
import { Processes } from './processes.ts';
import { RepeatedWrites } from './repeated-writes.ts';
import { ProcessClock, SimulatedTime } from './time.ts';
import { Weather } from './weather.ts';

export interface Violation {
  readonly invariant: string;
  readonly text: string;
  readonly atMs: number;
}

export interface History {
  readonly violation: Violation | undefined;
  /** Of everything that happened, in order. */
  readonly hash: string;
  /** One line a happening; empty unless asked for. */
  readonly story: readonly string[];
  readonly steps: number;
  readonly simulatedMs: number;
}

export interface HistoryOptions {
  readonly reported?: boolean;
}

const SHARDS = 4;
const LEASE_MS = 15_000;
const CALL_MS = 10_000;
const LOOK_EVERY_MS = 1_000;
/** What looks like the end must stay so. */
const REST_FOR_MS = 5_000;
const IDLE_MS = 20_000;
/** How long users try again what the API server does not take, after the last thing that happened, in milliseconds. */
const PATIENCE_MS = 20_000;

export async function play(plan: Plan, { reported = false }: HistoryOptions = {}): Promise<History> {
  const time = new SimulatedTime();
  const clock = new ProcessClock(time, plan.seed ^ 0x5eed);
  const performance = new Performance(plan, reported, time, clock, await cluster(clock, plan.model.contracts));
  await performance.begin();
  process.on('unhandledRejection', performance.onUnheard);
  try {
    return await performance.play();
  } finally {
    process.off('unhandledRejection', performance.onUnheard);
  }
}

class Performance {
  readonly #plan: Plan;
  readonly #reported: boolean;
  readonly #time: SimulatedTime;
  readonly #clock: ProcessClock;
  readonly #cluster: Cluster;
  readonly #broker: MemoryBroker;
  readonly #weather: Weather;
  readonly #chronicle: Chronicle;
  readonly #lastMs: number;
  #environment!: Environment;
  #processes!: Processes;
  #violation: Violation | undefined;
  #troubled = false;
  #changed = true;
  #isTidying = false;
  #writes = 0;

  constructor(plan: Plan, reported: boolean, time: SimulatedTime, clock: ProcessClock, cluster: Cluster) {
    this.#plan = plan;
    this.#reported = reported;
    this.#time = time;
    this.#clock = clock;
    this.#cluster = cluster;
    this.#lastMs = plan.steps.at(-1)?.atMs ?? 0;
    this.#chronicle = new Chronicle(time, { reported });
    this.#weather = new Weather(time, mulberry32(plan.seed ^ 0xc4a2ce));
    this.#broker = memoryBroker({ clock, shards: SHARDS, leaseMs: LEASE_MS });
  }

  /** A rejected promise that nobody waits for: it would end a real process. */
  readonly onUnheard = (error: unknown): void => this.#violate('unheard', `nobody waited for what failed: ${error}`);

  async begin(): Promise<void> {
    const { model } = this.#plan;
    const [plan, time, cluster, broker, weather] = [this.#plan, this.#time, this.#cluster, this.#broker, this.#weather];
    const [chronicle, violate] = [this.#chronicle, this.#violate];
    const environment = await model.begin(this.#context(), plan);
    this.#environment = environment;
    const moments = new Moments({
      plan,
      time,
      environment,
      isTidying: () => this.#isTidying,
      happen: (happening, afterMs) => {
        weather.last('a moment', afterMs);
        time.after(afterMs, () => this.#happen(happening));
      },
    });
    const mailOrder = new MailOrder({ onViolation: violate });
    broker.onMail((change) => {
      if (change.kind === 'stored') {
        mailOrder.onStored(change.mail);
        environment.onMail?.(change.mail);
      } else if (change.kind === 'removed') mailOrder.onRemoved(change.mail);
      else mailOrder.forget();
    });
    const level = this.#reported || environment.judgeText !== undefined ? 'info' : 'fatal';
    const write = (line: string): void => {
      environment.judgeText?.('the log', line);
      if (this.#reported) chronicle.tellLog(line);
    };
    this.#processes = new Processes({
      plan,
      time,
      cluster,
      environment,
      broker,
      weather,
      mailOrder,
      chronicle,
      writes: new RepeatedWrites(cluster, violate),
      log: pino({ level, base: null, timestamp: false }, { write }),
      callMs: CALL_MS,
      onTrace: (pod, event) => moments.onTrace(pod, event),
      onDefect: (message) => violate('start', message),
    });
  }

  async play(): Promise<History> {
    const { namespaces, steps } = this.#plan;
    this.#cluster.follow((plural, change) => {
      if (plural === 'leases') return;
      this.#changed = true;
      if (this.#environment.isLookedAt?.(plural) !== true) this.#writes += 1;
      const { metadata } = change.stored;
      this.#chronicle.note(
        `${change.type} ${plural} ${metadata.namespace ?? ''}/${metadata.name} ${change.revision}`,
        () => `the API server: ${change.type.toLowerCase()} ${describe(change.stored.object as unknown as KubeObject)}`,
      );
      this.#environment.onChange(plural, change);
    });
    for (const name of namespaces) {
      const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
      this.#cluster.call({ method: 'POST', path: '/api/v1/namespaces', body });
    }
    this.#processes.startAll();
    for (const step of steps) this.#time.after(step.atMs, () => this.#happen(step));
    await this.#until(this.#lastMs + 1);
    const phases = [
      () => this.#calmDown(),
      () => this.#rest('in the end', this.#environment.unrest),
      () => this.#idle(),
      () => this.#startAfresh(),
      () => this.#tidyUp(),
    ];
    for (const phase of phases) if (this.#violation === undefined) await phase();
    return {
      violation: this.#violation,
      hash: this.#chronicle.hash,
      story: this.#chronicle.story,
      steps: this.#time.steps,
      simulatedMs: this.#time.elapsed(),
    };
  }

  #context(): HistoryContext {
    const [time, clock, cluster, broker] = [this.#time, this.#clock, this.#cluster, this.#broker];
    const [weather, chronicle] = [this.#weather, this.#chronicle];
    return {
      time,
      clock,
      cluster,
      broker,
      weather,
      chronicle,
      patienceMs: this.#lastMs + PATIENCE_MS,
      violate: this.#violate,
      hostOf: (address) => {
        const lease = `shard.${shardOf(address, SHARDS)}`;
        const holder = broker.leases().find(({ name }) => name === lease)?.holder;
        // The name of a pod, and what makes it unique.
        return holder?.slice(0, holder.lastIndexOf('-'));
      },
      onTrouble: () => {
        this.#troubled = true;
      },
      isTroubled: () => this.#troubled,
      onChange: () => {
        this.#changed = true;
      },
      lands: (where, { pod, method, path }, whose) => {
        if (method !== 'GET') this.#changed = true;
        chronicle.note(`${pod} ${method} ${path}`, () => `${pod} asks ${where}: ${method} ${path} for ${whose()}`);
      },
      rest: (when, unrest) => this.#rest(when, unrest),
    };
  }

  // --- phases --------------------------------------------------------------------------------------------------

  /** Runs until so long after the beginning, or until something is broken. */
  async #until(elapsedMs: number): Promise<void> {
    const untilAt = this.#time.now() - this.#time.elapsed() + elapsedMs;
    while (this.#violation === undefined && (await this.#time.step(untilAt)));
    if (this.#violation === undefined) await this.#time.advance(Math.max(0, untilAt - this.#time.now()));
  }

  /** Misfortunes end: what lasts longer than the plan is over, too. */
  async #calmDown(): Promise<void> {
    const lastingAt = Math.max(this.#time.elapsed(), this.#weather.overMs());
    // What was lost, or taken from somebody, is taken over only after a lease time, and a fresh start may take another.
    await this.#until(lastingAt + (this.#troubled ? 3 * LEASE_MS : 0) + 1);
    this.#environment.putRight();
  }

  /** Runs until `unrest` finds nothing, and goes on finding nothing. */
  async #rest(when: string, unrest: Unrest): Promise<void> {
    const from = this.#time.elapsed();
    let quietSince: number | undefined;
    let why: string | undefined = 'nothing was looked at';
    let lookMs = LOOK_EVERY_MS;
    this.#changed = true;
    while (this.#violation === undefined) {
      await this.#until(this.#time.elapsed() + lookMs);
      if (this.#changed) {
        this.#changed = false;
        why = this.#environment.pending > 0 ? 'users still wait for the API server' : await unrest();
        // Of many objects that are looked at every so often one always says when.
        if (why !== undefined || this.#plan.resyncMs === 0) quietSince = undefined;
      } else if (why !== undefined) lookMs = Math.min(lookMs * 1.2, 10_000);
      if (why === undefined) {
        quietSince ??= this.#time.elapsed();
        lookMs = LOOK_EVERY_MS;
        if (this.#time.elapsed() - quietSince >= REST_FOR_MS) return;
      }
      if (this.#time.elapsed() - from > this.#plan.model.restWithinMs) this.#violate('end', `${when}: ${why}`);
    }
  }

  /** Nothing is written while nothing happens. */
  async #idle(): Promise<void> {
    if (this.#plan.resyncMs > 0 || this.#environment.isBusyUnseen()) return;
    const writes = this.#writes;
    await this.#until(this.#time.elapsed() + IDLE_MS);
    if (this.#violation === undefined && this.#writes !== writes)
      this.#violate('I8', 'something was written while nothing happened');
  }

  /** From the last values alone, the same end state is reached, and nothing is done for it (I9). */
  async #startAfresh(): Promise<void> {
    if (this.#plan.seed % 3 !== 0) return;
    this.#chronicle.note('afresh', () => 'all processes end at once, and others begin');
    this.#processes.restartAll();
    const writes = this.#writes;
    const isBusy = this.#environment.isBusyUnseen();
    await this.#until(this.#time.elapsed() + 2 * LEASE_MS + 10_000);
    if (this.#violation !== undefined) return;
    const isStill = this.#plan.resyncMs === 0 && this.#environment.isAltered?.() !== true && !isBusy;
    if (isStill && this.#writes !== writes)
      this.#violate('I9', 'processes that began afresh wrote what was there already');
    await this.#rest('after a start from the last values', this.#environment.unrest);
  }

  /** Everything is deleted: nothing is left, neither at the API server, nor outside, nor in the mail. */
  async #tidyUp(): Promise<void> {
    this.#isTidying = true;
    await this.#environment.beforeTidying?.();
    if (this.#violation !== undefined) return;
    for (const name of this.#plan.namespaces) {
      const known = this.#cluster.get('namespaces', '', name);
      if (known === undefined) continue;
      if (known.metadata.deletionTimestamp === undefined) this.#environment.beforeDeletion?.(name);
      this.#cluster.call({ method: 'DELETE', path: `/api/v1/namespaces/${name}` });
      this.#chronicle.note(`user deletes namespace '${name}'`, () => `a user deletes namespace '${name}'`);
    }
    let mailSince: number | undefined;
    let isReadAgain = false;
    await this.#rest('after everything was deleted', async () => {
      const left = (await this.#environment.leftover()) ?? this.#secretLeft();
      if (left !== undefined) return left;
      const mail = this.#mailLeft();
      if (mail === undefined) return undefined;
      this.#changed = true; // mail comes and goes unseen
      mailSince ??= this.#time.elapsed();
      // What could not be deleted while the bus was away is deleted when it is read again.
      if (!isReadAgain && this.#weather.hasBeen('cutBus') && this.#time.elapsed() - mailSince > 4 * LEASE_MS) {
        isReadAgain = true;
        this.#processes.restartAll();
      }
      return mail;
    });
  }

  #secretLeft(): string | undefined {
    const [left] = this.#cluster.objects('secrets');
    return left && `Secret '${left.metadata.name}' is still there: ${left.metadata.finalizers?.join(', ')}`;
  }

  #mailLeft(): string | undefined {
    const hasStoodStill = this.#weather.hasBeen('standStill');
    const mail = this.#broker.snapshot().values.find(
      ({ payload, subject }) =>
        // A claim that was on its way meanwhile, and came when its end had been read and deleted, holds nothing.
        !(subject.topic === 'claim' && hasStoodStill) &&
        this.#environment.isExcused?.(String(payload['uid'])) !== true &&
        // A shard has a list of what is under way for good. What may have been done by now is taken off it.
        !(subject.topic === 'creates' && Object.keys(payload['inDoubtUntil'] ?? {}).length === 0),
    );
    return mail && `mail is left: ${mail.key} ${JSON.stringify(mail.payload)}`;
  }

  // --- what happens --------------------------------------------------------------------------------------------

  #happen(step: Misfortune | Deed): void {
    if (this.#violation !== undefined || this.#environment.allows?.(step) === false) return;
    this.#changed = true;
    if (isMisfortune(step)) {
      this.#troubled = true;
      this.#processes.suffer(step);
    } else this.#environment.happens(step);
  }

  readonly #violate = (invariant: string, text: string): void => {
    if (this.#violation !== undefined) return;
    this.#violation = { invariant, text, atMs: this.#time.elapsed() };
    this.#chronicle.report(`VIOLATION of ${invariant}: ${text}`);
  };
}
