// The print shop without its wire, as the adapter of one process asks it, and what may happen to a request on the way there
// and back. A print that was begun is told of line by line, for as long as it takes.
import { configure } from '../../../../actors/process/adapters.ts';
import type { ConfiguredAdapter } from '../../../../adapters/api/adapter.ts';
import type { Operation } from '../../../../machines/kind.ts';
import { pressAdapter } from '../../../example-adapter/adapter.ts';
import type { SimulatedShop } from '../../../example-adapter/simulated-shop.ts';
import type { Landing, Misfortune } from '../../clouds.ts';
import type { ProcessClock, SimulatedTime } from '../../time.ts';

/** How long a sheet takes to print, in milliseconds. */
export const SHEET_MS = 700;
/** A print that was asked for begins so long after it was sent, or never, in milliseconds. */
export const LANDS_WITHIN_MS = 3_000;
const ORIGIN = 'http://press.test';

/** What becomes of one request; nothing given: it is served. */
export type ShopMisfortune = Misfortune & {
  /** The connection is closed at once; it is served so long after it was sent, as far as the shop may, in milliseconds. */
  readonly landsAfterMs?: number;
};

export interface ShopWatcher {
  misfortune(landing: Landing): ShopMisfortune | undefined;
  onLanding(landing: Landing): void;
  onAnswer(landing: Landing, status: number, body: object, served: boolean): void;
  latencyMs(): number;
  /** Whether the connection of a print breaks before the next line. */
  breaks(): boolean;
}

export interface ShopLine {
  readonly pod: string;
  readonly shop: SimulatedShop;
  readonly time: SimulatedTime;
  /** Of the process. */
  readonly clock: ProcessClock;
  readonly watcher: ShopWatcher;
}

/** The adapter of the print shop for one process; only its `fetch` is not its own. */
export function pressOver(line: ShopLine): ConfiguredAdapter {
  /** Of the operation that is about to ask: it asks before it waits for anything. */
  let deadlineAt: number | undefined;
  const fetch = shopFetch(line, () => deadlineAt);
  const adapter = configure(pressAdapter({ fetch }), {
    PRESS_URL: ORIGIN,
    PRESS_LANDS_WITHIN_MS: String(LANDS_WITHIN_MS),
  });
  const timed =
    (operation: Operation): Operation =>
    (request: { readonly deadlineAt?: number }) => {
      deadlineAt = request.deadlineAt;
      return operation(request as never);
    };
  return {
    ...adapter,
    async serve(ports) {
      const { operations, close } = await adapter.serve(ports);
      const all = Object.entries(operations).map(([plural, own]) => [
        plural,
        Object.fromEntries(Object.entries(own).map(([name, operation]) => [name, timed(operation)])),
      ]);
      return { operations: Object.fromEntries(all), close };
    },
  };
}

function shopFetch(line: ShopLine, deadlineOf: () => number | undefined): typeof globalThis.fetch {
  const { pod, shop, time, clock, watcher } = line;
  return (input, { method = 'GET', body, signal } = {}) =>
    new Promise((resolve, reject) => {
      const url = String(input).slice(ORIGIN.length);
      const text = typeof body === 'string' ? body : '';
      const landing = landingOf(pod, shop, method, url, text);
      const fate = watcher.misfortune(landing) ?? {};
      const sentAt = clock.now();
      const deadlineAt = deadlineOf();
      let isOver = signal?.aborted === true;
      const abort = (): void => {
        isOver = true;
        reject(signal?.reason);
      };
      if (isOver) return abort();
      signal?.addEventListener('abort', abort, { once: true });
      const answer = (settle: () => void): void => {
        clock.setTimeout(settle, watcher.latencyMs());
      };
      const broken = (): void => reject(new TypeError('the connection was closed'));
      const request = { method, path: url, text };
      if (fate.landsAfterMs !== undefined) {
        const latestAt = deadlineAt === undefined ? sentAt + LANDS_WITHIN_MS : deadlineAt;
        const landsAt = Math.min(sentAt + fate.landsAfterMs, latestAt - 1);
        time.after(
          landsAt - sentAt,
          () => void serve(line, request, {}, { ...landing, isLate: true }, () => undefined),
        );
        return answer(broken);
      }
      const arriveAt = sentAt + watcher.latencyMs();
      // A request whose sender has given up has died on the way.
      if (arriveAt >= (deadlineAt ?? Number.POSITIVE_INFINITY)) return;
      time.after(arriveAt - sentAt, () => {
        if (isOver) return;
        if (fate.dropBeforeWork) return answer(broken);
        const reported = lines(line, signal ?? undefined);
        const answered = serve(line, request, fate, landing, reported.report);
        if (fate.dropAfterWork) return answer(broken);
        if (answered.printed === undefined) return answer(() => resolve(answered.response()));
        answered.printed.then(reported.end);
        answer(() => resolve(new Response(reported.body)));
      });
    });
}

interface Served {
  readonly response: () => Response;
  readonly printed?: Promise<void>;
}

function serve(
  { shop, watcher }: ShopLine,
  request: Parameters<SimulatedShop['answer']>[0],
  fate: ShopMisfortune,
  landing: Landing,
  report: (line: object) => void,
): Served {
  // As it is now: what is told of it may change on the way.
  const says = (status: number, body: object): Served => {
    const said = JSON.stringify(body);
    return { response: () => new Response(said, { status }) };
  };
  if (fate.status !== undefined) {
    // What it would have another spec for, it refuses as a bad request.
    const status = fate.status === 409 ? 400 : fate.status;
    watcher.onAnswer(landing, status, {}, false);
    return says(status, { message: 'out of order' });
  }
  // Whoever gives a slot back trusts the shop with that.
  if (fate.lies && request.method !== 'GET' && !landing.path.startsWith('/slots')) {
    watcher.onAnswer(landing, 200, {}, false);
    return says(200, {});
  }
  watcher.onLanding(landing);
  const { status, body, printed } = shop.answer(request, report);
  watcher.onAnswer(landing, status, body, status < 300);
  if (fate.failsAfterWork) return says(500, { message: 'out of order' });
  if (fate.garbage !== undefined) return { response: () => new Response(fate.garbage, { status }) };
  return { ...says(status, body), ...(printed !== undefined && { printed }) };
}

/** The lines of a print on their way to the process that listens, in their order. */
function lines(
  { clock, watcher }: ShopLine,
  signal: AbortSignal | undefined,
): { readonly body: ReadableStream; readonly report: (line: object) => void; readonly end: () => void } {
  const encoder = new TextEncoder();
  let lastAt = 0;
  let isOpen = true;
  const later = (run: () => void): void => {
    const now = clock.now();
    lastAt = Math.max(lastAt, now + watcher.latencyMs());
    clock.setTimeout(() => isOpen && run(), lastAt - now);
  };
  let fail = (_: unknown): void => undefined;
  let write = (_: Uint8Array): void => undefined;
  let close = (): void => undefined;
  const body = new ReadableStream({
    start(controller) {
      write = (chunk) => controller.enqueue(chunk);
      close = () => controller.close();
      fail = (reason) => {
        if (isOpen) controller.error(reason);
        isOpen = false;
      };
    },
    cancel: () => {
      isOpen = false;
    },
  });
  signal?.addEventListener('abort', () => fail(signal.reason), { once: true });
  return {
    body,
    report(line) {
      if (watcher.breaks()) later(() => fail(new TypeError('the connection was closed')));
      else later(() => write(encoder.encode(`${JSON.stringify(line)}\n`)));
    },
    end: () =>
      later(() => {
        isOpen = false;
        close();
      }),
  };
}

export function isPrint({ method, path }: Pick<Landing, 'method' | 'path'>): boolean {
  return method === 'POST' && path.endsWith('/prints');
}

/** Whether something is to be made that an object stands for, or that must not be made twice. */
export function isMaking({ method, path }: Pick<Landing, 'method' | 'path'>): boolean {
  return method === 'PUT' || (method === 'POST' && path === '/rolls') || isPrint({ method, path });
}

/** Everything in the shop goes by the uid of an object. */
function landingOf(pod: string, shop: SimulatedShop, method: string, url: string, text: string): Landing {
  const [path = '', query = ''] = url.split('?');
  const [, collection, name = ''] = path.split('/');
  const body: unknown = text === '' ? undefined : JSON.parse(text);
  const roll = shop.rolls.get(name)?.name ?? (body as { readonly name?: string } | undefined)?.name;
  const uid = collection === 'slots' ? name : (roll ?? new URLSearchParams(query).get('name') ?? '');
  return { pod, service: 'print-shop', method, path, body, uid };
}
