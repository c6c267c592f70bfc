// What a pod shows the cluster: its health, whether it is ready, and its figures, as far as the configuration asks.
import { createHash } from 'node:crypto';
import type { KubeClient } from '../../adapters/kubernetes/mod.ts';
import { type Bus, type Clock, ErrorCode, type JsonObject, toErrorData } from '../../bus/mod.ts';
import type { Config } from '../process/config.ts';
import type { Runtime } from '../process/runtime.ts';
import { type Metrics, metrics } from './metrics.ts';
import { type Authorize, type Listening, type SecureOptions, serveHealth, serveMetrics } from './probes.ts';

export interface Pages {
  /** Undefined: nobody asks for figures. */
  readonly metrics: Metrics | undefined;
  /** The same client; what becomes of its requests is noted. */
  readonly client: KubeClient;
  /** The same bus; what is said on it is counted. */
  follow(bus: Bus): Bus;
  /** From now on there is something to be ready. */
  began(runtime: Runtime): void;
  close(): Promise<void>;
}

/** How long a verdict on a token is kept, in milliseconds. */
const VERDICT_FOR_MS = 60_000;
/** Verdicts that are kept; beyond, all are forgotten. */
const VERDICTS = 1_000;

/** @throws {TerminalError} an address is taken, or is none of this machine's */
export async function servePages(
  { healthAddress, metricsAddress, metricsSecure }: Config,
  given: KubeClient,
  clock: Clock,
): Promise<Pages> {
  const figures = metricsAddress === undefined ? undefined : metrics();
  let isStarted = false;
  let busTrouble: string | undefined;
  let apiTrouble: string | undefined = 'the API server has not answered yet';
  const counted = figures?.counted(given) ?? given;
  const client: KubeClient = {
    ...counted,
    async call(call) {
      try {
        const answer = await counted.call(call);
        apiTrouble = undefined;
        return answer;
      } catch (error) {
        const { code, message } = toErrorData(error);
        apiTrouble = code === ErrorCode.Transient ? message : undefined;
        throw error;
      }
    },
  };
  const listening: Listening[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(listening.splice(0).map((one) => one.close()));
  };
  try {
    if (healthAddress !== undefined) {
      const ready = (): string | undefined => (isStarted ? (busTrouble ?? apiTrouble) : 'starting');
      listening.push(await serveHealth(healthAddress, ready));
    }
    if (metricsAddress !== undefined && figures !== undefined) {
      const secure = metricsSecure ? await securely(client, clock) : undefined;
      listening.push(await serveMetrics(metricsAddress, figures, secure));
    }
  } catch (error) {
    await close();
    throw error;
  }
  return {
    metrics: figures,
    client,
    follow(bus) {
      bus.onConnectivity(({ kind, detail }) => {
        busTrouble = kind === 'connected' ? undefined : detail;
      });
      return figures === undefined ? bus : { ...bus, trace: figures.traced(bus.trace) };
    },
    began(runtime) {
      figures?.follow(runtime);
      isStarted = true;
    },
    close,
  };
}

/** A certificate of its own, and the cluster's word on who may read. */
async function securely(client: KubeClient, clock: Clock): Promise<SecureOptions> {
  const { certify, makeAuthority } = await import('../../adapters/kubernetes/tls/certificates.ts');
  const authority = await makeAuthority('troupe-metrics-ca', clock.now());
  const { certificate, key } = await certify(authority, { name: 'troupe-metrics', host: 'localhost' }, clock.now());
  return { certificate, key, authorize: byReview(client, clock) };
}

/** Asks the API server who bears a token and whether they may read `/metrics`, once a minute for each. */
function byReview(client: KubeClient, clock: Clock): Authorize {
  const verdicts = new Map<string, { readonly verdict: Awaited<ReturnType<Authorize>>; readonly until: number }>();
  const review = async (path: string, kind: string, spec: JsonObject): Promise<JsonObject> => {
    const apiVersion = path.slice('/apis/'.length, path.lastIndexOf('/'));
    const { body } = await client.call({ method: 'POST', path, body: { apiVersion, kind, spec } });
    return body['status'] as JsonObject;
  };
  const judge = async (token: string): Promise<Awaited<ReturnType<Authorize>>> => {
    const { authenticated, user } = await review('/apis/authentication.k8s.io/v1/tokenreviews', 'TokenReview', {
      token,
    });
    if (authenticated !== true) return 'unknown';
    const { username, uid, groups, extra } = user as JsonObject;
    const { allowed } = await review('/apis/authorization.k8s.io/v1/subjectaccessreviews', 'SubjectAccessReview', {
      ...(username !== undefined && { user: username }),
      ...(uid !== undefined && { uid }),
      ...(groups !== undefined && { groups }),
      ...(extra !== undefined && { extra }),
      nonResourceAttributes: { path: '/metrics', verb: 'get' },
    });
    return allowed === true ? 'allowed' : 'forbidden';
  };
  return async (token) => {
    if (token === '') return 'unknown';
    const key = createHash('sha256').update(token).digest('base64');
    const kept = verdicts.get(key);
    if (kept !== undefined && kept.until > clock.now()) return kept.verdict;
    const verdict = await judge(token);
    if (verdicts.size >= VERDICTS) verdicts.clear();
    verdicts.set(key, { verdict, until: clock.now() + VERDICT_FOR_MS });
    return verdict;
  };
}
