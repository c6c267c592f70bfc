// What the contract suite needs of a bus, whoever implements it.
import * as assert from 'uvu/assert';
import { systemClock } from '../../actors/base/clock.ts';
import type { Bus, MailboxFilter, MailboxMessage, MailboxSubscription } from '../../bus/bus.ts';
import { TransientError } from '../../bus/errors.ts';
import type { ActorSubject } from '../../bus/subjects.ts';
import type { Clock } from '../../bus/time.ts';
import { SimulatedClock } from '../world/clock.ts';

export const seed = Number(process.env['SEED'] ?? 20_261_121);
/** Clock of tests that share their world with other processes. */
export const clock = systemClock({ seed });

/** How long a test waits for what must happen: a machine under load takes its time. */
const DEADLINE_MS = 60_000;

/** A new, empty deployment and what may happen to it. */
export interface Deployment {
  /** Simulated where everything is in this process. */
  readonly clock: Clock;
  readonly leaseMs: number;
  /** By how much anything may be late, in milliseconds: on a shared processor there is no telling, in simulated time it is 0. */
  readonly lateEffectMs: number;
  /** Length of a text that the bus refuses to carry; of a long one, where it refuses none. */
  readonly tooLong: number;
  connect(process: string): Promise<Bus>;
  /** The process is gone: nothing is released. */
  crash(bus: Bus): Promise<void>;
  /** The process is cut off. Returns the way back. */
  cut(bus: Bus): Promise<() => Promise<void>>;
  wipeMail(): Promise<void>;
  wipeLeases(): Promise<void>;
  /** The broker ends without warning. Returns the way back, with the same data. undefined: this one cannot be ended. */
  readonly interrupt: (() => Promise<() => Promise<void>>) | undefined;
  /** Remembers the data. The returned function makes the broker end without warning and start with what it had then. */
  readonly snapshot: (() => Promise<() => Promise<void>>) | undefined;
  close(): Promise<void>;
}

export interface Harness {
  readonly name: string;
  readonly canInterrupt: boolean;
  open(): Promise<Deployment>;
}

/** Waits of a test, on the clock of what it waits for. */
export interface Waits {
  /** Waits until the condition holds. */
  until(what: string, condition: () => boolean, limitMs?: number): Promise<void>;
  /** The promise's value, or a failure when it takes too long. */
  within<Value>(what: string, promise: Promise<Value>, limitMs?: number): Promise<Value>;
  /** What `attempt` answers once the bus is not away any more. */
  eventually<Value>(attempt: () => Promise<Value>): Promise<Value>;
}

export function waitsOn(clock: Clock): Waits {
  const until: Waits['until'] = async (what, condition, limitMs = DEADLINE_MS) => {
    const limit = clock.now() + limitMs;
    while (!condition()) {
      if (clock.now() > limit) assert.unreachable(`waited ${limitMs} ms for ${what}`);
      await clock.sleep(2);
    }
  };
  return {
    until,
    async within(what, promise, limitMs) {
      let settled = false;
      const done = (): void => {
        settled = true;
      };
      promise.then(done, done);
      await until(what, () => settled, limitMs);
      return promise;
    },
    async eventually(attempt) {
      const limit = clock.now() + DEADLINE_MS;
      for (;;) {
        try {
          return await attempt();
        } catch (error) {
          assert.instance(error, TransientError);
          if (clock.now() > limit) throw error;
          await clock.sleep(20);
        }
      }
    },
  };
}

export const { until, within, eventually } = waitsOn(clock);

/** A deployment of one test, and its waits. */
export type Scene = Deployment & Waits;

/** Runs a test on a deployment of its own and closes it, whatever happens. */
export function on(harness: Harness, body: (scene: Scene) => Promise<void>): () => Promise<void> {
  return async () => {
    const deployment = await harness.open();
    try {
      await body({ ...deployment, ...waitsOn(deployment.clock) });
    } finally {
      await deployment.close();
    }
  };
}

/** This process computes for so long: whatever is due meanwhile is late. */
export function compute(clock: Clock, durationMs: number): void {
  if (clock instanceof SimulatedClock) clock.spend(durationMs);
  else for (const startedAt = clock.now(); clock.now() - startedAt < durationMs; );
}

export async function rejection(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    assert.instance(error, Error);
    return error as Error;
  }
  return assert.unreachable('it did not reject') as never;
}

export function address(name: string, plural = 'networks'): ActorSubject['to'] {
  return { realm: 'openstack', plural, namespace: 'default', name };
}

export function object(name: string): ActorSubject {
  return { to: address(name), topic: 'object' };
}

/** A subscription and what it heard. */
export interface Reader {
  readonly mail: MailboxMessage[];
  replayed: number;
  /** How much had been handed over when the replay was complete. */
  replayedAfter: number;
  newest(name: string): MailboxMessage | undefined;
  close(): Promise<void>;
}

export async function read(bus: Bus, filter: MailboxFilter): Promise<Reader> {
  const newest = new Map<string, MailboxMessage>();
  const reader: Reader = {
    mail: [],
    replayed: 0,
    replayedAfter: 0,
    newest: (name) => newest.get(name),
    close: async () => subscription.close(),
  };
  const subscription: MailboxSubscription = await bus.mailbox.subscribe(filter, {
    onMail(mail) {
      const last = reader.mail.at(-1);
      assert.ok(last === undefined || last.sequence < mail.sequence, 'in the order of the stream (BUS-1)');
      reader.mail.push(mail);
      newest.set(nameOf(mail), mail);
    },
    onReplayed() {
      reader.replayed += 1;
      reader.replayedAfter = reader.mail.length;
    },
  });
  return reader;
}

/** Of whom a value is told. */
export function nameOf({ subject }: MailboxMessage): string {
  return 'to' in subject ? subject.to.name : '';
}

export const everything = (bus: Bus): MailboxFilter => ({ shards: [...new Array(bus.mailbox.shards).keys()] });

/** Stores a value whatever was there, however often that takes. */
export async function store(bus: Bus, name: string, value: number): Promise<number> {
  const publication = await bus.mailbox.publish(object(name), { value }, undefined);
  assert.is(publication.kind, 'stored');
  return publication.kind === 'stored' ? publication.sequence : 0;
}

/** Runs `body` for 0 to `count` - 1, so many at a time. */
export async function each(count: number, atOnce: number, body: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await body(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
