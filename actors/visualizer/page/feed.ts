// Feed of the page: opened while the rest of the page is still loaded, so that the objects arrive meanwhile.

export const EVENTS = ['snapshot', 'changes', 'problem', 'beat'] as const;
const PATH = '/api/feed';

/** Events before the first subscriber. */
let kept: MessageEvent<string>[] = [];
/** Undefined without a browser, or once a subscriber has it. */
let early: EventSource | undefined = typeof EventSource === 'undefined' ? undefined : new EventSource(PATH);
for (const name of EVENTS) early?.addEventListener(name, keep);

function keep(event: MessageEvent<string>): void {
  kept.push(event);
}

export interface Feed {
  readonly source: EventSource;
  /** Events so far, oldest first. */
  readonly events: readonly MessageEvent<string>[];
}

/** Returns the feed that is open already, and later a new one at each call. */
export function openFeed(): Feed {
  const [source, events] = [early ?? new EventSource(PATH), kept];
  for (const name of EVENTS) source.removeEventListener(name, keep);
  early = undefined;
  kept = [];
  return { source, events };
}
