// Access to the metrics: the cluster's verdict on the bearer of a token and its permissions.
//
// Invariants:
//   TOKEN-REVIEWS-1. A verdict is asked for once while it is kept, however many want it at once.
//   TOKEN-REVIEWS-2. Unknown tokens never cost the cluster more than a few reviews per second, however many there are
//       and from any sender; they never evict the verdict on a known one.
//   TOKEN-REVIEWS-3. Where an audience is asked for, a token for another one is unknown.
import { createHash } from 'node:crypto';
import type { KubeClient } from '../../adapters/kubernetes/mod.ts';
import type { Clock, JsonObject } from '../../bus/mod.ts';

/** Verdict of the cluster on the bearer; `busy`: the cluster is not called, since the rate limit is reached. */
export type Verdict = 'allowed' | 'forbidden' | 'unknown' | 'busy';

/** Judges a token. @param peer  the address that it came from */
export type Authorize = (token: string, peer: string) => Promise<Verdict>;

export interface ReviewDeps {
  readonly client: Pick<KubeClient, 'call'>;
  readonly clock: Clock;
  /** For which tokens must have been made; undefined: for the API server, as it is without being asked. */
  readonly audience: string | undefined;
}

/** Time for which a verdict on a token is kept, in milliseconds. */
const VERDICT_FOR_MS = 60_000;
/** Verdicts that are kept, on known and on unknown tokens each; beyond, the oldest goes. */
const VERDICTS = 1_000;
/** Maximum length of a valid token. */
const TOKEN_LENGTH = 16_384;
/** Reviews a second, and at once: of one peer, and of all. */
const OF_PEER = { aSecond: 1, atOnce: 5 } as const;
const OF_ALL = { aSecond: 20, atOnce: 50 } as const;
/** Maximum number of peers that are distinguished. */
const PEERS = 1_000;

/** Asks the API server, as often as TOKEN-REVIEWS-1 and TOKEN-REVIEWS-2 allow. @throws {TransientError} it does not answer */
export function authorizeByTokenReview({ client, clock, audience }: ReviewDeps): Authorize {
  const known = new Kept<Verdict>(VERDICTS);
  const unknown = new Kept<Verdict>(VERDICTS);
  const peers = new Kept<Allowance>(PEERS);
  const all = new Allowance(OF_ALL);
  const asking = new Map<string, Promise<Verdict>>();

  const mayAsk = (peer: string): boolean => {
    const now = clock.now();
    const own = peers.get(peer, now) ?? new Allowance(OF_PEER);
    peers.set(peer, own, Number.POSITIVE_INFINITY);
    return own.take(now) && all.take(now);
  };

  const review = async (path: string, kind: string, spec: JsonObject): Promise<JsonObject> => {
    const apiVersion = path.slice('/apis/'.length, path.lastIndexOf('/'));
    const { body } = await client.call({ method: 'POST', path, body: { apiVersion, kind, spec } });
    return (body['status'] ?? {}) as JsonObject;
  };

  const judge = async (token: string): Promise<Verdict> => {
    const audiences = audience === undefined ? {} : { audiences: [audience] };
    const status = await review('/apis/authentication.k8s.io/v1/tokenreviews', 'TokenReview', { token, ...audiences });
    // A server that knows nothing of audiences says none (TOKEN-REVIEWS-3).
    const isOurs = audience === undefined || (status['audiences'] as readonly string[] | undefined)?.includes(audience);
    if (status['authenticated'] !== true || isOurs !== true) return 'unknown';
    const { username, uid, groups, extra } = (status['user'] ?? {}) as JsonObject;
    const { allowed } = await review('/apis/authorization.k8s.io/v1/subjectaccessreviews', 'SubjectAccessReview', {
      ...(username !== undefined && { user: username }),
      ...(uid !== undefined && { uid }),
      ...(groups !== undefined && { groups }),
      ...(extra !== undefined && { extra }),
      nonResourceAttributes: { path: '/metrics', verb: 'get' },
    });
    return allowed === true ? 'allowed' : 'forbidden';
  };

  return async (token, peer) => {
    if (token === '' || token.length > TOKEN_LENGTH) return 'unknown';
    const key = createHash('sha256').update(token).digest('base64');
    const kept = known.get(key, clock.now()) ?? unknown.get(key, clock.now());
    if (kept !== undefined) return kept;
    const underWay = asking.get(key);
    if (underWay !== undefined) return underWay;
    if (!mayAsk(peer)) return 'busy';
    const verdict = judge(token).finally(() => asking.delete(key));
    asking.set(key, verdict);
    const reported = await verdict;
    (reported === 'unknown' ? unknown : known).set(key, reported, clock.now() + VERDICT_FOR_MS);
    return reported;
  };
}

/** Values for a time; the oldest goes when there are too many. */
class Kept<Value> {
  readonly #limit: number;
  readonly #values = new Map<string, { readonly value: Value; readonly until: number }>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: string, now: number): Value | undefined {
    const kept = this.#values.get(key);
    return kept !== undefined && kept.until > now ? kept.value : undefined;
  }

  set(key: string, value: Value, until: number): void {
    this.#values.delete(key);
    this.#values.set(key, { value, until });
    if (this.#values.size > this.#limit) this.#values.delete(this.#values.keys().next().value as string);
  }
}

/** Token bucket: a burst size, and a rate per second. */
class Allowance {
  readonly #rate: { readonly aSecond: number; readonly atOnce: number };
  #left: number;
  #at = 0;

  constructor(rate: { readonly aSecond: number; readonly atOnce: number }) {
    this.#rate = rate;
    this.#left = rate.atOnce;
  }

  take(now: number): boolean {
    const { aSecond, atOnce } = this.#rate;
    this.#left = Math.min(atOnce, this.#left + (Math.max(0, now - this.#at) / 1_000) * aSecond);
    this.#at = now;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
