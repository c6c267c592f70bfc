// needs: kube helm
// A release of the chart on a real API server goes from values to values, and definitions go with it, but for their end.
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse, stringify } from 'yaml';
import { systemClock } from '../../../actors/base/clock.ts';
import { kubeClient } from '../../../adapters/kubernetes/mod.ts';
import type { JsonObject } from '../../../bus/mod.ts';
import { findHelm } from '../../../deploy/helm.ts';
import { kubectl } from '../../actors/deployed.ts';
import { CHART } from '../../deploy/helm.ts';
import { findKubectl } from '../../deploy/kubectl.ts';

const NAMESPACE = 'troupe-system';
const DEFINITION = 'networks.openstack.k-orc.cloud';

/** Rules are at work by then, in milliseconds. */
const EFFECT_MS = 10_000;

const { KUBECONFIG: kubeconfig } = process.env;
const helm = await findHelm(process.env);
const missing = [
  kubeconfig ? [] : 'KUBECONFIG is not set',
  helm ? [] : 'there is no helm on the PATH',
  (await findKubectl(process.env)) ? [] : 'there is no kubectl on the PATH',
].flat();

if (!kubeconfig || !helm || missing.length > 0) {
  console.log(`skipped: ${missing.join(', ')}`);
} else {
  const test = suite('the Helm chart on a real API server');
  const clock = systemClock();
  const admin = kubeClient({ clock, kubeconfig });
  let folder = '';

  const on = (...args: readonly string[]): Promise<string> => kubectl(kubeconfig, ...args);
  const upgrade = (values: object = {}, chart = CHART): Promise<string> =>
    helm(
      [
        'upgrade',
        '--install',
        'troupe',
        chart,
        '--namespace',
        NAMESPACE,
        '--take-ownership',
        '--force-conflicts',
        '--reset-values',
      ],
      {
        values,
        kubeconfig,
      },
    );
  const mayRead = async (account: string, namespace: string): Promise<boolean> => {
    const resourceAttributes = { verb: 'get', resource: 'secrets', namespace };
    const { body } = await admin.call({
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      body: { spec: { user: `system:serviceaccount:${NAMESPACE}:${account}`, resourceAttributes } },
    });
    return (body['status'] as { allowed: boolean }).allowed;
  };
  /** Rules are at work some time after they were written. */
  const reads = async (account: string, expected: Readonly<Record<string, boolean>>): Promise<void> => {
    for (const [namespace, may] of Object.entries(expected)) {
      const until = clock.now() + EFFECT_MS;
      while ((await mayRead(account, namespace)) !== may && clock.now() < until) await clock.sleep(100);
      assert.is(await mayRead(account, namespace), may, `${account} in ${namespace}`);
    }
  };
  const columns = async (): Promise<readonly string[]> => {
    const crd = JSON.parse(await on('get', `crd/${DEFINITION}`, '-o', 'json')) as Definition;
    return (crd.spec.versions[0]?.additionalPrinterColumns ?? []).map(({ name }) => name);
  };

  test.before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'troupe-chart-'));
    // Other suites have used it before.
    await on('get', 'namespace', NAMESPACE).catch(() => on('create', 'namespace', NAMESPACE));
    await on('label', `namespace/${NAMESPACE}`, 'pod-security.kubernetes.io/enforce=restricted');
    for (const name of ['shop', 'lab']) await on('create', 'namespace', `chart-${name}`);
  });

  test.after(async () => {
    await helm(['uninstall', 'troupe', '--namespace', NAMESPACE], { kubeconfig });
    await on('delete', 'namespace', NAMESPACE, 'chart-shop', 'chart-lab');
    await admin.close();
    await rm(folder, { recursive: true });
  });

  test('definitions of an older release are brought up to date by an upgrade', async () => {
    const older = join(folder, 'older');
    await cp(CHART, older, { recursive: true, dereference: true });
    const path = join(older, 'files/crds/openstack.k-orc.cloud_networks.yaml');
    const crd = parse(await readFile(path, 'utf8')) as Definition;
    const [version] = crd.spec.versions;
    version?.additionalPrinterColumns.pop();
    await writeFile(path, stringify(crd));
    await upgrade({}, older);
    const were = await columns();
    await upgrade();
    const are = await columns();
    assert.equal(are.slice(0, -1), were);
  });

  test('its pods are as the namespace demands', async () => {
    for (const values of [{}, { roles: { split: true } }]) {
      await upgrade(values);
      const { items } = JSON.parse(await on('-n', NAMESPACE, 'get', 'deployments,statefulsets', '-o', 'json')) as {
        items: readonly Workload[];
      };
      assert.ok(items.length >= 2);
      for (const { metadata, spec } of items) {
        const claimed = (spec.volumeClaimTemplates ?? []).map(({ metadata: { name } }) => ({ name, emptyDir: {} }));
        const { volumes = [], ...rest } = spec.template.spec;
        const pod = {
          metadata: { ...spec.template.metadata, name: metadata.name },
          spec: { ...rest, volumes: [...volumes, ...claimed] },
        };
        await admin.call({ method: 'POST', path: `/api/v1/namespaces/${NAMESPACE}/pods?dryRun=All`, body: pod });
      }
    }
  });

  test('roles apart have accounts of their own, and the one of all is gone', async () => {
    await upgrade({ roles: { split: true } });
    const accounts = await on('-n', NAMESPACE, 'get', 'serviceaccounts', '-o', 'name');
    const names = accounts
      .trim()
      .split('\n')
      .filter((name) => name.includes('troupe'));
    assert.equal(
      names,
      ['actors', 'bus', 'ironic', 'openstack', 'watch'].map((name) => `serviceaccount/troupe-${name}`),
    );
    await reads('troupe-openstack', { 'chart-lab': true });
    await reads('troupe-watch', { 'chart-lab': false });
    await reads('troupe', { 'chart-lab': false });
  });

  test('pods of Windows nodes come where the namespace lets in who is privileged', async () => {
    await upgrade({ windows: { enabled: true } });
    const daemonSet = JSON.parse(
      await on('-n', NAMESPACE, 'get', 'daemonset/troupe-csi-proxy', '-o', 'json'),
    ) as Workload;
    const { metadata, spec } = daemonSet.spec.template;
    const body = { metadata: { ...metadata, name: 'windows' }, spec };
    const create = (): Promise<unknown> =>
      admin.call({ method: 'POST', path: `/api/v1/namespaces/${NAMESPACE}/pods?dryRun=All`, body });
    const standard = (name: string): Promise<string> =>
      on('label', '--overwrite', `namespace/${NAMESPACE}`, `pod-security.kubernetes.io/enforce=${name}`);
    const refusal = await create().then(String, (error: Error) => error.message);
    assert.match(refusal, /violates PodSecurity "restricted:latest".*hostProcess/);
    try {
      await standard('privileged');
      await create();
    } finally {
      await standard('restricted');
    }
  });

  test('pods of Windows nodes read Secrets where somebody lets them', async () => {
    await upgrade({ windows: { enabled: true } });
    const nowhere = { 'chart-shop': false, 'chart-lab': false, [NAMESPACE]: false };
    await reads('troupe-csi-proxy', nowhere);
    const account = `--serviceaccount=${NAMESPACE}:troupe-csi-proxy`;
    const binding = ['rolebinding', 'troupe-csi-proxy-secrets'];
    await on('-n', 'chart-shop', 'create', ...binding, '--clusterrole=troupe-csi-proxy-secrets', account);
    await reads('troupe-csi-proxy', { ...nowhere, 'chart-shop': true });
    await on('-n', 'chart-shop', 'delete', ...binding);
  });

  test('with namespaces, Secrets of others are out of reach', async () => {
    await upgrade();
    await reads('troupe', { 'chart-shop': true, 'chart-lab': true });
    await upgrade({ namespaces: ['chart-shop'] });
    await reads('troupe', { 'chart-shop': true, 'chart-lab': false });
  });

  test.run();
}

interface Named {
  readonly metadata: { readonly name: string };
}

interface Workload extends Named {
  readonly spec: {
    readonly template: { readonly metadata: JsonObject; readonly spec: { readonly volumes?: readonly JsonObject[] } };
    readonly volumeClaimTemplates?: readonly Named[];
  };
}

interface Definition {
  readonly spec: { readonly versions: readonly { readonly additionalPrinterColumns: { name: string }[] }[] };
}
