// The connection to NATS: made with what the deployment gives, kept for ever, and honest about being away.
//
// Invariants:
//   BUS-CONNECTION-1. Nothing is sent while the connection is away: what waited would arrive before the epoch is checked.
//   BUS-CONNECTION-2. A request under way when the connection breaks rejects at once; whether it was carried out is unknown.
//   BUS-CONNECTION-3. A replaced login or authority is always used without a restart: by the next connection. A
//       replaced login triggers the next connection, so that the old one is soon unused.
import {
  type ConnectionOptions,
  connect,
  createInbox,
  type Msg,
  type MsgHdrs,
  type NatsConnection,
  PermissionViolationError,
  type Subscription,
} from '@nats-io/transport-node';
import type { Connectivity } from './bus.ts';
import { connectError } from './connection-errors.ts';
import { ErrorCode, TransientError, TroupeError } from './errors.ts';
import { FileChanges } from './file-changes.ts';
import { Listeners } from './listeners.ts';
import { credentialsLogin, type Login, nkeyLogin } from './login.ts';
import type { Refused } from './permission-errors.ts';
import { type RequestOptions, Requests } from './requests.ts';
import type { Clock } from './time.ts';

/** Default timeout of a response. */
export const REQUEST_TIMEOUT_MS = 5_000;
const CONNECT_TIMEOUT_MS = 5_000;
/** A connection that is silent for three of these is broken. */
const PING_INTERVAL_MS = 3_000;
const FIRST_RECONNECT_MS = 100;
const LAST_RECONNECT_MS = 4_000;

export interface NatsOptions {
  /** `nats://host:port` or `tls://host:port`, several separated by commas; user and password or a token may precede the host. */
  readonly url: string;
  /** Shown by the server: which process this is. */
  readonly name: string;
  /**
   * Files in PEM. Certificate and key: who we are; the authority: who the server must be. `serverName`: what its certificate must be
   * for, where that is not the host of the address.
   */
  readonly tls?: {
    readonly caFile?: string;
    readonly certFile?: string;
    readonly keyFile?: string;
    readonly serverName?: string;
  };
  /** A `.creds` file: user JWT and seed. Read again at each reconnect. */
  readonly credentialsFile?: string;
  /** A file with an NKey seed. Read again at each reconnect. */
  readonly nkeySeedFile?: string;
  /** Prefix of the inboxes, to which responses are sent: `inboxPrefix`. */
  readonly inboxPrefix: string;
  /** The server lets us in, and not say or hear something. */
  readonly onRefusal: (refused: Refused) => void;
  readonly clock: Clock;
}

export class Connection {
  readonly clock: Clock;
  /** Address of the connection, without password. */
  readonly place: string;
  readonly connectivity = new Listeners<Connectivity>();
  readonly #options: Pick<NatsOptions, 'inboxPrefix' | 'onRefusal'>;
  readonly #nats: NatsConnection;
  readonly #requests: Requests;
  /** Messages to be sent at the end of this turn of the event loop. */
  #leaving: (() => void)[] = [];
  #up = true;
  #awaySince = 0;

  readonly #closed = new AbortController();

  constructor(
    nats: NatsConnection,
    place: string,
    options: Pick<NatsOptions, 'inboxPrefix' | 'onRefusal' | 'clock'>,
    onAttempt: () => void,
    login?: Login,
  ) {
    this.#options = options;
    this.#nats = nats;
    this.place = place;
    this.clock = options.clock;
    this.#requests = new Requests({
      nats,
      clock: options.clock,
      newInbox: () => this.newInbox(),
      inOneGo: (send) => this.inOneGo(send),
    });
    void this.#follow(onAttempt);
    if (login !== undefined) void this.#renew(login);
  }

  /** A subject for this process alone, which others must not read. */
  newInbox(): string {
    return createInbox(this.#options.inboxPrefix);
  }

  /**
   * Subscribes until `unsubscribe`, across reconnects. A listener that throws is a defect; it ends the process and not the
   * client's reading of the connection, which would go unnoticed.
   */
  listen(subject: string, onMessage: (message: Msg) => void): Subscription {
    const callback = (error: Error | null, message: Msg): void => {
      if (error !== null) return; // not permitted, or the connection is closed: there will be no message
      try {
        onMessage(message);
      } catch (defect) {
        queueMicrotask(() => {
          throw defect;
        });
      }
    };
    return this.#nats.subscribe(subject, { callback });
  }

  /** For what needs more than requests and subscriptions. Publish with `send` only (BUS-CONNECTION-1). */
  get nats(): NatsConnection {
    return this.#nats;
  }

  get up(): boolean {
    return this.#up && !this.#nats.isClosed();
  }

  /** Server's version, as numbers. */
  get serverVersion(): readonly number[] {
    return (this.#nats.info?.version ?? '0').split(/[.-]/).slice(0, 3).map(Number);
  }

  isAtLeast(major: number, minor: number): boolean {
    const [isMajor = 0, isMinor = 0] = this.serverVersion;
    return isMajor > major || (isMajor === major && isMinor >= minor);
  }

  /** Error of every operation while the connection is down. */
  away(): TransientError {
    return new TransientError(this.#nats.isClosed() ? 'the bus is closed' : `nats at ${this.place} is away`);
  }

  /**
   * @throws {NoResponderError} the subject has no listener
   * @param options.reply  where the answer is to come, if not to an inbox
   * @throws {TransientError} no answer in time, or the connection broke, or the server does not let us
   * @throws {TerminalError} the payload is larger than the server takes
   */
  request(subject: string, payload: Uint8Array | string, options: Partial<RequestOptions> = {}): Promise<Msg> {
    if (!this.up) return Promise.reject(this.away());
    return this.#requests.ask(subject, payload, { timeoutMs: REQUEST_TIMEOUT_MS, ...options });
  }

  /**
   * Runs `send` at the end of this turn of the event loop, together with all others: the client writes to its socket at
   * each send, and a write costs more than the message. `send` must not throw.
   */
  inOneGo(send: () => void): void {
    if (this.#leaving.push(send) === 1) setImmediate(() => this.#flush());
  }

  /** Sends without an answer; false when the connection is away and nothing was sent. */
  send(subject: string, payload: Uint8Array | string, options: { headers?: MsgHdrs; reply?: string } = {}): boolean {
    if (!this.up) return false;
    this.#nats.publish(subject, payload, options);
    return true;
  }

  async close(): Promise<void> {
    this.#flush();
    this.#breakOff();
    this.#requests.close();
    this.connectivity.clear();
    this.#closed.abort();
    await this.#nats.close();
  }

  async #renew(login: Login): Promise<void> {
    const { signal } = this.#closed;
    const changes = new FileChanges({ files: [login.file], clock: this.clock, signal });
    for (;;) {
      await changes.next();
      if (signal.aborted || this.#nats.isClosed()) return;
      // mutant: login-kept drop
      if (this.up && login.isReplaced()) void this.#nats.reconnect();
    }
  }

  async #follow(onAttempt: () => void): Promise<void> {
    for await (const status of this.#nats.status()) {
      if (status.type === 'error' && status.error instanceof PermissionViolationError) {
        this.#requests.refuse(status.error);
        this.#options.onRefusal(status.error);
      } else if (status.type === 'disconnect' && this.#up) {
        this.#awaySince = this.clock.now();
        this.#breakOff();
        this.connectivity.report({ kind: 'disconnected', detail: `disconnected from ${this.place}, reconnecting` });
      } else if (status.type === 'reconnect' && !this.#up) {
        this.#up = true;
        onAttempt();
        const seconds = Math.round((this.clock.now() - this.#awaySince) / 1_000);
        this.connectivity.report({ kind: 'connected', detail: `connected again after ${seconds} s` });
      }
    }
  }

  #flush(): void {
    const leaving = this.#leaving;
    this.#leaving = [];
    for (const send of leaving) send();
  }

  #breakOff(): void {
    this.#up = false;
    this.#requests.breakOff(() => this.away());
  }
}

/**
 * Connects. Once connected, it reconnects for ever.
 *
 * @throws {TroupeError} the first attempt failed; the message says what, where and what to do
 */
export async function connectNats(options: NatsOptions): Promise<Connection> {
  const { url, name, tls, inboxPrefix, clock } = options;
  const servers = serversOf(url);
  const place = servers.addresses.join(', ');
  let attempts = 0;
  const backoffMs = (): number => {
    const delayMs = Math.min(LAST_RECONNECT_MS, FIRST_RECONNECT_MS * 2 ** attempts);
    attempts += 1;
    return delayMs * (0.5 + clock.random());
  };
  try {
    const settings: ConnectionOptions = {
      servers: [...servers.addresses],
      name,
      ...servers.login,
      timeout: CONNECT_TIMEOUT_MS,
      pingInterval: PING_INTERVAL_MS,
      maxPingOut: 2,
      maxReconnectAttempts: -1,
      reconnectDelayHandler: delays(backoffMs, clock),
      // Credentials are replaced while pods run: a refusal today says nothing about tomorrow.
      ignoreAuthErrorAbort: true,
      inboxPrefix,
      // A stack for each request doubles its cost.
      noAsyncTraces: true,
    };
    if (tls !== undefined || servers.encrypted) settings.tls = tlsOf(tls);
    const login = loginOf(options);
    if (login !== undefined) settings.authenticator = login.authenticator;
    const nats = await connect(settings);
    attempts = 0;
    const onAttempt = (): void => {
      attempts = 0;
    };
    return new Connection(nats, place, options, onAttempt, login);
  } catch (error) {
    throw connectError(error, place);
  }
}

/**
 * The client library reads the delay several times per attempt; the same value is returned until it has passed.
 */
function delays(nextMs: () => number, clock: Clock): () => number {
  let delayMs = 0;
  let until = Number.NEGATIVE_INFINITY;
  return () => {
    const now = clock.now();
    if (now >= until) {
      delayMs = nextMs();
      until = now + delayMs;
    }
    return delayMs;
  };
}

/** The client hands on to Node what it does not know. */
function tlsOf({ serverName, ...files }: NonNullable<NatsOptions['tls']> = {}): object {
  return serverName === undefined ? files : { ...files, servername: serverName };
}

function loginOf({ credentialsFile, nkeySeedFile }: NatsOptions): Login | undefined {
  if (nkeySeedFile !== undefined) return nkeyLogin(nkeySeedFile);
  return credentialsFile === undefined ? undefined : credentialsLogin(credentialsFile);
}

interface Servers {
  readonly addresses: readonly string[];
  readonly encrypted: boolean;
  readonly login: { user?: string; pass?: string; token?: string };
}

function serversOf(url: string): Servers {
  const addresses: string[] = [];
  let encrypted = false;
  let login = {};
  for (const part of url.split(',')) {
    const text = part.trim();
    const parsed = URL.parse(text.includes('://') ? text : `nats://${text}`);
    if (parsed === null || parsed.hostname === '' || !['nats:', 'tls:'].includes(parsed.protocol)) {
      throw new TroupeError(
        ErrorCode.Terminal,
        "the address of nats must be like 'nats://host:4222' or 'tls://host:4222'",
      );
    }
    encrypted ||= parsed.protocol === 'tls:';
    addresses.push(`${parsed.protocol}//${parsed.hostname}:${parsed.port || '4222'}`);
    const user = decodeURIComponent(parsed.username);
    if (parsed.password !== '') login = { user, pass: decodeURIComponent(parsed.password) };
    else if (user !== '') login = { token: user };
  }
  return { addresses, encrypted, login };
}
