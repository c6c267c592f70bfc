// Requests of the page to its server.
import type { Changes, Chart, Hello, Inspected, Messages, ObjectsSnapshot, Problems, Steps, Trouble } from '../wire.ts';
import { EVENTS, openFeed } from './feed.ts';
import { readable } from './text.ts';

export interface FeedHandlers {
  onSnapshot(snapshot: ObjectsSnapshot): void;
  onChanges(changes: Changes): void;
  /** Problem that the server reports. Undefined: all is well. */
  onTrouble(what: string | undefined): void;
  /** The server itself does not answer. */
  onAway(): void;
  onThere(): void;
}

/** Pause before a closed feed is opened again, in milliseconds. */
const AGAIN_MS = 3_000;
/** The server sends a heartbeat every 15 seconds; silence for this time means that it is away, in milliseconds. */
const SILENCE_MS = 40_000;

/** Follows the feed while the page is open; the browser reconnects. */
export function follow(handlers: FeedHandlers): void {
  const { source, events } = openFeed();
  let heardAt = Date.now();
  const takers: Readonly<Record<(typeof EVENTS)[number], (data: string) => void>> = {
    snapshot: (data) => {
      handlers.onTrouble(undefined);
      handlers.onSnapshot(parsed<ObjectsSnapshot>(data));
    },
    changes: (data) => handlers.onChanges(parsed<Changes>(data)),
    problem: (data) => handlers.onTrouble(parsed<Trouble>(data).what),
    beat: () => handlers.onThere(),
  };
  const take = ({ type, data }: MessageEvent<string>): void => {
    heardAt = Date.now();
    takers[type as (typeof EVENTS)[number]](data);
  };
  for (const name of EVENTS) source.addEventListener(name, take);
  for (const event of events) take(event);
  // A lost network sends nothing.
  const watch = setInterval(() => {
    if (Date.now() - heardAt > SILENCE_MS) handlers.onAway();
  }, AGAIN_MS);
  const onError = (): void => {
    handlers.onAway();
    // Refused for good, as with a token that is right no more.
    if (source.readyState !== EventSource.CLOSED) return;
    clearInterval(watch);
    setTimeout(() => follow(handlers), AGAIN_MS);
  };
  source.addEventListener('error', onError);
  if (source.readyState === EventSource.CLOSED) onError();
}

function parsed<Data>(text: string): Data {
  return JSON.parse(readable(text)) as Data;
}

export const server = {
  hello: () => ask<Hello>('hello'),
  history: (since: number) => ask<Steps>(`history?since=${Math.floor(since)}`),
  object: (key: string) => ask<Inspected>(`object?key=${encodeURIComponent(key)}`),
  messages: (keys: readonly string[]) => ask<Messages>(`messages?keys=${keys.map(encodeURIComponent).join()}`),
  problems: () => ask<Problems>('problems'),
  machine: (name: string) => ask<Chart>(`machines/${encodeURIComponent(name)}`),
};

async function ask<Answer>(path: string): Promise<Answer> {
  const response = await fetch(`/api/${path}`);
  if (!response.ok)
    throw new Error(readable(await response.text()).trim() || `${response.status} ${response.statusText}`);
  return parsed<Answer>(await response.text());
}
