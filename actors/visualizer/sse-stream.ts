// The feed of one page: server-sent events at the pace of its reader (UI-SERVER-2 of server.ts).
import type { ServerResponse } from 'node:http';
import type { Clock, Timer } from '../../bus/mod.ts';
import type { Changes, FeedListener, ObjectsSnapshot, Step, Tree, Trouble } from './wire.ts';

/** Period of keep-alives for proxies, in milliseconds. */
const BEAT_MS = 15_000;
/** Steps that wait for a slow reader. */
const STEPS = 2_000;

export class SseStream implements FeedListener {
  readonly #response: ServerResponse;
  readonly #clock: Clock;
  #timer: Timer | undefined;
  /** The reader has not taken all that was written. */
  #isFull = false;
  #snapshot: ObjectsSnapshot | undefined;
  #trees = new Map<string, Tree>();
  #gone = new Set<string>();
  #steps: Step[] = [];
  #missed = 0;
  #at = 0;
  #problem: Trouble | undefined;

  constructor(response: ServerResponse, clock: Clock) {
    this.#response = response;
    this.#clock = clock;
    response.writeHead(200, {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-store',
      // Proxies must not buffer it.
      'X-Accel-Buffering': 'no',
    });
    response.flushHeaders();
    response.on('drain', () => {
      this.#isFull = false;
      this.#flush();
    });
    this.#beat();
  }

  onSnapshot(snapshot: ObjectsSnapshot): void {
    this.#snapshot = snapshot;
    this.#trees.clear();
    this.#gone.clear();
    this.#flush();
  }

  onChanges({ at, trees, gone, steps, missed }: Changes): void {
    this.#at = at;
    for (const key of gone) {
      this.#trees.delete(key);
      this.#gone.add(key);
    }
    for (const tree of trees) {
      this.#gone.delete(tree.key);
      this.#trees.set(tree.key, tree);
    }
    this.#missed += missed;
    this.#steps.push(...steps);
    const excess = this.#steps.length - STEPS;
    if (excess > 0) {
      this.#steps.splice(0, excess);
      this.#missed += excess;
    }
    this.#flush();
  }

  onTrouble(problem: Trouble): void {
    this.#problem = problem;
    this.#flush();
  }

  close(): void {
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#response.end();
  }

  #flush(): void {
    if (this.#isFull || this.#response.writableEnded) return;
    if (this.#snapshot !== undefined) this.#say('snapshot', this.#snapshot);
    this.#snapshot = undefined;
    // Snapshot first, problem second: a snapshot clears the banner of the page.
    if (this.#problem !== undefined) this.#say('problem', this.#problem);
    this.#problem = undefined;
    if (this.#trees.size + this.#gone.size + this.#steps.length + this.#missed === 0) return;
    const changes: Changes = {
      at: this.#at,
      trees: [...this.#trees.values()],
      gone: [...this.#gone],
      steps: this.#steps,
      missed: this.#missed,
    };
    this.#trees = new Map();
    this.#gone = new Set();
    this.#steps = [];
    this.#missed = 0;
    this.#say('changes', changes);
  }

  #say(event: string, data: object): void {
    // JSON holds no line break.
    if (!this.#response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)) this.#isFull = true;
  }

  #beat(): void {
    this.#timer = this.#clock.setTimeout(() => {
      if (!this.#isFull) this.#response.write('event: beat\ndata: 0\n\n');
      this.#beat();
    }, BEAT_MS);
  }
}
