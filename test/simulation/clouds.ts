// The simulated cloud without its wire, and what may happen to a request on the way there and back.
import { type Fault, type SimulatedCloud, simulatedCloud } from '../../adapters/openstack/simulator/mod.ts';
import type { Transport, TransportAnswer, TransportRequest } from '../../adapters/openstack/transport.ts';
import { TransientError, UnansweredError } from '../../bus/mod.ts';
import { madeFor } from './made-for.ts';
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
};

export interface CloudWatcher {
  /** Decides what happens to a request that is sent. */
  misfortune(landing: Landing): Misfortune | undefined;
  /** Just before it is served. */
  onLanding(landing: Landing): void;
  /** What it was answered; `served`: something was done for it. */
  onAnswer(landing: Landing, status: number, body: unknown, served: boolean): void;
  /** Of the next message, in milliseconds. */
  latencyMs(): number;
}

const ORIGIN = 'http://cloud.test';

export function newCloud(clock: ProcessClock): SimulatedCloud {
  return simulatedCloud({ clock }, () => ORIGIN);
}

/** How one process reaches the cloud. */
export function transport(
  pod: string,
  cloud: SimulatedCloud,
  time: SimulatedTime,
  clock: ProcessClock,
  watcher: CloudWatcher,
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
          () => reject(new UnansweredError(`${label} was not answered by its deadline`)),
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
        const broken = (): void => reject(new UnansweredError(`${label} failed: the connection was closed`));
        time.after(arriveMs, () => {
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
): TransportAnswer | Error {
  const at = url.slice(ORIGIN.length);
  const asked = cloud.parse(method, at, headers, body === undefined ? '' : JSON.stringify(body));
  if (asked === undefined) return new TransientError(`${label} answered 404 with JSON that is not an object`);
  if (fate.status !== undefined) {
    watcher.onAnswer(landing, fate.status, {}, false);
    return { status: fate.status, body: {}, subjectToken: undefined, retryAfterMs: undefined };
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
    const Garbage = reply.status < 300 ? UnansweredError : TransientError;
    return new Garbage(`${label} answered ${reply.status} with something that is not JSON`);
  }
  const subjectToken = reply.headers?.['X-Subject-Token'];
  return { status: reply.status, body: plain(reply.body), subjectToken, retryAfterMs: undefined };
}

/** Whether something is to be made that an object stands for. */
export function isCreate({ method, path }: Landing): boolean {
  return (
    (method === 'POST' && /^\/(networks|subnets|ports|routers|security-groups|domains|projects)$/.test(path)) ||
    path.endsWith('/add_router_interface')
  );
}

/** As it comes off the wire: nothing of it is the cloud's own. */
function plain(body: unknown): TransportAnswer['body'] {
  return body === undefined || body === null ? {} : (JSON.parse(JSON.stringify(body)) as TransportAnswer['body']);
}

function landingOf(pod: string, { method, url, headers, body }: TransportRequest): Landing {
  const [, service = '', , path = ''] = /^\/(identity|network)\/(v[0-9.]+)([^?]*)/.exec(url.slice(ORIGIN.length)) ?? [];
  return { pod, service, method, path, body, uid: madeFor(headers['traceparent']) };
}
