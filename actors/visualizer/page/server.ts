// Requests of the page to its server.
import type { Changes, Chart, Forest, Hello, Inspected, Messages, Problems, Steps, Trouble } from '../wire.ts';
import { readable } from './text.ts';

export interface FeedHandlers {
  onForest(forest: Forest): void;
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
  const feed = new EventSource('/api/feed');
  let heardAt = Date.now();
  const hear = <Data>(name: string, take: (data: Data) => void): void =>
    feed.addEventListener(name, ({ data }) => {
      heardAt = Date.now();
      take(JSON.parse(readable(data as string)) as Data);
    });
  hear<Forest>('forest', (forest) => {
    handlers.onTrouble(undefined);
    handlers.onForest(forest);
  });
  hear<Changes>('changes', (changes) => handlers.onChanges(changes));
  hear<Trouble>('problem', ({ what }) => handlers.onTrouble(what));
  hear<unknown>('beat', () => handlers.onThere());
  // A lost network sends nothing.
  const watch = setInterval(() => {
    if (Date.now() - heardAt > SILENCE_MS) handlers.onAway();
  }, AGAIN_MS);
  feed.addEventListener('error', () => {
    handlers.onAway();
    // Refused for good, as with a token that is right no more.
    if (feed.readyState !== EventSource.CLOSED) return;
    clearInterval(watch);
    setTimeout(() => follow(handlers), AGAIN_MS);
  });
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
  return JSON.parse(readable(await response.text())) as Answer;
}
