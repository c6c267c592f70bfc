// The simulated cloud without its wire, and what may happen to a request on the way there and back.

import type { Transport, TransportRequest, TransportResponse } from '../../adapters/http/transport.ts';
import { type Fault, type Fetch, type SimulatedCloud, simulatedCloud } from '../../adapters/simulated/openstack/mod.ts';
import { TransientError, UnknownOutcomeError } from '../../bus/mod.ts';
import { madeFor } from './made-for.ts';
import { fetchFile, type PieceFate } from './models/resources/files.ts';
import { deedOf } from './models/resources/requests.ts';
import { upload } from './models/resources/uploads.ts';
import type { ProcessClock, SimulatedTime } from './time.ts';

/** One request as it lands in the cloud. */
export interface Landing {
  readonly pod: string;
  readonly service: string;
  readonly method: string;
  /** Below the version, without query. */
  readonly path: string;
  readonly body: unknown;
  /** Of the object that it is made for. */
  readonly uid: string;
  /** Its sender has given up. */
  readonly isLate?: true;
}

/** What becomes of one request; nothing given: it is served. */
export type Misfortune = Pick<Fault, 'status' | 'delayMs' | 'garbage' | 'dropBeforeWork' | 'dropAfterWork'> & {
  /** It is served, and answered as if it had failed. */
  readonly failsAfterWork?: true;
  /** It is served so long after its deadline, in milliseconds, and nobody hears of that. */
  readonly landsAfterDeadlineMs?: number;
  /** It is not served, and answered as if it had been: with what is there, or with nothing. */
  readonly lies?: true;
  /** With `status`: when to come again, in milliseconds. */
  readonly retryAfterMs?: number;
};

export interface CloudWatcher {
  /** Decides what happens to a request that is sent. */
  misfortune(landing: Landing): Misfortune | undefined;
  /** Just before it is served. */
  onLanding(landing: Landing): void;
  /** What it was answered; `served`: something was done for it. */
  onAnswer(landing: Landing, status: number, body: unknown, served: boolean): void;
  /** The cloud has stored something else than it was sent. */
  onSpoilt(landing: Landing): void;
  /** Of the next message, in milliseconds. */
  latencyMs(): number;
  /** Of the next piece of a file that a process downloads. */
  pieceFate(): PieceFate;
}

const ORIGIN = 'http://cloud.test';
/** How long a server is built, and removed, in milliseconds. */
const SERVER_WORK_MS = 2_500;
/** The same of a volume. */
const VOLUME_WORK_MS = 1_200;
/** The services as their kinds name them, by where they are. */
const SERVICES: Readonly<Record<string, string>> = {
  identity: 'identity',
  network: 'network',
  compute: 'compute',
  volume: 'block-storage',
  share: 'shared-file-system',
  image: 'image',
};
const VERSIONS: Readonly<Record<string, string>> = {
  identity: 'v3',
  network: 'v2.0',
  compute: 'v2.1',
  volume: 'v3',
  share: 'v2',
  image: 'v2',
};

export function newCloud(clock: ProcessClock): SimulatedCloud {
  const fetch: Fetch = (uri, sink) => fetchFile(clock, uri, sink);
  return simulatedCloud({ clock, fetch, serverWorkMs: SERVER_WORK_MS, volumeWorkMs: VOLUME_WORK_MS }, () => ORIGIN);
}

/** How a request reaches the cloud that is no process's: an operator's. */
export function urlOf(service: string, path: string, projectId: string): string {
  const root = Object.entries(SERVICES).find(([, name]) => name === service)?.[0] ?? service;
  const version = VERSIONS[root] ?? '';
  return `/${root}/${version}${root === 'volume' ? `/${projectId}` : ''}${path}`;
}

/** How one process reaches the cloud. @param uploads  the ways to end those that are under way, as its end does */
export function transport(
  pod: string,
  cloud: SimulatedCloud,
  time: SimulatedTime,
  clock: ProcessClock,
  watcher: CloudWatcher,
  uploads: Set<() => void>,
): Transport {
  return {
    close: async () => undefined,
    exchange: (request) =>
      new Promise((resolve, reject) => {
        const { label, deadlineAt } = request;
        const leftMs = deadlineAt - clock.now();
        if (leftMs <= 0) return reject(new TransientError(`${label} was not sent: its deadline had passed`));
        const landing = landingOf(pod, request);
        const { delayMs = 0, ...fate } = watcher.misfortune(landing) ?? {};
        const late = clock.setTimeout(
          () => reject(new UnknownOutcomeError(`${label} was not answered by its deadline`)),
          leftMs,
        );
        const arriveMs = watcher.latencyMs() + delayMs;
        if (fate.landsAfterDeadlineMs !== undefined) {
          time.after(leftMs + fate.landsAfterDeadlineMs, () =>
            serve(cloud, request, {}, { ...landing, isLate: true }, watcher),
          );
          return;
        }
        // A request whose sender has given up has died on the way.
        if (arriveMs >= leftMs) return;
        const answer = (settle: () => void): void => {
          clock.setTimeout(() => {
            clock.clearTimeout(late);
            settle();
          }, watcher.latencyMs());
        };
        const broken = (): void => reject(new UnknownOutcomeError(`${label} failed: the connection was closed`));
        time.after(arriveMs, () => {
          if (request.stream !== undefined) {
            clock.clearTimeout(late);
            // Its content was with a process that has ended.
            if (clock.isEnded) return;
            if (request.stream.signal.aborted) {
              reject(new TransientError(`${label} was ended`));
              return;
            }
            const at = request.url.slice(ORIGIN.length);
            const to = {
              answered: (answered: TransportResponse) => answer(() => resolve(answered)),
              failed: (error: unknown) => answer(() => reject(error)),
            };
            uploads.add(upload({ cloud, request, at, fate, landing, watcher }, to));
            return;
          }
          if (fate.dropBeforeWork) return answer(broken);
          const answered = serve(cloud, request, fate, landing, watcher);
          if (fate.dropAfterWork) return answer(broken);
          answer(() => (answered instanceof Error ? reject(answered) : resolve(answered)));
        });
      }),
  };
}

function serve(
  cloud: SimulatedCloud,
  { method, url, headers, body, label }: TransportRequest,
  fate: Misfortune,
  landing: Landing,
  watcher: CloudWatcher,
): TransportResponse | Error {
  const at = url.slice(ORIGIN.length);
  const asked = cloud.parse(method, at, lowered(headers), body === undefined ? '' : JSON.stringify(body));
  if (asked === undefined) return new TransientError(`${label} answered 404 with JSON that is not an object`);
  if (fate.status !== undefined) {
    watcher.onAnswer(landing, fate.status, {}, false);
    return { status: fate.status, body: {}, subjectToken: undefined, retryAfterMs: fate.retryAfterMs };
  }
  if (fate.lies && method !== 'GET' && landing.path !== '/auth/tokens') {
    // What it would look like, had it been done: the body of a change is the resource as it is.
    const shown =
      method === 'PUT' || method === 'PATCH' ? cloud.answer({ ...asked, method: 'GET', body: 'absent' }) : undefined;
    const status = method === 'DELETE' ? 204 : (shown?.status ?? 500);
    watcher.onAnswer(landing, status, {}, false);
    return { status, body: plain(shown?.body), subjectToken: undefined, retryAfterMs: undefined };
  }
  // What comes late may be refused: then nothing was done, and there is nothing to judge.
  if (landing.isLate !== true) watcher.onLanding(landing);
  const reply = cloud.answer(asked);
  if (landing.isLate === true && reply.status < 300) watcher.onLanding(landing);
  watcher.onAnswer(landing, reply.status, reply.body, reply.status < 300);
  if (fate.failsAfterWork) return { status: 500, body: {}, subjectToken: undefined, retryAfterMs: undefined };
  if (fate.garbage !== undefined || reply.html !== undefined) {
    // As the real transport says it: success in another's words may be the service's success.
    const Garbage = reply.status < 300 ? UnknownOutcomeError : TransientError;
    return new Garbage(`${label} answered ${reply.status} with something that is not JSON`);
  }
  const subjectToken = reply.headers?.['X-Subject-Token'];
  return { status: reply.status, body: plain(reply.body), subjectToken, retryAfterMs: undefined };
}

/** Whether something is to be made that an object stands for. */
export function isCreate(landing: Landing): boolean {
  return deedOf(landing)?.what === 'make';
}

/** Headers as they come off the wire. */
export function lowered(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** As it comes off the wire: nothing of it is the cloud's own. */
function plain(body: unknown): TransportResponse['body'] {
  return body === undefined || body === null ? {} : (JSON.parse(JSON.stringify(body)) as TransportResponse['body']);
}

function landingOf(pod: string, { method, url, headers, body }: TransportRequest): Landing {
  const [, root = '', , below = ''] = /^\/([a-z]+)\/(v[0-9.]+)([^?]*)/.exec(url.slice(ORIGIN.length)) ?? [];
  // Block storage has the project that speaks in between.
  const path = root === 'volume' ? below.replace(/^\/[^/]+/, '') : below;
  return { pod, service: SERVICES[root] ?? root, method, path, body, uid: madeFor(headers['traceparent']) };
}
