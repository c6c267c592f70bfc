// Keeper of a stream that may be lost: wiped, created again or rolled back, at any time. It notices that (P11, BUS-4).
//
// Invariants:
//   BUS-NATS-STREAM-1. `ready` only while connected and after a check since; until then nothing is read or written.
//   BUS-NATS-STREAM-2. A check that finds another stream tells so before it resolves; values read before are then those of the old one.
//   BUS-NATS-STREAM-3. A stream whose last sequence, or a message of it, differs from this process's knowledge was
//       rolled back: it is always deleted and created again. Two processes may do so at once; then there is one more
//       change, and they agree again.
//   BUS-NATS-STREAM-4. A process with another number of shards than the stream was made for never reads or writes it: it
//       would host objects that others host, too, and find no claims on them.

import { randomUUID } from 'node:crypto';
import type { Subscription } from '@nats-io/transport-node';
import type { Epoch } from './bus.ts';
import type { Connection } from './connection.ts';
import { TerminalError, TransientError } from './errors.ts';
import type { JsonObject } from './json.ts';
import { Listeners } from './listeners.ts';
import {
  ApiCode,
  createStream,
  deleteStream,
  isApiError,
  publishMessage,
  readMessage,
  type StreamConfig,
  type StreamInfo,
  streamInfo,
  updateStream,
} from './nats-api.ts';
import { streamAdvisory } from './nats-names.ts';
import type { Timer } from './time.ts';

/** Interval of checks for losses that no event reports. */
const CHECK_MS = 1_000;
/** A stream that seems rolled back is looked at again after this long: a new leader may still be reading its log. */
const SECOND_LOOK_MS = 250;
/**
 * Between the loss of a stream and its return. nats-server 2.9 deletes files after it has answered, and with them those of
 * a stream of the same name that was made at once (2 of 42 trials): it takes messages and has none.
 */
const RETURN_MS = 250;
/** A stream that forgets what was just stored this often is such a one. */
const MARKER_TRIALS = 3;
/** Number of latest sequences that are compared after a reconnect. */
const REMEMBERED = 8;

export interface StreamKeeperOptions {
  readonly connection: Connection;
  readonly config: StreamConfig;
  /** Subject of the stream's epoch; undefined: its creation time is its identity. */
  readonly marker: string | undefined;
  /** Number of shards that the subjects of the stream are made with; undefined: they are made without. */
  readonly shards?: number;
  /** A reader finds the stream, and makes, changes and deletes nothing. Default `keeper`. */
  readonly role?: 'keeper' | 'reader';
  /** This process made the stream: the first time it looked, or in place of one that it knew. */
  readonly onCreated: (when: 'first' | 'again') => Promise<void>;
}

interface Marker {
  readonly id: string;
  /** Undefined: an earlier version wrote it. */
  readonly shards: number | undefined;
  readonly seededAt: number | undefined;
  readonly witnessedFrom: number | undefined;
  readonly sequence: number;
}

export class StreamKeeper {
  readonly changes = new Listeners<Epoch>();
  /** Notified also when only `seededAt` or `witnessedFrom` changed. */
  readonly news = new Listeners<Epoch>();
  readonly #options: StreamKeeperOptions;
  readonly #subscriptions: Subscription[] = [];
  #stop: () => void = () => undefined;
  #created: string | undefined;
  #marker: Marker | undefined;
  #config: StreamConfig;
  #ready = false;
  #seen = 0;
  #latest = new Map<number, string>();
  #compareLatest = false;
  #running: Promise<boolean> | undefined;
  #next: Promise<boolean> | undefined;
  #timer: Timer | undefined;
  #closed = false;

  constructor(options: StreamKeeperOptions) {
    this.#options = options;
    this.#config = options.config;
  }

  /** Finds or makes the stream and begins to watch it; who never does leaves it alone. @throws {TransientError} */
  async open(): Promise<void> {
    const { connection, config, marker } = this.#options;
    this.#stop = connection.connectivity.add(({ kind }) => {
      // mutant: stream-ready-after-reconnect drop
      this.#ready = false;
      this.#compareLatest = true;
      if (kind === 'connected') this.notice();
    });
    await this.check();
    const notice = (): void => this.notice();
    // Events only make it faster: without permission for them, the periodic check is enough.
    this.#subscriptions.push(connection.listen(streamAdvisory(config.name), notice));
    if (marker !== undefined) this.#subscriptions.push(connection.listen(marker, notice));
    this.#look();
  }

  close(): void {
    this.#closed = true;
    this.#ready = false;
    this.#stop();
    for (const subscription of this.#subscriptions) subscription.unsubscribe();
    if (this.#timer !== undefined) this.#options.connection.clock.clearTimeout(this.#timer);
    this.changes.clear();
    this.news.clear();
  }

  /** Identity of the stream (BUS-NATS-STREAM-1: `ready` tells whether it was checked). */
  get epoch(): Epoch {
    return {
      id: this.#marker === undefined ? `${this.#created}` : `${this.#created}/${this.#marker.id}`,
      seededAt: this.#marker?.seededAt,
      witnessedFrom: this.#marker?.witnessedFrom,
    };
  }

  get #isReader(): boolean {
    return this.#options.role === 'reader';
  }

  get ready(): boolean {
    return this.#ready && this.#options.connection.up;
  }

  /** The configuration that the server has. */
  get config(): StreamConfig {
    return this.#config;
  }

  /** Highest sequence that this process knows of. */
  get seen(): number {
    return this.#seen;
  }

  saw(sequence: number, subject: string): void {
    if (sequence <= this.#seen) return;
    this.#seen = sequence;
    this.#latest.set(sequence, subject);
    const [oldest] = this.#latest.keys();
    if (this.#latest.size > REMEMBERED && oldest !== undefined) this.#latest.delete(oldest);
  }

  /** Something is odd: checks soon. */
  notice(): void {
    this.check().catch((error: unknown) => {
      // The connection is down or the server not up yet: the next check tries again. Any other error is a defect.
      if (!(error instanceof TransientError)) throw error;
    });
  }

  /**
   * Whether the stream was still the same at some instant after this call. If not, all listeners were notified
   * (BUS-NATS-STREAM-2).
   *
   * @throws {TransientError} it cannot be determined now
   */
  check(): Promise<boolean> {
    if (this.#running === undefined) {
      this.#running = this.#checked().finally(() => {
        this.#running = undefined;
      });
      return this.#running;
    }
    // One that began earlier may have looked too early; all who ask meanwhile share the next.
    const after = (): Promise<boolean> => {
      this.#next = undefined;
      return this.check();
    };
    this.#next ??= this.#running.then(after, after);
    return this.#next;
  }

  /** Resolves when it is ready. @throws {TransientError} it cannot be now */
  async available(): Promise<void> {
    if (!this.#options.connection.up) throw this.#options.connection.away();
    if (!this.#ready) await this.check();
  }

  /** Brings the stream's settings to these. @throws {ApiError} the server refuses */
  async reconfigure(changes: Partial<StreamConfig>): Promise<void> {
    const info = await updateStream(this.#options.connection, { ...this.#config, ...changes });
    this.#config = info.config;
  }

  /** Stores `seededAt` in the marker, once for an epoch. @throws {TransientError} */
  async markSeeded(seededAt: number): Promise<void> {
    const { connection, marker: subject } = this.#options;
    await this.check();
    const { id } = this.epoch;
    while (subject !== undefined && this.epoch.id === id && this.#marker?.seededAt === undefined) {
      const { id: markerId = '', sequence = 0, witnessedFrom } = this.#marker ?? {};
      const marker = this.#payload(markerId, { seededAt, ...(witnessedFrom !== undefined && { witnessedFrom }) });
      await publishMessage(connection, subject, marker, { expectedSequence: sequence });
      await this.check();
    }
    if (this.epoch.id !== id) throw changed();
  }

  /** Stores in the marker that what is older than `now` was seen by no process that could notice a rollback. @throws {TransientError} */
  async forgetSeeded(now: number): Promise<void> {
    const { connection, marker: subject } = this.#options;
    await this.check();
    const { id } = this.epoch;
    while (subject !== undefined && this.epoch.id === id && (this.#marker?.witnessedFrom ?? 0) < now) {
      const { id: markerId = '', sequence = 0 } = this.#marker ?? {};
      const marker = this.#payload(markerId, { witnessedFrom: now });
      await publishMessage(connection, subject, marker, { expectedSequence: sequence });
      await this.check();
    }
    if (this.epoch.id !== id) throw changed();
  }

  /** Creates the stream again if it is still that of this epoch. @throws {TransientError} */
  async startAnew(epochId: string): Promise<void> {
    await this.check();
    if (this.epoch.id !== epochId) return;
    await deleteStream(this.#options.connection, this.#config.name);
    await this.check();
  }

  #look(): void {
    this.#timer = this.#options.connection.clock.setTimeout(() => {
      // mutant: stream-loss-unnoticed drop
      if (this.#options.connection.up) this.notice();
      if (!this.#closed) this.#look();
    }, CHECK_MS);
  }

  async #checked(): Promise<boolean> {
    const known = this.#created === undefined ? undefined : this.epoch;
    for (;;) {
      const seen = this.#seen;
      const info = await this.#found(known !== undefined);
      if (known !== undefined && info.created === this.#created && (await this.#isRolledBack(info, seen))) continue;
      const marker = await this.#markerOf();
      // Read apart from the stream's identity: if one of them is new, they must have been there together.
      const isNew = info.created !== this.#created || marker?.id !== this.#marker?.id;
      if (isNew && (await streamInfo(this.#options.connection, this.#config.name))?.created !== info.created) continue;
      if (this.#closed) throw this.#options.connection.away();
      return this.#settle(known, info, marker);
    }
  }

  #settle(known: Epoch | undefined, info: StreamInfo, marker: Marker | undefined): boolean {
    this.#created = info.created;
    this.#marker = marker;
    this.#config = info.config;
    const { epoch } = this;
    const same = known === undefined || known.id === epoch.id;
    if (!same) {
      this.#seen = 0;
      this.#latest.clear();
    }
    this.#seen = Math.max(this.#seen, info.lastSequence);
    this.#compareLatest = false;
    this.#ready = this.#options.connection.up;
    // mutant: stream-change-untold drop
    if (!same) this.changes.report(epoch);
    const isNews = !same || known?.seededAt !== epoch.seededAt || known?.witnessedFrom !== epoch.witnessedFrom;
    if (known !== undefined && isNews) this.news.report(epoch);
    return same;
  }

  /** The stream as it is, made if need be. */
  async #found(wasKnown: boolean): Promise<StreamInfo> {
    const { connection, config, onCreated } = this.#options;
    const found = await streamInfo(connection, config.name);
    if (found !== undefined) return wasKnown ? found : this.#withNeededSettings(found);
    if (this.#isReader) throw new TransientError(`there is no stream '${config.name}' yet`);
    if (wasKnown) await connection.clock.sleep(RETURN_MS);
    const made = await this.#made();
    if (made.isNew) await onCreated(wasKnown ? 'again' : 'first');
    return made.info;
  }

  /** Makes the stream. Of several who do so at once, nats-server 2.9 refuses some: for them it is there. */
  async #made(): Promise<{ info: StreamInfo; isNew: boolean }> {
    const { connection, config } = this.#options;
    try {
      return await createStream(connection, config);
    } catch (error) {
      if (!isApiError(error, ApiCode.SubjectsOverlap, ApiCode.StreamNameInUse)) throw error;
      const info = await streamInfo(connection, config.name);
      // A foreign stream, under another name, has our subjects: a person has to resolve that.
      if (info === undefined) throw error;
      return { info, isNew: false };
    }
  }

  /** Required settings for last values. Other settings belong to the deployment. */
  async #withNeededSettings(info: StreamInfo): Promise<StreamInfo> {
    const { connection, config } = this.#options;
    const { subjects, max_msgs_per_subject, allow_direct, num_replicas } = config;
    const needed = { subjects, max_msgs_per_subject, allow_direct, num_replicas };
    const has =
      this.#isReader ||
      Object.entries(needed).every(([key, value]) => JSON.stringify(info.config[key]) === JSON.stringify(value));
    return has ? info : updateStream(connection, { ...info.config, ...needed });
  }

  /** Deletes a stream that has forgotten what this process saw. False: it has not. */
  async #isRolledBack(info: StreamInfo, seen: number): Promise<boolean> {
    const { connection, config } = this.#options;
    if (this.#isReader) return false; // its keeper creates it again
    if (info.lastSequence >= seen && !(this.#compareLatest && (await this.#isContradicted()))) return false;
    await connection.clock.sleep(SECOND_LOOK_MS);
    const again = await streamInfo(connection, config.name);
    if (again === undefined || again.created !== info.created) return true;
    if (again.lastSequence >= seen && !(await this.#isContradicted())) return false;
    await deleteStream(connection, config.name);
    return true;
  }

  /** Whether a sequence that this process has seen belongs to another subject now. */
  async #isContradicted(): Promise<boolean> {
    const compared = [...this.#latest].map(async ([seq, subject]) => {
      const message = await readMessage(this.#options.connection, this.#config, { seq });
      // mutant: stream-rollback-unseen return -> false
      return message !== undefined && message.subject !== subject;
    });
    return (await Promise.all(compared)).includes(true);
  }

  async #markerOf(): Promise<Marker | undefined> {
    const { connection, marker: subject } = this.#options;
    if (subject === undefined) return undefined;
    for (let trial = 0; trial < MARKER_TRIALS; trial += 1) {
      const message = await readMessage(connection, this.#config, { last_by_subj: subject });
      const marker = message && parseMarker(message.payload, message.sequence);
      if (marker !== undefined) return this.#ofOurShards(marker);
      await publishMessage(connection, subject, this.#payload(randomUUID()), {
        expectedSequence: message?.sequence ?? 0,
      });
    }
    return discardBroken(connection, this.#config.name);
  }

  #payload(id: string, facts: JsonObject = {}): JsonObject {
    const { shards } = this.#options;
    return { id, ...(shards !== undefined && { shards }), ...facts };
  }

  /** @throws {TerminalError} it was made for another number of shards (BUS-NATS-STREAM-4) */
  #ofOurShards(marker: Marker): Marker {
    const { shards, config } = this.#options;
    // mutant: shards-of-others if -> true
    if (shards === undefined || marker.shards === undefined || marker.shards === shards) return marker;
    throw new TerminalError(
      `the stream '${config.name}' was made for ${marker.shards} shards, and this process is set to ${shards}: ` +
        `set TROUPE_SHARDS to ${marker.shards}; to change the number, stop all processes, remove the stream ` +
        `('nats stream rm ${config.name}'), and start them with the new one`,
    );
  }
}

/** Error of an operation that began under another epoch. */
export function changed(): TransientError {
  return new TransientError('the mailbox was lost meanwhile: another epoch has begun');
}

/**
 * Deletes a stream that forgets what it takes; the next check makes another.
 *
 * @throws {TransientError} always
 */
export async function discardBroken(connection: Connection, stream: string): Promise<never> {
  await deleteStream(connection, stream);
  throw new TransientError(`stream '${stream}' discards messages that it acknowledged; re-creating it`);
}

function parseMarker(payload: string, sequence: number): Marker | undefined {
  let value: unknown;
  try {
    value = JSON.parse(payload);
  } catch {
    return undefined; // not ours; it is replaced
  }
  const { id, shards, seededAt, witnessedFrom } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof id !== 'string') return undefined;
  const numberIn = (fact: unknown): number | undefined => (typeof fact === 'number' ? fact : undefined);
  return {
    id,
    shards: numberIn(shards),
    seededAt: numberIn(seededAt),
    witnessedFrom: numberIn(witnessedFrom),
    sequence,
  };
}
