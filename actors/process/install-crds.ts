// Installation of CustomResourceDefinitions in a cluster.
import { type Contract, crd, crdName, type KubeClient } from '../../adapters/kubernetes/mod.ts';
import { type Clock, type JsonObject, TerminalError, TransientError, toErrorData } from '../../bus/mod.ts';

const PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const MANAGER = 'troupe';
/** Longest wait until the server serves what it was given, in milliseconds. */
const SERVED_WITHIN_MS = 30_000;
const PAUSE_MS = 100;

/**
 * Applies the definitions on the server's side and waits until the server serves them.
 *
 * @throws {TerminalError} a name is taken by another definition; {TransientError} the server takes too long; as `KubeClient.call`
 */
export async function installCrds(
  client: KubeClient,
  clock: Clock,
  onProgress: (line: string) => void,
  contracts: readonly Contract[],
): Promise<void> {
  for (const contract of contracts) {
    try {
      await apply(client, contract);
    } catch (error) {
      if (!(error instanceof TerminalError) || !(await withoutWebhook(client, contract))) throw error;
      await apply(client, contract);
    }
    onProgress(`customresourcedefinition.apiextensions.k8s.io/${crdName(contract)} serverside-applied`);
  }
  const until = clock.now() + SERVED_WITHIN_MS;
  for (const contract of contracts) {
    await served(client, clock, contract, until);
    onProgress(`customresourcedefinition.apiextensions.k8s.io/${crdName(contract)} condition met`);
  }
}

async function apply(client: KubeClient, contract: Contract): Promise<void> {
  await client.call({
    method: 'PATCH',
    path: `${PATH}/${crdName(contract)}?fieldManager=${MANAGER}&force=true`,
    contentType: 'application/apply-patch+yaml',
    body: crd(contract),
  });
}

/**
 * Removes the webhook from a definition that must not have one any more. Its caBundle was written by the webhook
 * server, so a plain apply would keep it, and be rejected. Versions and conversion change in one write: an object is
 * never without a converter.
 *
 * @returns whether it had one
 */
async function withoutWebhook(client: KubeClient, contract: Contract): Promise<boolean> {
  const spec = crd(contract)['spec'] as JsonObject;
  if (strategyOf(spec) === BY_WEBHOOK) return false;
  const path = `${PATH}/${crdName(contract)}`;
  const { body } = await client.call({ method: 'GET', path });
  if (strategyOf(body['spec'] as JsonObject) !== BY_WEBHOOK) return false;
  await client.call({
    method: 'PATCH',
    path: `${path}?fieldManager=${MANAGER}`,
    contentType: 'application/merge-patch+json',
    body: { spec: { ...spec, conversion: { strategy: 'None', webhook: null } } },
  });
  return true;
}

const BY_WEBHOOK = 'Webhook';

function strategyOf({ conversion }: JsonObject): string | undefined {
  return (conversion as { readonly strategy?: string } | undefined)?.strategy;
}

/** The server answers 404 or 429 until a definition is established and its storage is there. */
async function served(client: KubeClient, clock: Clock, contract: Contract, until: number): Promise<void> {
  const path = `/apis/${contract.group}/${contract.version}/${contract.plural}?limit=1`;
  for (;;) {
    try {
      await client.call({ method: 'GET', path });
      return;
    } catch (error) {
      const { code } = toErrorData(error);
      if (code !== 'absent' && code !== 'transient') throw error;
      const { body } = await client.call({ method: 'GET', path: `${PATH}/${crdName(contract)}` });
      const names = conditionOf(body, 'NamesAccepted');
      if (names?.['status'] === 'False') {
        const why = `another definition has its names: ${names['message']}`;
        throw new TerminalError(`'${crdName(contract)}' is not established, ${why}`);
      }
      if (clock.now() > until) {
        const what = `'${crdName(contract)}' is applied and still not served after ${SERVED_WITHIN_MS / 1_000} s`;
        throw new TransientError(what, { cause: error });
      }
    }
    await clock.sleep(PAUSE_MS);
  }
}

function conditionOf({ status }: JsonObject, wanted: string): JsonObject | undefined {
  const conditions = (status as JsonObject | undefined)?.['conditions'] as readonly JsonObject[] | undefined;
  return conditions?.find(({ type }) => type === wanted);
}
