// Role `webhooks`: serves the adapters' webhooks over HTTPS, with a certificate that the API server trusts. It needs no
// bus, and starts before the connection to one: without it objects of some versions cannot be read at all.
import type { Logger } from 'pino';
import type { Adapter } from '../../adapters/api/adapter.ts';
import { type KubeClient, objects as kubeObjects } from '../../adapters/kubernetes/mod.ts';
import { type Clock, toErrorData } from '../../bus/mod.ts';
import type { Config } from '../base/config.ts';
import type { WebhookMetrics } from '../observability/webhook-metrics.ts';
import type { RotationTimes } from './certificate-book.ts';
import { followClients } from './client-authorities.ts';
import { givenCertificates } from './given-certificates.ts';
import { ownCertificates } from './own-certificates.ts';
import { webhookServer } from './server.ts';
import type { CertificateSource, CertificateUser } from './source.ts';
import { keepTrust } from './trust.ts';

export interface WebhooksDeps {
  readonly client: KubeClient;
  readonly adapters: readonly Pick<Adapter, 'webhooks'>[];
  readonly clock: Clock;
  readonly log: Logger;
  /** Metrics of the webhooks. */
  readonly metrics?: WebhookMetrics | undefined;
  /** Rotation times of Troupe's own certificates. */
  readonly times?: RotationTimes;
}

export interface ServedWebhooks {
  /** Port of the server; undefined while there is no certificate. */
  readonly port: number | undefined;
  /** Reason why requests are not answered; undefined if they are. */
  readonly problem: string | undefined;
  /** Rejects if they can never be answered. */
  readonly ended: Promise<void>;
  /** Closes each connection after its next response. */
  retire(): void;
  close(): Promise<void>;
}

/** @returns undefined if no webhook address is configured @throws {TerminalError} two adapters have the same path */
export function startWebhooks(
  { webhooks: place, namespaces }: Pick<Config, 'webhooks' | 'namespaces'>,
  { client, adapters, clock, log, metrics, times }: WebhooksDeps,
): ServedWebhooks | undefined {
  if (place === undefined) return undefined;
  const objects = kubeObjects({ client });
  const webhooks = adapters.flatMap((adapter) => adapter.webhooks ?? []);
  const service = { namespace: place.service.namespace ?? client.namespace, name: place.service.name };
  const server = webhookServer({
    address: place.address,
    areClientsChecked: place.clientCa !== undefined,
    webhooks,
    clock,
    log,
    ports: {
      async listObjects(resource) {
        const lists = (namespaces ?? [undefined]).map((namespace) => objects.list(resource, namespace));
        return (await Promise.all(lists)).flatMap(({ items }) => items);
      },
    },
    ...(metrics !== undefined && { onAnswered: (answered) => metrics.onWebhook(answered) }),
  });
  const source: CertificateSource =
    place.files === undefined
      ? ownCertificates({ client, objects, clock, log, service, ...(times !== undefined && { times }) })
      : givenCertificates({ files: place.files, clock, log });
  metrics?.followCertificate(() => source.endsAt);
  const stop = new AbortController();
  const isKept = place.files === undefined || place.files.ca !== undefined;
  const trust = isKept
    ? keepTrust(
        {
          client,
          objects,
          clock,
          log,
          webhooks,
          service,
          isEnough: (said) => source.isEnough(said),
          bundle: (said) => source.bundle(said),
          onChange: () => source.onTrust(),
        },
        stop.signal,
      )
    : undefined;
  let problem: string | undefined = 'the webhooks have no certificate yet';
  const user: CertificateUser = {
    async serve(certificate) {
      await server.serve(certificate);
      problem = undefined;
    },
    renew: () => trust?.renew(),
    since: () => trust?.since(),
  };
  const run = async (): Promise<void> => {
    if (place.clientCa === undefined) return source.run(user, stop.signal);
    const admit = (authorities: string): void => server.admit(authorities);
    const following = await followClients({ file: place.clientCa, admit, clock, log }, stop.signal);
    await Promise.all([source.run(user, stop.signal), following.ended]);
  };
  const running = run().catch((error: unknown) => {
    problem = toErrorData(error).message;
    throw error;
  });
  // Callers handle the failure, if there are any.
  running.catch(() => undefined);
  return {
    get port() {
      return server.port;
    },
    get problem() {
      return problem;
    },
    ended: running,
    retire: () => server.retire(),
    async close() {
      await server.close();
      stop.abort();
      await Promise.allSettled([running, trust?.ended]);
    },
  };
}
