// `troupe crds`: the CustomResourceDefinitions of all kinds.
import { crd, crdFile, type KubeClient, kubeClient } from '../adapters/kubernetes/mod.ts';
import { openstackContracts } from '../adapters/openstack/mod.ts';
import type { Clock, JsonObject } from '../bus/mod.ts';
import type { Config } from './config.ts';
import { USER_AGENT } from './version.ts';

const PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const MANAGER = 'troupe';

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
  for (const { plural, group } of openstackContracts) {
    while (!isEstablished((await client.call({ method: 'GET', path: `${PATH}/${plural}.${group}` })).body))
      await clock.sleep(100);
  }
}

function isEstablished({ status }: JsonObject): boolean {
  const conditions = (status as JsonObject | undefined)?.['conditions'] as readonly JsonObject[] | undefined;
  return conditions?.some(({ type, status: value }) => type === 'Established' && value === 'True') ?? false;
}
