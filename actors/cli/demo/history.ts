// The history of a landscape's objects, from the trace. Pure: events in, states and times out.
import type { TraceEvent } from '../../../bus/mod.ts';
import { ResourceTag } from '../../../machines/external-resource/context.ts';
import { Tag } from '../../../machines/lifecycle.ts';
import type { LandscapeObject } from './landscape.ts';

/** The state of an object, in a word for people. */
export const State = {
  Waiting: 'waiting',
  Creating: 'creating',
  Available: 'available',
  /** State of an object without a lifecycle: a Secret. */
  Present: 'present',
  Unavailable: 'unavailable',
  Retrying: 'retrying',
  Failed: 'failed',
  Held: 'held',
  Deleting: 'deleting',
  Gone: 'gone',
} as const;
export type State = (typeof State)[keyof typeof State];

/** A request to the cloud that was made for an object; instants as everywhere, milliseconds since the epoch. */
export interface CloudCall {
  readonly key: string;
  readonly method: string;
  readonly path: string;
  readonly beganAt: number;
  readonly endedAt: number;
}

export interface Change {
  readonly key: string;
  readonly state: State;
  readonly at: number;
}

/** Word for the tags of a state; the first that fits. */
const STATES: readonly (readonly [tags: readonly string[], state: State])[] = [
  [[Tag.Terminal], State.Failed],
  [[Tag.Failing], State.Retrying],
  [[Tag.Deleting, Tag.Held], State.Held],
  [[Tag.Deleting], State.Deleting],
  [[Tag.Settled, Tag.Available], State.Available],
  [[Tag.Settled], State.Unavailable],
  [[Tag.AwaitsDependencies], State.Waiting],
  [[ResourceTag.AwaitsImport], State.Waiting],
];

const READY: ReadonlySet<State | undefined> = new Set([State.Available, State.Present]);

export class History {
  readonly objects = new Map<string, LandscapeObject>();
  readonly calls: CloudCall[] = [];
  readonly #states = new Map<string, State>();
  /** Time since which an object is in its state. */
  readonly #tags = new Map<string, readonly string[]>();
  readonly #readyAt = new Map<string, number>();
  readonly #wentOnAt = new Map<string, number>();
  readonly #goneAt = new Map<string, number>();
  readonly #recordedAt = new Map<string, number>();
  readonly #retried = new Set<string>();
  readonly #externalIds = new Map<string, string>();
  readonly #namespace: string;
  readonly #keys = new Map<string, string>();

  constructor(namespace: string) {
    this.#namespace = namespace;
  }

  /** From now on the objects are followed; what is known of them stays. */
  expect(objects: readonly LandscapeObject[]): void {
    for (const object of objects) {
      this.objects.set(object.key, object);
      this.#keys.set(`${object.plural}/${object.name}`, object.key);
    }
  }

  /** Takes an event of the trace. Returns what changed for people; nothing for a step that is not worth a line. */
  take({
    actor,
    type,
    data,
    at,
  }: Pick<TraceEvent, 'actor' | 'type' | 'data'> & { readonly at: number }): Change | undefined {
    const key = this.#keys.get(`${actor.plural}/${actor.name}`);
    if (key === undefined || actor.namespace !== this.#namespace) return undefined;
    if (type === 'call') {
      const { method, path, durationMs } = data;
      const beganAt = at - Number(durationMs);
      this.calls.push({ key, method: String(method), path: String(path), beganAt, endedAt: at });
      return undefined;
    }
    const tags = tagsIn(data);
    if (type === 'transition') {
      const wasRecording = this.#tags.get(key)?.includes(ResourceTag.Recording) === true;
      if (wasRecording && !tags.includes(Tag.Failing) && !this.#recordedAt.has(key)) this.#recordedAt.set(key, at);
      this.#tags.set(key, tags);
    }
    if (typeof data['externalId'] === 'string') this.#externalIds.set(key, data['externalId']);
    const before = this.#states.get(key);
    const state = type === 'deleted' ? State.Gone : type === 'transition' ? this.#read(key, tags) : before;
    if (state === undefined || state === before) return undefined;
    this.#states.set(key, state);
    if (state === State.Creating && !this.#wentOnAt.has(key)) this.#wentOnAt.set(key, at);
    if (state === State.Retrying) this.#retried.add(key);
    if (state === State.Gone) this.#goneAt.set(key, at);
    if (READY.has(state) && !this.#readyAt.has(key)) this.#readyAt.set(key, at);
    return { key, state, at };
  }

  state(key: string): State | undefined {
    return this.#states.get(key);
  }

  isReady(key: string): boolean {
    return READY.has(this.state(key));
  }

  /** When the object was ready for the first time. */
  readyAt(key: string): number | undefined {
    return this.#readyAt.get(key);
  }

  /**
   * From when others may rely on the object. One that had to try again, or that makes an object for itself, may be
   * usable, its id stored, while an update is still to come.
   */
  usableAt(key: string): number | undefined {
    const isEarly = this.#retried.has(key) || this.objects.get(key)?.owns === true;
    return (isEarly ? this.#recordedAt.get(key) : undefined) ?? this.#readyAt.get(key);
  }

  /** Time when the object had all it needs for the first time, and its creation began. */
  wentOnAt(key: string): number | undefined {
    return this.#wentOnAt.get(key);
  }

  /** When the object went from Kubernetes. */
  goneAt(key: string): number | undefined {
    return this.#goneAt.get(key);
  }

  /** Ids of all that was made or imported in the cloud. */
  externalIds(): ReadonlySet<string> {
    return new Set(this.#externalIds.values());
  }

  /** Dependencies of the object that are not ready. */
  awaited(key: string): readonly string[] {
    return (this.objects.get(key)?.references ?? []).filter((reference) => !this.isReady(reference));
  }

  /** Objects that refer to the object and are still there. */
  users(key: string): readonly string[] {
    return [...this.objects.values()]
      .filter((other) => other.references.includes(key) && (this.state(other.key) ?? State.Gone) !== State.Gone)
      .map((other) => other.key);
  }

  /** Failed, or in need of something that failed: there is nothing to wait for. */
  isHopeless(key: string): boolean {
    const state = this.state(key);
    if (state === State.Failed || state === State.Unavailable) return true;
    return (this.objects.get(key)?.references ?? []).some((reference) => this.isHopeless(reference));
  }

  /** Waiting for an object that was not applied yet. */
  isBlocked(key: string): boolean {
    const object = this.objects.get(key);
    return object === undefined || object.references.some((reference) => this.isBlocked(reference));
  }

  /** Nothing more is to come: each object is ready, waits for what is not there, or cannot become ready. */
  isSettled(): boolean {
    return [...this.objects.keys()].every(
      (key) => this.isReady(key) || this.isHopeless(key) || (this.isBlocked(key) && this.state(key) === State.Waiting),
    );
  }

  isAllGone(): boolean {
    return [...this.objects.keys()].every((key) => (this.state(key) ?? State.Gone) === State.Gone);
  }

  #read(key: string, tags: readonly string[]): State {
    if (this.objects.get(key)?.kind === 'Secret') return tags.includes(Tag.Deleting) ? State.Held : State.Present;
    return stateOfTags(tags);
  }
}

/** An object that has a lifecycle here. */
export function stateOfTags(tags: readonly string[]): State {
  return STATES.find(([wanted]) => wanted.every((tag) => tags.includes(tag)))?.[1] ?? State.Creating;
}

export function tagsIn({ tags }: TraceEvent['data']): readonly string[] {
  return Array.isArray(tags) ? tags.map(String) : [];
}
