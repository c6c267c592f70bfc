// Egress policy of downloads from URLs that users specify. Users who can write an object choose a host that the process
// connects to from its own network (SSRF), as with clouds: the same hosts are denied.
//
// Invariants:
//   OS-DOWNLOAD-POLICY-1. Every hop of a redirection is judged as the first one, and connected to as it was judged (HTTP-EGRESS-POLICY-1).
//   OS-DOWNLOAD-POLICY-2. Only the host of a URL is ever printed: its path, its query and its user may be secrets.
//   OS-DOWNLOAD-POLICY-3. What did not arrive as a whole, or not as what was asked for, fails: no error page is taken for content.
//   OS-DOWNLOAD-POLICY-4. Nothing is ever buffered: only requested bytes are read.
import { TerminalError, TransientError } from '../../../bus/errors.ts';
import type { Clock } from '../../../bus/time.ts';
import { hostOf } from '../../http/egress-policy.ts';
import type { ProxySettings } from '../../http/proxies.ts';
import { header, newAgent, type Reach, reason } from '../../http/transport.ts';
import { type Dispatcher, request } from '../../http/undici.ts';
import { DownloadLimiter } from './download-limiter.ts';

export interface Download {
  /** Undefined: the host does not say. */
  readonly totalBytes: number | undefined;
  /** Can be read once. @throws {TransientError} it broke off, or has stalled */
  readonly chunks: AsyncIterable<Uint8Array>;
}

export interface Downloads {
  /**
   * Begins a download.
   *
   * @param signal  ends it
   * @throws {TerminalError} the URL is none that can be downloaded from
   * @throws {TransientError} it is not reached, or answers anything but the whole content
   */
  open(url: string, signal: AbortSignal): Promise<Download>;
  /** Runs when it is the namespace's turn. @throws {TransientError} it was aborted before; as `run` */
  inTurn(namespace: string, signal: AbortSignal, run: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

export interface DownloadsDeps {
  clock: Clock;
  reach: Reach;
  version: string;
  proxy?: ProxySettings | undefined;
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const MOST_REDIRECTS = 10;
/** A host that sends nothing for so long has stalled, in milliseconds. */
const STALL_MS = 60_000;

export function downloads({ clock, reach: clouds, version, proxy }: DownloadsDeps): Downloads {
  const reach = clouds.forThe('downloads');
  const turns = new DownloadLimiter();
  const agent = newAgent({ ca: undefined, verify: 'verified' }, proxy, reach);

  /** One hop. */
  const get = async (url: URL, signal: AbortSignal): Promise<Dispatcher.ResponseData> => {
    const named = new URL(url);
    named.username = named.password = named.hash = '';
    const login = loginOf(url);
    return request(named.href, {
      method: 'GET',
      dispatcher: agent,
      signal,
      headers: {
        'user-agent': `troupe/${version}`,
        // The checksum is that of the file, not of what a host makes of it on the way.
        'accept-encoding': 'identity',
        ...(login ? { authorization: `Basic ${Buffer.from(login).toString('base64')}` } : {}),
      },
    });
  };

  return {
    async open(text, signal) {
      let url = downloadUrl(text);
      const patience = new Patience(clock, signal);
      try {
        for (let hops = 0; hops <= MOST_REDIRECTS; hops++) {
          const host = hostOf(url);
          const hop = url;
          const answer = await patience.wait(async () => {
            reach.checkUrl(hop);
            return get(hop, patience.signal);
          }, `'${host}'`);
          const { statusCode: status, body, headers } = answer;
          const location = header(headers['location']);
          if (status === 200) {
            const length = Number(header(headers['content-length']) ?? Number.NaN);
            return {
              totalBytes: Number.isSafeInteger(length) ? length : undefined,
              chunks: chunksOf(body, host, patience),
            };
          }
          letGo(body);
          if (!REDIRECTS.has(status) || location === undefined)
            throw new TransientError(`the download from '${host}' was answered ${status}`);
          url = redirected(location, url);
        }
        throw new TransientError(`the download from '${hostOf(url)}' is redirected more than ${MOST_REDIRECTS} times`);
      } catch (error) {
        patience.end();
        throw error;
      }
    },
    inTurn: (namespace, signal, run) => turns.run(namespace, signal, run),
    close: () => agent.destroy(),
  };
}

/**
 * The URL of something that is fetched, by Troupe or by the cloud for it.
 *
 * @throws {TerminalError} it is none of HTTP or HTTPS
 */
export function downloadUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !isHttp(url) || loginOf(url) === undefined)
    throw new TerminalError('the URL of a download must be one of HTTP or HTTPS');
  return url;
}

/** @throws {TransientError} the host may say something else next time */
function redirected(location: string, from: URL): URL {
  const url = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  if (url === undefined || !isHttp(url) || loginOf(url) === undefined)
    throw new TransientError(`the download from '${hostOf(from)}' is redirected to what is no URL of HTTP or HTTPS`);
  return url;
}

/** User and password, empty without any; undefined: they are no text. */
function loginOf({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return '';
  try {
    return `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  } catch {
    return undefined;
  }
}

function isHttp({ protocol, hostname }: URL): boolean {
  return (protocol === 'http:' || protocol === 'https:') && hostname !== '';
}

/** The body has no reader any more, so its errors are ignored. */
function letGo(body: Dispatcher.ResponseData['body']): void {
  body.on('error', () => undefined);
  body.destroy();
}

async function* chunksOf(
  body: Dispatcher.ResponseData['body'],
  host: string,
  patience: Patience,
): AsyncGenerator<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await patience.wait(() => chunks.next(), `'${host}'`);
      if (done) return;
      yield value as Uint8Array;
    }
  } finally {
    patience.end();
    letGo(body);
  }
}

/** Timeout of a host that restarts whenever the host sends something. */
class Patience {
  readonly #clock: Clock;
  readonly #given: AbortSignal;
  readonly #abort = new AbortController();
  readonly signal: AbortSignal;

  constructor(clock: Clock, given: AbortSignal) {
    this.#clock = clock;
    this.#given = given;
    this.signal = AbortSignal.any([given, this.#abort.signal]);
  }

  /** @throws {TransientError} with the host's name, which nothing else of the URL goes along with (OS-DOWNLOAD-POLICY-2) */
  async wait<T>(step: () => Promise<T>, host: string): Promise<T> {
    let isStalled = false;
    const timer = this.#clock.setTimeout(() => {
      isStalled = true;
      this.#abort.abort();
    }, STALL_MS);
    try {
      return await step();
    } catch (error) {
      // The egress error for clouds mentions credentials, which do not matter here.
      if (error instanceof TransientError) throw new TransientError(`the download is refused: ${error.message}`);
      if (isStalled) throw new TransientError(`the download from ${host} has stalled`);
      if (this.#given.aborted) throw new TransientError(`the download from ${host} was ended`);
      throw new TransientError(`the download from ${host} failed: ${reason(error)}`, { cause: error });
    } finally {
      this.#clock.clearTimeout(timer);
    }
  }

  end(): void {
    this.#abort.abort();
  }
}
