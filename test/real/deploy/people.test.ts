// needs: kube
// What people may do with the kinds, on a real API server, which decides. The cluster's own ClusterRoles take the rules in by
// their labels; the controller that does it is not asked to run here, so both sides of the labels are looked at.
import { randomUUID } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/base/clock.ts';
import { kubeClient } from '../../../adapters/kubernetes/mod.ts';
import type { JsonObject } from '../../../bus/mod.ts';
import { installed, type Manifest } from '../../deploy/manifests.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
/** Rules are at work by then, in milliseconds. */
const EFFECT_MS = 10_000;

const kubeconfig = process.env['KUBECONFIG'];
if (!kubeconfig) {
  console.log('skipped: KUBECONFIG is not set');
} else {
  const test = suite('people and the kinds');
  const clock = systemClock();
  const admin = kubeClient({ clock, kubeconfig });
  const namespace = `people-${randomUUID().slice(0, 8)}`;
  const people = ['troupe-view', 'troupe-edit', 'troupe-admin', 'troupe-windows-edit'];
  const roles = installed().filter(({ kind, metadata }) => kind === 'ClusterRole' && people.includes(metadata.name));

  const apply = (path: string, body: JsonObject): Promise<unknown> =>
    admin.call({
      method: 'PATCH',
      path: `${path}?fieldManager=test&force=true`,
      contentType: 'application/apply-patch+yaml',
      body,
    });
  const may = async (user: string, verb: string, what: string, subresource = ''): Promise<boolean> => {
    const group = what.startsWith('windows') ? 'windows.troupe.dev' : 'openstack.k-orc.cloud';
    const resourceAttributes = { verb, group, resource: what, subresource, namespace };
    const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
    const { body } = await admin.call({ method: 'POST', path, body: { spec: { user, resourceAttributes } } });
    return (body['status'] as { allowed: boolean }).allowed;
  };
  /** What the user of a role may. */
  const verbsOf = async (name: string, what: string, subresource = ''): Promise<string> => {
    const asked = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];
    const answers = await Promise.all(asked.map((verb) => may(`user-of-${name}`, verb, what, subresource)));
    return asked.filter((_, index) => answers[index]).join();
  };

  test.before(async () => {
    await admin.call({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: namespace } } });
    for (const role of roles) {
      const { name } = role.metadata;
      await apply(`${RBAC}/clusterroles/${name}`, role);
      await apply(`${RBAC}/namespaces/${namespace}/rolebindings/${name}`, {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: `user-of-${name}` }],
      });
    }
    // Rules are at work some time after they were written.
    const until = clock.now() + EFFECT_MS;
    for (const { metadata } of roles) {
      const what = metadata.name === 'troupe-windows-edit' ? 'windowsdisks' : 'networks';
      while (!(await may(`user-of-${metadata.name}`, 'get', what)) && clock.now() < until) await clock.sleep(50);
    }
  });

  test.after(async () => {
    for (const { metadata } of roles) {
      await admin.call({ method: 'DELETE', path: `${RBAC}/clusterroles/${metadata.name}` });
    }
    await admin.call({ method: 'DELETE', path: `/api/v1/namespaces/${namespace}` });
    await admin.close();
  });

  test('who views reads, who edits writes, who administers may make owners, and nobody writes status', async () => {
    const all = 'get,list,watch,create,update,patch,delete,deletecollection';
    assert.is(await verbsOf('troupe-view', 'networks'), 'get,list,watch');
    assert.is(await verbsOf('troupe-edit', 'networks'), all);
    assert.is(await verbsOf('troupe-admin', 'networks'), all);
    assert.is(await verbsOf('troupe-edit', 'networks', 'finalizers'), '');
    assert.is(await verbsOf('troupe-admin', 'networks', 'finalizers'), 'update');
    for (const { metadata } of roles) assert.is(await verbsOf(metadata.name, 'networks', 'status'), '');
    assert.is(await verbsOf('troupe-admin', 'subnetpools'), '');
  });

  test('33.C3: what is done on machines of the cluster is written by who is bound to the role for it', async () => {
    const all = 'get,list,watch,create,update,patch,delete,deletecollection';
    for (const name of ['view', 'edit', 'admin']) {
      assert.is(await verbsOf(`troupe-${name}`, 'windowsdisks'), name === 'view' ? 'get,list,watch' : '');
    }
    assert.is(await verbsOf('troupe-windows-edit', 'windowsdisks'), all);
    assert.is(await verbsOf('troupe-windows-edit', 'windowsdisks', 'status'), '');
  });

  test("the cluster's view, edit and admin ask for the labels that the roles have", async () => {
    for (const [name, expected] of Object.entries({
      view: ['troupe-view'],
      edit: ['troupe-edit', 'troupe-view'],
      admin: ['troupe-admin', 'troupe-edit', 'troupe-view'],
    })) {
      const { body } = await admin.call({ method: 'GET', path: `${RBAC}/clusterroles/${name}` });
      const { clusterRoleSelectors } = body['aggregationRule'] as unknown as {
        clusterRoleSelectors: { matchLabels: Record<string, string> }[];
      };
      const taken = roles.filter((role) => clusterRoleSelectors.some(({ matchLabels }) => isAmong(matchLabels, role)));
      assert.equal(taken.map(({ metadata }) => metadata.name).sort(), expected);
    }
  });

  test.run();
}

function isAmong(wanted: Readonly<Record<string, string>>, { metadata }: Manifest): boolean {
  const labels = (metadata['labels'] ?? {}) as Readonly<Record<string, string>>;
  return Object.entries(wanted).every(([key, value]) => labels[key] === value);
}
