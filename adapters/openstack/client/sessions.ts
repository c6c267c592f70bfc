// Sessions by credentials: objects with the same credentials share one, whichever secret holds them, and each namespace
// has its own view of it.
//
// Invariants:
//   OS-SESSIONS-1. Two objects share a session only if entry and CA are equal as a whole: the key is their full digest.
//   OS-SESSIONS-2. A secret is read again only when its version is another, or not known.
//   OS-SESSIONS-3. A failure is never kept: the next call tries again. But the content of a secret is parsed only once,
//       whether valid or not.
//   OS-SESSIONS-4. A session that was not opened for a while is always closed, with its limiter and connections once
//       they have no other user.
import { createHash } from 'node:crypto';
import { TransientError } from '../../../bus/errors.ts';
import type { Clock } from '../../../bus/time.ts';
import type { CallLoad, CallRecord, ReplicaCount } from '../../api/adapter.ts';
import { CircuitBreakers } from '../../http/circuit-breaker.ts';
import { ConcurrencyLimiter } from '../../http/concurrency-limiter.ts';
import type { ProxySettings } from '../../http/proxies.ts';
import { AnswerMemory } from '../../http/response.ts';
import { httpTransport, type Reach, type Transport, type Trust } from '../../http/transport.ts';
import { SERVICE_HEADERS } from '../base/services.ts';
import { identityUrl } from './authentication.ts';
import { CloudSession } from './cloud-session.ts';
import { type CloudEntry, type Credentials, type CredentialsSecret, parseCredentials } from './clouds-yaml.ts';
import type { Identity, Session, Sessions } from './session.ts';

export interface SessionsDeps {
  clock: Clock;
  /** The secret as it is now; undefined: there is none. Must come to an end: later opens wait for the same reading. */
  readSecret: (namespace: string, name: string) => Promise<CredentialsSecret | undefined>;
  /** Of Troupe, for `User-Agent`. */
  version: string;
  /** Most calls in flight per cloud, of all who share it; 16 by default. */
  callsInFlight?: number;
  /** Number of processes that call the same clouds; 1 by default. */
  replicaCount?: ReplicaCount;
  /** Memory that answers take while they are read, in bytes, of all clouds together; 96 MiB by default. */
  answerBytes?: number;
  /** PEM of the CA of clouds whose secret has none; the system's roots by default. */
  defaultCa?: string;
  /** No proxy by default. */
  proxy?: ProxySettings;
  /** Filter of hosts; all are allowed by default. */
  reach?: Reach;
  /** Transport to clouds with one set of trust settings; HTTP, through `proxy`, by default. */
  transport?: (trust: Trust) => Transport;
  /** Headers that each call of a service carries, by service: microversions. */
  serviceHeaders?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Told of every request after its end. Must not throw. */
  onCall?: (record: CallRecord) => void;
}

/** Sessions that hold connections. */
export interface OwnedSessions extends Sessions {
  /** Calls to all clouds. */
  load(): CallLoad;
  /** Ends all connections; calls that are running fail. */
  close(): Promise<void>;
}

/** A session, and what it shares with others. */
interface Opened {
  readonly session: CloudSession;
  readonly cloud: string;
  readonly identity: Identity;
  readonly trust: string;
  usedAt: number;
}

/** Name of the called system in messages. */
const NAME = 'the cloud';
/** Idle time after which a session is closed, in milliseconds; calls end long before. */
const IDLE_MS = 30 * 60_000;
/** Between two looks at what is idle; they are made when something is opened, in milliseconds. */
const TIDY_MS = 60_000;

/** Maximum number of secrets whose parse results are kept; the oldest are dropped. */
const PARSED = 1_000;

/** Parse result of one version of a secret. */
interface Parsed {
  readonly version: string;
  /** Digest of its session. */
  readonly digest?: string;
  readonly error?: unknown;
}

interface Known {
  readonly version: string | undefined;
  readonly digest: string;
}

/** Makes sessions to the clouds that secrets describe. The caller must close them. */
export function openStackSessions(deps: SessionsDeps): OwnedSessions {
  return new SecretSessions(deps);
}

class SecretSessions implements OwnedSessions {
  readonly #deps: SessionsDeps;
  readonly #known = new Map<string, Known>();
  /** Reads that are running, by secret, cloud and version. */
  readonly #reads = new Map<string, Promise<Opened>>();
  readonly #sessions = new Map<string, Opened>();
  readonly #parsed = new Map<string, Parsed>();
  readonly #gates = new Map<string, ConcurrencyLimiter>();
  /** Circuit breakers by cloud and trust: a failure caused by one tenant's certificate does not concern others. */
  readonly #outages = new Map<string, CircuitBreakers>();
  readonly #transports = new Map<string, Transport>();
  readonly #memory: AnswerMemory;
  /** Transports that no session has, and since when. */
  readonly #unusedSince = new Map<string, number>();
  #tidiedAt = Number.NEGATIVE_INFINITY;
  readonly #stopSharing: (() => void) | undefined;

  constructor(deps: SessionsDeps) {
    this.#deps = deps;
    this.#stopSharing = deps.replicaCount?.onChange(() => {
      for (const gate of this.#gates.values()) gate.resize(this.#slots());
    });
    this.#memory = new AnswerMemory(deps.answerBytes);
  }

  async open(
    namespace: string,
    ref: { readonly secretName: string; readonly cloudName: string },
    version: string | undefined,
    deadlineAt: number,
  ): Promise<Session> {
    return this.#use(await this.#opened(namespace, ref, version, deadlineAt), namespace);
  }

  async identify(
    namespace: string,
    ref: { readonly secretName: string; readonly cloudName: string },
    version: string | undefined,
    deadlineAt: number,
  ): Promise<Identity> {
    const { identity } = await this.#opened(namespace, ref, version, deadlineAt);
    return identity;
  }

  async #opened(
    namespace: string,
    ref: { readonly secretName: string; readonly cloudName: string },
    version: string | undefined,
    deadlineAt: number,
  ): Promise<Opened> {
    // mutant: session-of-another-namespace [].1 drop
    const key = JSON.stringify([namespace, ref.secretName, ref.cloudName]);
    this.#tidy();
    const known = this.#known.get(key);
    const opened = known === undefined ? undefined : this.#sessions.get(known.digest);
    if (opened !== undefined && version !== undefined && known?.version === version) return opened;
    const readKey = JSON.stringify([key, version ?? null]);
    let read = this.#reads.get(readKey);
    if (read === undefined) {
      read = this.#read(namespace, ref, version, key).finally(() => this.#reads.delete(readKey));
      this.#reads.set(readKey, read);
    }
    const { clock } = this.#deps;
    const late = new AbortController();
    const deadline = clock.sleep(Math.max(0, deadlineAt - clock.now()), late.signal).then(() => undefined);
    const found = await Promise.race([read, deadline]).finally(() => late.abort());
    if (found === undefined)
      throw new TransientError(`credentials secret '${ref.secretName}' was not read by the deadline`);
    return found;
  }

  load(): CallLoad {
    const sum = { underWay: 0, waiting: 0, limit: 0 };
    for (const { load } of this.#gates.values()) {
      sum.underWay += load.underWay;
      sum.waiting += load.waiting;
      sum.limit += load.limit;
    }
    return sum;
  }

  async close(): Promise<void> {
    this.#stopSharing?.();
    for (const gate of this.#gates.values()) gate.close();
    const transports = [...this.#transports.values()];
    this.#transports.clear();
    this.#sessions.clear();
    this.#known.clear();
    await Promise.all(transports.map((transport) => transport.close()));
  }

  async #read(
    namespace: string,
    ref: { readonly secretName: string; readonly cloudName: string },
    version: string | undefined,
    key: string,
  ): Promise<Opened> {
    const secret = await this.#deps.readSecret(namespace, ref.secretName);
    if (secret === undefined) {
      this.#forget(key);
      throw new TransientError(`Waiting for Secret/${ref.secretName} to be created`);
    }
    const { digest, opened } = this.#meant(secret, ref, key);
    if (this.#known.get(key)?.digest !== digest) this.#forget(key);
    this.#known.set(key, { version, digest });
    this.#sessions.set(digest, opened);
    return opened;
  }

  /** The session that a secret means, parsed unless just this version of it was. @throws as `parseCredentials` */
  #meant(
    secret: CredentialsSecret,
    ref: { readonly secretName: string; readonly cloudName: string },
    key: string,
  ): { readonly digest: string; readonly opened: Opened } {
    const version = `${secret.uid} ${secret.resourceVersion}`;
    const before = this.#parsed.get(key);
    // mutant: session-parsed-again drop
    if (before?.version === version && before.error !== undefined) throw before.error;
    const known = before?.version === version ? this.#sessions.get(before.digest ?? '') : undefined;
    if (known !== undefined && before?.digest !== undefined) return { digest: before.digest, opened: known };
    try {
      const credentials = parseCredentials(secret, ref);
      const digest = digestOf(credentials);
      this.#keep(key, { version, digest });
      return { digest, opened: this.#sessions.get(digest) ?? this.#newSession(credentials) };
    } catch (error) {
      this.#keep(key, { version, error });
      throw error;
    }
  }

  #keep(key: string, parsed: Parsed): void {
    this.#parsed.delete(key);
    this.#parsed.set(key, parsed);
    for (const oldest of this.#parsed.keys()) if (this.#parsed.size > PARSED) this.#parsed.delete(oldest);
  }

  /** Drops what is known of a secret, and its session if no other secret means the same. */
  #forget(key: string): void {
    const old = this.#known.get(key);
    this.#known.delete(key);
    if (old === undefined || [...this.#known.values()].some(({ digest }) => digest === old.digest)) return;
    this.#sessions.delete(old.digest);
  }

  #newSession({ entry, ca = this.#deps.defaultCa }: Credentials): Opened {
    const { clock, onCall, proxy, reach, serviceHeaders = SERVICE_HEADERS, version } = this.#deps;
    const open = this.#deps.transport ?? ((trust: Trust) => httpTransport(trust, proxy, clock, reach));
    const cloud = identityUrl(entry);
    const gate = this.#gates.get(cloud) ?? new ConcurrencyLimiter({ clock, slots: this.#slots(), name: NAME });
    this.#gates.set(cloud, gate);
    const trust: Trust = { ca, verify: entry.verify };
    // mutant: session-unverified [].2 drop
    const key = JSON.stringify([ca ?? null, entry.verify]);
    const transport = this.#transports.get(key) ?? open(trust);
    this.#transports.set(key, transport);
    const way = wayOf({ cloud, trust: key });
    const outages = this.#outages.get(way) ?? new CircuitBreakers(clock, NAME);
    this.#outages.set(way, outages);
    const memory = this.#memory;
    const userAgent = `troupe/${version}`;
    const session = new CloudSession(entry, {
      clock,
      gate,
      outages,
      memory,
      transport,
      serviceHeaders,
      onCall,
      userAgent,
    });
    return { session, cloud, identity: identityOf(entry), trust: key, usedAt: clock.now() };
  }

  /** The own part of the calls to a cloud: all parts together are no more than the limit, unless that is less than one each. */
  #slots(): number {
    const { callsInFlight = 16, replicaCount } = this.#deps;
    const { count = callsInFlight } = replicaCount ?? { count: 1 };
    return Math.max(1, Math.floor(callsInFlight / count));
  }

  #use(opened: Opened, namespace: string): Session {
    // mutant: session-closed-in-use drop
    opened.usedAt = this.#deps.clock.now();
    return opened.session.of(namespace);
  }

  /** Closes what is idle (OS-SESSIONS-4). */
  #tidy(): void {
    const now = this.#deps.clock.now();
    if (now - this.#tidiedAt < TIDY_MS) return;
    this.#tidiedAt = now;
    for (const [digest, { usedAt }] of this.#sessions) if (now - usedAt >= IDLE_MS) this.#sessions.delete(digest);
    for (const [key, { digest }] of this.#known) if (!this.#sessions.has(digest)) this.#known.delete(key);
    const left = [...this.#sessions.values()];
    // Sessions that were replaced may have calls under way still: their gates and connections stay while they may.
    for (const [cloud, gate] of this.#gates) {
      const { idleSince } = gate;
      if (left.some((each) => each.cloud === cloud) || idleSince === undefined || now - idleSince < IDLE_MS) continue;
      gate.close();
      this.#gates.delete(cloud);
    }
    const ways = new Set(left.map(wayOf));
    for (const way of this.#outages.keys()) if (!ways.has(way)) this.#outages.delete(way);
    for (const [trust, transport] of this.#transports) {
      if (left.some((each) => each.trust === trust)) {
        this.#unusedSince.delete(trust);
        continue;
      }
      const since = this.#unusedSince.get(trust) ?? now;
      this.#unusedSince.set(trust, since);
      if (now - since < TIDY_MS) continue;
      this.#unusedSince.delete(trust);
      this.#transports.delete(trust);
      void transport.close();
    }
  }
}

/** Key of a connection to a cloud. */
function wayOf({ cloud, trust }: Pick<Opened, 'cloud' | 'trust'>): string {
  return JSON.stringify([cloud, trust]);
}

/** Members of `auth` by which a project is named; none of them is a secret. */
const SCOPE = /^(project|tenant|user_domain|domain|default_domain|system_scope|application_credential_(id|name)$)/;

/** Members of `auth` by which a user is named; none of them is a secret. */
const USER = /^(user|domain|default_domain|trust_id$|application_credential_(id|name)$)/;

function identityOf(entry: CloudEntry): Identity {
  const where = [identityUrl(entry), entry.region ?? null];
  const within = (members: RegExp): string =>
    JSON.stringify([...where, Object.entries(entry.auth).filter(([name]) => members.test(name))]);
  return { cloud: JSON.stringify(where), scope: within(SCOPE), user: within(USER) };
}

/** SHA-256 over all that a session depends on. The parser puts the members of `auth` in order. */
function digestOf({ entry, ca }: Credentials): string {
  // mutant: session-of-other-ca [].2 drop
  return createHash('sha256')
    .update(JSON.stringify([entry, ca ?? null]))
    .digest('hex');
}
