// `troupe crds`: the CustomResourceDefinitions of all kinds.
import { crd, crdFile, type KubeClient, kubeClient } from '../adapters/kubernetes/mod.ts';
import { openstackContracts } from '../adapters/openstack/mod.ts';
import { type Clock, type JsonObject, toErrorData } from '../bus/mod.ts';
import type { Config } from './config.ts';
import { USER_AGENT } from './version.ts';

const PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const MANAGER = 'troupe';
/** Longest wait until the server serves what it was given, in milliseconds. */
const SERVED_WITHIN_MS = 30_000;
const PAUSE_MS = 100;

export async function printCrds(out: NodeJS.WritableStream): Promise<number> {
  out.write(openstackContracts.map((contract) => crdFile(contract).text).join('---\n'));
  return 0;
}

/** `troupe crds --apply`. @throws as `KubeClient.call` */
export async function applyCrds({
  config,
  clock,
  out,
}: {
  config: Config;
  clock: Clock;
  out: NodeJS.WritableStream;
}): Promise<number> {
  const client = kubeClient({ clock, kubeconfig: config.kubeconfig, userAgent: USER_AGENT });
  try {
    await installCrds(client, clock, (line) => out.write(`${line}\n`));
  } finally {
    await client.close();
  }
  return 0;
}

/** Applies the definitions on the server's side and waits until the server serves them. */
export async function installCrds(client: KubeClient, clock: Clock, onProgress: (line: string) => void): Promise<void> {
  for (const contract of openstackContracts) {
    const name = `${contract.plural}.${contract.group}`;
    await client.call({
      method: 'PATCH',
      path: `${PATH}/${name}?fieldManager=${MANAGER}&force=true`,
      contentType: 'application/apply-patch+yaml',
      body: crd(contract),
    });
    onProgress(`customresourcedefinition.apiextensions.k8s.io/${name} serverside-applied`);
  }
  const until = clock.now() + SERVED_WITHIN_MS;
  for (const { plural, group, version } of openstackContracts) {
    while (!isEstablished((await client.call({ method: 'GET', path: `${PATH}/${plural}.${group}` })).body)) {
      await clock.sleep(PAUSE_MS);
    }
    await served(client, clock, `/apis/${group}/${version}/${plural}?limit=1`, until);
  }
}

/** Established comes before the storage of a resource is there: until then the server answers 404 or 429. */
async function served(client: KubeClient, clock: Clock, path: string, until: number): Promise<void> {
  for (;;) {
    try {
      await client.call({ method: 'GET', path });
      return;
    } catch (error) {
      const { code } = toErrorData(error);
      if (clock.now() > until || (code !== 'absent' && code !== 'transient')) throw error;
    }
    await clock.sleep(PAUSE_MS);
  }
}

function isEstablished({ status }: JsonObject): boolean {
  const conditions = (status as JsonObject | undefined)?.['conditions'] as readonly JsonObject[] | undefined;
  return conditions?.some(({ type, status: value }) => type === 'Established' && value === 'True') ?? false;
}
