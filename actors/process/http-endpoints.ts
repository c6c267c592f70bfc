// HTTP endpoints of a pod: health, readiness and metrics, as configured.
import { type KubeClient, outcomeOf } from '../../adapters/kubernetes/mod.ts';
import { type Bus, type Clock, ErrorCode, toErrorData } from '../../bus/mod.ts';
import type { Config } from '../base/config.ts';
import { type Metrics, metrics } from '../observability/metrics.ts';
import { type Listening, type SecureOptions, serveHealth, serveMetrics } from '../observability/probes.ts';
import { authorizeByTokenReview, type ReviewDeps } from '../observability/token-reviews.ts';
import type { Runtime } from './runtime.ts';

export interface HttpEndpoints {
  /** Undefined without metrics. */
  readonly metrics: Metrics | undefined;
  /** The same client; what becomes of its requests is noted. */
  readonly client: KubeClient;
  /** The same bus, with its messages counted. */
  follow(bus: Bus): Bus;
  /** Adds the readiness of a server. `alone`: nothing else than those that are added must be ready. */
  ask(server: { readonly problem: string | undefined }, place: 'alone' | 'beside others'): void;
  /** From now on there is something to be ready. */
  began(runtime: Runtime): void;
  close(): Promise<void>;
}

/**
 * @param options.hasBus  the process will have a bus; otherwise it has no metrics of one
 * @throws {TerminalError} an address is taken, or is none of this machine's
 */
export async function serveHttpEndpoints(
  { healthAddress, metricsAddress, metricsSecure, metricsAudience: audience }: Config,
  given: KubeClient,
  clock: Clock,
  { hasBus }: { readonly hasBus: boolean },
): Promise<HttpEndpoints> {
  const figures = metricsAddress === undefined ? undefined : metrics({ clock, hasBus });
  let isStarted = false;
  let busTrouble: string | undefined;
  const asked: { readonly problem: string | undefined }[] = [];
  let isAlone = false;
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
        // A refusal shows that the API server is reachable.
        // mutant: refused-is-unready () -> ErrorCode.Transient
        const outcome = outcomeOf(error);
        apiTrouble = outcome === ErrorCode.Transient ? toErrorData(error).message : undefined;
        throw error;
      }
    },
  };
  /** Sends a request, since an idle process may send none for a long time: each probe of `/readyz` calls it during an outage. */
  let isAsking = false;
  const askAgain = (): void => {
    if (isAsking) return;
    isAsking = true;
    const end = (): void => {
      isAsking = false;
    };
    client.call({ method: 'GET', path: '/version' }).then(end, end);
  };
  const listening: Listening[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(listening.splice(0).map((one) => one.close()));
  };
  try {
    if (healthAddress !== undefined) {
      const ready = (): string | undefined => {
        const problem = asked.map((each) => each.problem).find((each) => each !== undefined);
        // The API server calls ready pods, also when it has just recovered and is not reachable yet.
        if (isAlone) return problem;
        if (!isStarted) return 'starting';
        // mutant: idle-stays-unready drop
        if (apiTrouble !== undefined) askAgain();
        return problem ?? busTrouble ?? apiTrouble;
      };
      listening.push(await serveHealth(healthAddress, ready));
    }
    if (metricsAddress !== undefined && figures !== undefined) {
      const secure = metricsSecure ? await securely({ client, clock, audience }) : undefined;
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
      return figures?.countedBus(bus) ?? bus;
    },
    ask(server, place) {
      asked.push(server);
      isAlone = place === 'alone';
    },
    began(runtime) {
      figures?.follow(runtime);
      isStarted = true;
    },
    close,
  };
}

/** A certificate of its own, and the cluster's verdict on readers. */
async function securely(deps: ReviewDeps): Promise<SecureOptions> {
  const { clock } = deps;
  const { certify, makeAuthority } = await import('../../adapters/kubernetes/tls/certificates.ts');
  const authority = await makeAuthority('troupe-metrics-ca', clock.now());
  const { certificate, key } = await certify(authority, { name: 'troupe-metrics', hosts: [] }, clock.now());
  return { certificate, key, authorize: authorizeByTokenReview(deps) };
}
