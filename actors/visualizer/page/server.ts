// What the page asks its server.
import type { Changes, ChartNode, Forest, Hello, Inspected, Messages, Problems, Steps, Trouble } from '../wire.ts';
import { readable } from './text.ts';

export interface FeedHandlers {
  onForest(forest: Forest): void;
  onChanges(changes: Changes): void;
  /** Undefined: all is well. */
  onTrouble(what: string | undefined): void;
}

/** Follows the feed for as long as the page is open; the browser connects again by itself. */
export function follow(handlers: FeedHandlers): void {
  const feed = new EventSource('/api/feed');
  const hear = <Data>(name: string, take: (data: Data) => void): void =>
    feed.addEventListener(name, ({ data }) => take(JSON.parse(readable(data as string)) as Data));
  hear<Forest>('forest', (forest) => {
    handlers.onTrouble(undefined);
    handlers.onForest(forest);
  });
  hear<Changes>('changes', (changes) => handlers.onChanges(changes));
  hear<Trouble>('problem', ({ what }) => handlers.onTrouble(what));
  feed.addEventListener('error', () => {
    handlers.onTrouble('the server is away; connecting again');
    // Refused for good, as with a token that is right no more.
    if (feed.readyState === EventSource.CLOSED) setTimeout(() => follow(handlers), AGAIN_MS);
  });
}

/** Pause before a feed that ended for good is tried anew, in milliseconds. */
const AGAIN_MS = 3_000;

export const server = {
  hello: () => ask<Hello>('hello'),
  history: (since: number) => ask<Steps>(`history?since=${Math.floor(since)}`),
  object: (key: string) => ask<Inspected>(`object?key=${encodeURIComponent(key)}`),
  messages: (keys: readonly string[]) => ask<Messages>(`messages?keys=${keys.map(encodeURIComponent).join()}`),
  problems: () => ask<Problems>('problems'),
  machine: (name: string) => ask<ChartNode>(`machines/${encodeURIComponent(name)}`),
};

async function ask<Answer>(path: string): Promise<Answer> {
  const response = await fetch(`/api/${path}`);
  if (!response.ok)
    throw new Error(readable(await response.text()).trim() || `${response.status} ${response.statusText}`);
  return JSON.parse(readable(await response.text())) as Answer;
}
