// needs: kube helm nats
// The ways to install on a real API server: by the one file, and by Helm. The same objects come of both, and a pod's
// process, started here as its Deployment says for want of a node, works with them under its account.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/base/clock.ts';
import { kubeClient } from '../../../adapters/kubernetes/mod.ts';
import type { JsonObject } from '../../../bus/mod.ts';
import { findHelm } from '../../../deploy/helm.ts';
import { asAccount, kubectl } from '../../actors/deployed.ts';
import { TroupeProcess } from '../../actors/processes.ts';
import { CHART, plain, templated } from '../../deploy/helm.ts';
import { findKubectl } from '../../deploy/kubectl.ts';
import { identityOf, installed as installedManifests, type Manifest, manifestsText } from '../../deploy/manifests.ts';
import { blocksOf, commandsOf, ROOT } from '../../docs/blocks.ts';

const DEPLOY = fileURLToPath(new URL('../../../deploy', import.meta.url));
/** The page on installation. */
const PAGE = 'deploy/README.md';
const NAMESPACE = 'troupe-system';
const run = promisify(execFile);
const DEADLINE_MS = 60_000;

const { KUBECONFIG: kubeconfig, NATS_URL: natsUrl } = process.env;
const helm = await findHelm(process.env);
const program = await findKubectl(process.env);
const missing = [
  kubeconfig ? [] : 'KUBECONFIG is not set',
  natsUrl ? [] : 'NATS_URL is not set',
  helm ? [] : 'there is no helm on the PATH',
  program ? [] : 'there is no kubectl on the PATH',
].flat();

if (!kubeconfig || !natsUrl || !helm || !program || missing.length > 0) {
  console.log(`skipped: ${missing.join(', ')}`);
} else {
  const test = suite('ways to install');
  const clock = systemClock();
  const admin = kubeClient({ clock, kubeconfig });
  const tenant = `tenant-${randomUUID().slice(0, 8)}`;
  const file = join(DEPLOY, 'install.yaml');
  const installed = installedManifests();
  const passing = installed.filter(({ kind }) => kind !== 'CustomResourceDefinition');
  let folder = '';

  const on = (...args: readonly string[]): Promise<string> => kubectl(kubeconfig, ...args);
  const inFile = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  const onHelm = (...args: readonly string[]): Promise<string> =>
    helm([...args, '--namespace', NAMESPACE], { kubeconfig });
  /** Definitions that are there already are the cluster's of before: taken over, as from another way to install. */
  const byHelm = (chart: string, ...more: readonly string[]): Promise<string> =>
    onHelm('upgrade', '--install', '--take-ownership', 'troupe', chart, ...more);

  /** What the API server has of everything that a file names, install.yaml unless it is another one. */
  const there = async (named = file): Promise<readonly Manifest[]> => {
    // The page puts an image of a registry into the file; Helm keeps the image of the chart here.
    const text = (await on('get', '-f', named, '-o', 'json')).replaceAll('registry.example.com/troupe:', 'troupe:');
    const { items } = JSON.parse(text) as { items: readonly Manifest[] };
    return items.map(stored).sort((a, b) => (identityOf(a) < identityOf(b) ? -1 : 1));
  };
  const removed = async (): Promise<void> => {
    await on('delete', '--ignore-not-found', '-f', await inFile('passing.yaml', manifestsText(passing)));
  };

  /** Types the commands of a page that begin so, in the root of the checkout. */
  const typedFrom = async (page: string, beginning: string): Promise<void> => {
    const blocks = blocksOf(page, await readFile(join(ROOT, page), 'utf8'));
    const commands = blocks.flatMap(commandsOf).filter((command) => command.startsWith(beginning));
    assert.ok(commands.length > 0, `${page} has no ${beginning}`);
    const env = { ...process.env, KUBECONFIG: kubeconfig };
    for (const command of commands) await run('bash', ['-c', command], { cwd: ROOT, env, maxBuffer: 2 ** 26 });
  };

  test.before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'troupe-ways-'));
    await removed();
    await admin.call({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: tenant } } });
  });

  test.after(async () => {
    await removed();
    await on('delete', 'namespace', tenant);
    await admin.close();
    await rm(folder, { recursive: true });
  });

  let first: readonly Manifest[] | undefined;
  for (const [way, install, uninstall] of [
    [
      'one file',
      () => typedFrom(PAGE, 'kubectl apply --server-side -f <(sed '),
      () => typedFrom('deploy/from-orc.md', 'kubectl delete '),
    ],
    [
      'Helm',
      async () => {
        // Helm wants the namespace to be there.
        const namespaces = installed.filter(({ kind }) => kind === 'Namespace');
        await on('apply', '--server-side', '-f', await inFile('namespace.yaml', manifestsText(namespaces)));
        return byHelm(CHART);
      },
      async () => {
        await onHelm('uninstall', 'troupe');
        await on('delete', 'namespace', NAMESPACE);
      },
    ],
  ] as const) {
    test(`by ${way}: the same objects, and the process of a pod works with them`, async () => {
      await install();
      const objects = await there();
      assert.equal(objects.map(identityOf), installed.map(identityOf).sort());
      first ??= objects;
      for (const [index, object] of objects.entries()) assert.equal(object, first[index], identityOf(object));
      await worksAsPod(way);
      await uninstall();
      for (const { kind, metadata } of passing) await isGone(kind, metadata.name);
      await on('get', '-o', 'name', 'crd/networks.openstack.k-orc.cloud');
    });
  }

  test('with pods for Windows nodes: the same objects by a file and by Helm', async () => {
    const manifests = await templated(helm, { windows: { enabled: true }, createNamespace: true });
    const passing = manifests.filter(({ kind }) => kind !== 'CustomResourceDefinition');
    const all = await inFile('windows.yaml', manifestsText(manifests));
    const leaving = await inFile('windows-passing.yaml', manifestsText(passing));
    await on('apply', '--server-side', '-f', all);
    const objects = await there(all);
    assert.equal(objects.map(identityOf), manifests.map(identityOf).sort());
    assert.ok(objects.some(({ kind, metadata }) => kind === 'DaemonSet' && metadata.name === 'troupe-csi-proxy'));
    await on('delete', '-f', leaving);
    const namespaces = manifests.filter(({ kind }) => kind === 'Namespace');
    await on('apply', '--server-side', '-f', await inFile('namespace.yaml', manifestsText(namespaces)));
    await byHelm(CHART, '--set', 'windows.enabled=true');
    for (const [index, object] of (await there(all)).entries())
      assert.equal(object, objects[index], identityOf(object));
    await onHelm('uninstall', 'troupe');
    await on('delete', '--ignore-not-found', '-f', leaving);
  });

  const isGone = async (kind: string, name: string): Promise<void> => {
    assert.is(
      await on('-n', NAMESPACE, 'get', '--ignore-not-found', '-o', 'name', `${kind}/${name}`),
      '',
      `${kind}/${name}`,
    );
  };

  /** Runs what the Deployment says, with its account, until it has told of an object what it waits for. */
  const worksAsPod = async (way: string): Promise<void> => {
    const { spec } = JSON.parse(await on('-n', NAMESPACE, 'get', 'deployment/troupe', '-o', 'json')) as {
      spec: { template: { spec: { serviceAccountName: string; containers: { args: string[] }[] } } };
    };
    const { serviceAccountName, containers } = spec.template.spec;
    const account = await inFile('account', await asAccount(admin, clock, kubeconfig, serviceAccountName));
    // Ports of the pod's own are the machine's here.
    const args = (containers[0]?.args ?? []).map((arg) =>
      arg.replace(/-bind-address=:\d+$/, '-bind-address=127.0.0.1:0'),
    );
    const prefix = `ways-${randomUUID().slice(0, 8)}`;
    const pod = new TroupeProcess({ ground: { kubeconfig: account, nats: { url: natsUrl, prefix } } }, {}, args);
    const name = `net-${way.toLowerCase().replace(' ', '-')}`;
    const path = `/apis/openstack.k-orc.cloud/v1alpha1/namespaces/${tenant}/networks`;
    try {
      const credentials = { cloudCredentialsRef: { cloudName: 'openstack', secretName: 'not-there' } };
      const body = {
        apiVersion: 'openstack.k-orc.cloud/v1alpha1',
        kind: 'Network',
        metadata: { name },
        spec: credentials,
      };
      await admin.call({ method: 'POST', path, body: { ...body, spec: { ...credentials, resource: {} } } });
      let message = '';
      for (const until = clock.now() + DEADLINE_MS; !message.includes('not-there'); await clock.sleep(100)) {
        if (clock.now() > until) assert.unreachable(`status says '${message}'; ${pod.said.join('\n')}`);
        const { body: network } = await admin.call({ method: 'GET', path: `${path}/${name}` });
        const { conditions = [] } = (network['status'] ?? {}) as { conditions?: { message: string }[] };
        message = conditions.map((condition) => condition.message).join();
      }
      await on('-n', tenant, 'delete', `network.openstack.k-orc.cloud/${name}`);
    } finally {
      await pod.stop();
    }
  };

  test.run();
}

/** Without what the API server writes: the address of a Service, and what tells the pods of a Job from those of others. */
function stored(manifest: Manifest): Manifest {
  const { status: _, ...rest } = plain(manifest);
  const { uid, resourceVersion, creationTimestamp, generation, managedFields, ...metadata } = rest.metadata;
  if (manifest.kind === 'Job') {
    const { selector, template, ...spec } = manifest['spec'] as JsonObject;
    const text = JSON.stringify(template).replaceAll(/"[^"]*controller-uid":"[^"]*",?/g, '');
    return { ...rest, metadata, spec: { ...spec, template: JSON.parse(text) } } as Manifest;
  }
  if (manifest.kind !== 'Service') return { ...rest, metadata } as Manifest;
  const { clusterIP, clusterIPs, ...spec } = manifest['spec'] as JsonObject;
  return { ...rest, metadata, spec: clusterIP === 'None' ? { ...spec, clusterIP } : spec } as Manifest;
}
