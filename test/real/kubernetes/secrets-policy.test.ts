// needs: kube
// The admission policy of deploy/ on a real API server: Troupe's account, which RBAC lets patch Secrets, changes nothing of
// them but finalizers and the marks of hosts, and everybody else is left alone.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/base/clock.ts';
import { type KubeClient, kubeClient } from '../../../adapters/kubernetes/mod.ts';
import { AbsentError, type JsonObject, toErrorData } from '../../../bus/mod.ts';
import { accountFor, NAMESPACE } from '../../actors/deployed.ts';
import { installed } from '../../deploy/manifests.ts';

const ADMISSION = '/apis/admissionregistration.k8s.io/v1';
const PATHS: Readonly<Record<string, string>> = {
  ValidatingAdmissionPolicy: `${ADMISSION}/validatingadmissionpolicies`,
  ValidatingAdmissionPolicyBinding: `${ADMISSION}/validatingadmissionpolicybindings`,
};
const SECRET = { type: 'Opaque', stringData: { password: 'as it was' } };
/** A policy is at work some time after it was made, in milliseconds. */
const EFFECT_MS = 30_000;

const kubeconfig = process.env['KUBECONFIG'];
if (!kubeconfig) {
  console.log('skipped: KUBECONFIG is not set');
} else {
  const clock = systemClock();
  const admin = kubeClient({ clock, kubeconfig });
  const test = suite("Troupe's account and Secrets");
  const namespace = `secrets-${randomUUID().slice(0, 8)}`;
  const secrets = `/api/v1/namespaces/${namespace}/secrets`;
  const policies: readonly JsonObject[] = installed().filter(({ kind }) => Object.hasOwn(PATHS, kind));
  const own = policies.map((policy) => ({ path: PATHS[String(policy['kind'])] ?? '', policy }));
  let troupe: KubeClient;
  let folder = '';

  const patch = (
    client: KubeClient,
    body: JsonObject,
    contentType = 'application/merge-patch+json',
  ): Promise<unknown> =>
    client.call({
      method: 'PATCH',
      path: `${secrets}/held?fieldManager=test${contentType.includes('apply') ? '&force=true' : ''}`,
      contentType,
      body,
    });
  const refusal = async (attempt: () => Promise<unknown>): Promise<string | undefined> => {
    try {
      await attempt();
      return undefined;
    } catch (error) {
      return toErrorData(error).message;
    }
  };

  test.before(async () => {
    await admin.call({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: namespace } } });
    for (const { path, policy } of own) {
      const name = (policy['metadata'] as JsonObject)['name'];
      const contentType = 'application/apply-patch+yaml';
      await admin.call({
        method: 'PATCH',
        path: `${path}/${name}?fieldManager=test&force=true`,
        contentType,
        body: policy,
      });
    }
    await admin.call({ method: 'POST', path: secrets, body: { metadata: { name: 'held' }, ...SECRET } });
    folder = await mkdtemp(join(tmpdir(), 'troupe-secrets-'));
    await writeFile(join(folder, 'kubeconfig'), await accountFor(['actors'], { kubeconfig, clock }), { mode: 0o600 });
    troupe = kubeClient({ clock, kubeconfig: join(folder, 'kubeconfig') });
    const until = clock.now() + EFFECT_MS;
    for (let round = 0; ; round += 1) {
      const refused = await refusal(() => patch(troupe, { data: { password: btoa(`other ${round}`) } }));
      if (refused?.includes('but its finalizers')) break;
      if (clock.now() > until) throw new Error(`the policy is not at work: ${refused ?? 'the write was taken'}`);
      await clock.sleep(200);
    }
    await patch(admin, { stringData: SECRET.stringData });
  });

  test.after(async () => {
    for (const { path, policy } of own) {
      await admin.call({ method: 'DELETE', path: `${path}/${(policy['metadata'] as JsonObject)['name']}` });
    }
    await patch(admin, { metadata: { finalizers: null } });
    await admin.call({ method: 'DELETE', path: `/api/v1/namespaces/${namespace}` });
    await troupe.close();
    await admin.close();
    await rm(folder, { recursive: true });
  });

  test('finalizers are put on and taken off', async () => {
    const finalizers = ['openstack.k-orc.cloud/network'];
    const apply = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'held', finalizers } };
    await patch(troupe, apply, 'application/apply-patch+yaml');
    await patch(troupe, [{ op: 'remove', path: '/metadata/finalizers/0' }] as never, 'application/json-patch+json');
    await patch(troupe, apply, 'application/apply-patch+yaml');
  });

  test('hosts mark the Secrets that are used for them, and nothing of what others have put there goes', async () => {
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const { body: owner } = await admin.call({ method: 'POST', path, body: { metadata: { name: 'kept' } } });
    const uid = String((owner['metadata'] as JsonObject)['uid']);
    const kept = { apiVersion: 'v1', kind: 'ConfigMap', name: 'kept', uid };
    await patch(admin, { metadata: { labels: { team: 'metal' }, ownerReferences: [kept] } });
    const host = { apiVersion: 'metal3.io/v1alpha1', kind: 'BareMetalHost', name: 'a', uid: 'a', controller: false };
    const labels = { 'environment.metal3.io': 'baremetal' };
    const metadata = { name: 'held', labels, ownerReferences: [host] };
    await patch(troupe, { apiVersion: 'v1', kind: 'Secret', metadata }, 'application/apply-patch+yaml');
    const { body } = await admin.call({ method: 'GET', path: `${secrets}/held` });
    const stored = body['metadata'] as JsonObject;
    assert.equal(stored['labels'], { team: 'metal', ...labels });
    assert.equal(
      (stored['ownerReferences'] as JsonObject[]).map(({ name }) => name),
      ['kept', 'a'],
    );
    for (const change of [
      { labels: { team: null } },
      { labels: { team: 'other' } },
      { labels: { team: null, 'environment.metal3.io': null } },
      { ownerReferences: [host] },
      { ownerReferences: null },
    ]) {
      const refused = await refusal(() => patch(troupe, { metadata: change }));
      assert.match(refused ?? 'taken', 'but its finalizers', JSON.stringify(change));
    }
    await patch(admin, { metadata: { labels: null, ownerReferences: null } });
  });

  for (const [what, body] of [
    ['the data', { data: { password: btoa('another') } }],
    ['more data', { stringData: { more: 'data' } }],
    ['less data', { data: { password: null } }],
    ['immutability', { immutable: true }],
    ['labels', { metadata: { labels: { a: 'b' } } }],
    ['annotations', { metadata: { annotations: { a: 'b' } } }],
    ['owners', { metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'b' }] } }],
  ] as const) {
    test(`${what} stay as they are`, async () => {
      assert.match((await refusal(() => patch(troupe, body as JsonObject))) ?? 'taken', 'but its finalizers');
    });
  }

  test('33.D: what Ironic reads of switches is written and removed, and nothing beside it', async () => {
    const [config, file] = ['switch-configs.conf', '00-11-22-aa-bb-CC.key'];
    await patch(troupe, { data: { [config]: btoa('text'), [file]: btoa('key') } });
    await patch(troupe, { data: { [config]: btoa('other'), [file]: null } });
    for (const key of ['switch-configs', `x-${config}`, `x${file}`, 'a.key', `${file}.x`]) {
      const refused = await refusal(() => patch(troupe, { data: { [config]: btoa('more'), [key]: btoa('x') } }));
      assert.match(refused ?? 'taken', 'but its finalizers', key);
    }
    const both = await refusal(() => patch(troupe, { data: { [config]: null, password: null } }));
    assert.match(both ?? 'taken', 'but its finalizers');
    await patch(troupe, { data: { [config]: null } });
  });

  test('all others may do everything, other accounts of the namespace of Troupe too', async () => {
    const as = {
      user: `system:serviceaccount:${NAMESPACE}:namespace-controller`,
      groups: ['system:masters', `system:serviceaccounts:${NAMESPACE}`],
    };
    await admin.call({ method: 'POST', path: secrets, body: { metadata: { name: 'of-another' } }, as });
    await admin.call({ method: 'DELETE', path: `${secrets}/of-another`, as });
    await patch(admin, { stringData: { password: 'rotated' }, metadata: { labels: { by: 'admin' } } });
    const { body } = await admin.call({ method: 'GET', path: `${secrets}/held` });
    assert.is((body['data'] as JsonObject)['password'], btoa('rotated'));
  });

  test('a Secret that is not there is not made', async () => {
    const path = `${secrets}/new?fieldManager=test&force=true`;
    const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'new' } };
    const contentType = 'application/apply-patch+yaml';
    const refused = await refusal(() => troupe.call({ method: 'PATCH', path, contentType, body }));
    assert.is.not(refused, undefined);
    try {
      await admin.call({ method: 'GET', path: `${secrets}/new` });
      assert.unreachable();
    } catch (error) {
      assert.instance(error, AbsentError);
    }
  });

  test.run();
}
