// A real API server that asks Troupe's webhooks: KUBECONFIG. The group `metal3.io` must be free there; its definitions are made
// and removed. The webhooks are Troupe's own, at a free port of loopback.

import { systemClock } from '../../../actors/base/clock.ts';
import { openLog } from '../../../actors/base/log.ts';
import type { AnsweredWebhook } from '../../../actors/observability/webhook-metrics.ts';
import { installCrds } from '../../../actors/process/install-crds.ts';
import type { RotationTimes } from '../../../actors/webhooks/certificate-book.ts';
import { type ServedWebhooks, startWebhooks } from '../../../actors/webhooks/webhooks.ts';
import { webhookConfiguration } from '../../../adapters/ironic/api/admission/webhooks.ts';
import { contractsIn } from '../../../adapters/ironic/api/contracts.ts';
import { definitions, type Phase } from '../../../adapters/ironic/api/definitions.ts';
import { CONFIGURATION, metal3Webhooks } from '../../../adapters/ironic/webhooks.ts';
import { type KubeClient, kubeClient } from '../../../adapters/kubernetes/mod.ts';
import { AbsentError, type Clock, type JsonObject, TransientError } from '../../../bus/mod.ts';
import { slowness } from '../../world/speed.ts';

export const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
export const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
export const HOSTS_CRD = `${CRDS}/baremetalhosts.metal3.io`;
const APPLY = 'application/apply-patch+yaml';

/** Longest wait for what must come, in milliseconds. */
const WITHIN_MS = 60_000;
/** A definition that has changed shortly before is removed at a second attempt, a minute later. */
const GONE_WITHIN_MS = 150_000;

export interface Scene {
  readonly clock: Clock;
  readonly client: KubeClient;
  /** A namespace of the scene's own, for objects and for the Secret of the certificates. */
  readonly namespace: string;
  readonly kubeconfig: string;
  /** Of the webhooks. */
  readonly url: string;
  readonly answered: AnsweredWebhook[];
  /** Another process that serves the same, at a port of its own. */
  another(): Promise<ServedWebhooks>;
  /** Applies the definitions of a phase, and waits until they are served. */
  define(phase: Phase): Promise<void>;
  /** Applies the configuration of admission, and waits until it holds. */
  guard(): Promise<void>;
  hosts(version: 'v1alpha1' | 'v1beta1', name?: string): string;
  until<Value>(what: string, look: () => Promise<Value | undefined>): Promise<Value>;
}

export async function withScene(
  kubeconfig: string,
  run: (scene: Scene) => Promise<void>,
  times?: RotationTimes,
): Promise<void> {
  const clock = systemClock();
  const client = kubeClient({ clock, kubeconfig });
  const namespace = `webhooks-${Math.floor(clock.random() * 36 ** 6).toString(36)}`;
  const log = openLog({ level: process.env['LOG_LEVEL'] ?? 'silent', readable: false });
  const answered: AnsweredWebhook[] = [];
  const running: ServedWebhooks[] = [];
  const metrics = {
    onWebhook: (one: AnsweredWebhook) => void answered.push(one),
    followCertificate: () => undefined,
  };
  const until: Scene['until'] = async (what, look) => {
    const end = clock.now() + WITHIN_MS * slowness(clock);
    for (;;) {
      const found = await look();
      if (found !== undefined) return found;
      if (clock.now() > end) throw new Error(`still waiting for ${what}`);
      await clock.sleep(100);
    }
  };
  const serve = async (): Promise<ServedWebhooks> => {
    const service = { namespace, name: 'troupe-webhooks' };
    const webhooks = startWebhooks(
      {
        webhooks: { address: { host: '127.0.0.1', port: 0 }, service, files: undefined, clientCa: undefined },
        namespaces: undefined,
      },
      { client, adapters: [{ webhooks: metal3Webhooks }], clock, log, metrics, ...(times !== undefined && { times }) },
    );
    if (webhooks === undefined) throw new Error('nothing is served');
    running.push(webhooks);
    await until('a certificate', async () => webhooks.port);
    return webhooks;
  };
  await client.call({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: namespace } } });
  try {
    const first = await serve();
    const url = `https://127.0.0.1:${first.port}`;
    const apply = (path: string, body: JsonObject): Promise<unknown> =>
      client.call({ method: 'PATCH', path: `${path}?fieldManager=scene&force=true`, contentType: APPLY, body });
    const hosts: Scene['hosts'] = (version, name) =>
      `/apis/metal3.io/${version}/namespaces/${namespace}/baremetalhosts${name === undefined ? '' : `/${name}`}`;
    await run({
      clock,
      client,
      namespace,
      kubeconfig,
      url,
      answered,
      hosts,
      until,
      another: serve,
      async define(phase) {
        const contracts = contractsIn({ phase, ...(phase > 0 && { webhook: { url: `${url}/convert` } }) });
        await installCrds(client, clock, () => undefined, contracts);
        await until('definitions that are served', async () => {
          try {
            for (const version of phase === 0 ? (['v1alpha1'] as const) : (['v1beta1'] as const)) {
              await client.call({ method: 'GET', path: `${hosts(version)}?limit=1` });
            }
            if (phase === 0 || phase === 4) return true;
            for (const name of metal3Webhooks.conversion?.definitions ?? []) {
              const { body } = await client.call({ method: 'GET', path: `${CRDS}/${name}` });
              if (!JSON.stringify(body['spec']).includes('"caBundle"')) return undefined;
            }
            return true;
          } catch (error) {
            if (error instanceof AbsentError || error instanceof TransientError) return undefined;
            throw error;
          }
        });
      },
      async guard() {
        const configuration = webhookConfiguration({
          name: CONFIGURATION,
          server: { url },
          versions: ['v1alpha1', 'v1beta1'],
        });
        await apply(`${CONFIGURATIONS}/${CONFIGURATION}`, configuration);
        await until('admission', async () => {
          const body = {
            metadata: { name: 'probe' },
            spec: { online: true, bmc: { address: 'x://y', credentialsName: '' } },
          };
          const path = `${hosts('v1alpha1')}?dryRun=All`;
          try {
            await client.call({
              method: 'POST',
              path,
              body: { apiVersion: 'metal3.io/v1alpha1', kind: 'BareMetalHost', ...body },
            });
            return undefined;
          } catch (error) {
            return /Unknown BMC type/.test(String(error)) ? true : undefined;
          }
        });
      },
    });
  } finally {
    await gone(client, clock, namespace);
    await Promise.all(running.map((each) => each.close()));
    await client.close();
  }
}

/** While the webhooks still answer: objects that must be converted cannot be deleted without. */
async function gone(client: KubeClient, clock: Clock, namespace: string): Promise<void> {
  const remove = async (path: string): Promise<void> => {
    try {
      await client.call({ method: 'DELETE', path });
    } catch (error) {
      if (!(error instanceof AbsentError)) throw error;
    }
  };
  await remove(`${CONFIGURATIONS}/${CONFIGURATION}`);
  const names = definitions({ phase: 0 }).map(({ metadata }) => metadata.name);
  await released(client, namespace);
  for (const name of names) await remove(`${CRDS}/${name}`);
  await remove(`/api/v1/namespaces/${namespace}`);
  const end = clock.now() + GONE_WITHIN_MS * slowness(clock);
  for (;;) {
    const left = await client.call({ method: 'GET', path: CRDS });
    const items = left.body['items'] as unknown as readonly { readonly metadata: { readonly name: string } }[];
    if (!items.some(({ metadata }) => names.includes(metadata.name))) return;
    if (clock.now() > end) throw new Error('the definitions do not go');
    await clock.sleep(200);
  }
}

/** HardwareData is held for a host, which nobody cares for here. */
async function released(client: KubeClient, namespace: string): Promise<void> {
  for (const version of ['v1alpha1', 'v1beta1']) {
    const path = `/apis/metal3.io/${version}/namespaces/${namespace}/hardwaredata`;
    const { body } = await client.call({ method: 'GET', path }).catch(() => ({ body: {} as JsonObject }));
    const items = (body['items'] ?? []) as unknown as readonly { readonly metadata: { readonly name: string } }[];
    for (const { metadata } of items) {
      await client.call({
        method: 'PATCH',
        path: `${path}/${metadata.name}`,
        contentType: 'application/merge-patch+json',
        body: { metadata: { finalizers: null } },
      });
    }
  }
}
