// long
// The role `ocm` as a process: models over HTTP whose objects are in the cluster, and what it refuses to start with.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../../actors/base/clock.ts';
import { installCrds } from '../../../../actors/cli/crds.ts';
import { rulesOf } from '../../../../actors/process/cluster-rules.ts';
import { modelAdapter } from '../../../../adapters/ocm/adapter.ts';
import { bindKinds } from '../../../../adapters/ocm/kinds/kinds.ts';
import { openApiServer } from '../../../world/api-server.ts';
import { MODELS } from '../kinds/models.ts';
import { modelOf } from './model.ts';
import { freePort, startTroupe } from './troupe-process.ts';

const test = suite('role ocm');
const FLEET = { service: 'fleet_mgmt', version: 'v1_alpha1' } as const;
const BINDINGS = [
  { ...FLEET, class: 'Cluster', statusAttributes: ['State'] },
  { ...FLEET, class: 'NodePool' },
] as const;
const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

test('36.7: run --roles ocm serves the models of a cluster, counts requests, and ends in order', async () => {
  const clock = systemClock();
  const server = await openApiServer({ clock });
  const client = server.client();
  const bindings = join(server.folder, 'bindings.yaml');
  await writeFile(bindings, JSON.stringify({ kinds: BINDINGS }));
  const { kinds } = bindKinds(modelOf(MODELS), BINDINGS);
  const adapter = modelAdapter(kinds);
  await installCrds(client, clock, () => undefined, adapter.contracts);
  const port = await freePort();
  const args = ['run', '--roles', 'ocm', '--models', MODELS, '--model-bindings', bindings];
  const places = ['--ocm-bind-address', '127.0.0.1:0', '--metrics-bind-address', `127.0.0.1:${port}`];
  const role = startTroupe([...args, ...places, '--metrics-secure=false'], { KUBECONFIG: server.kubeconfig });
  try {
    const url = await role.find(/(http:\/\/127\.0\.0\.1:\d+)/);
    const clusters = `${url}/api/fleet_mgmt/v1_alpha1/clusters`;
    const headers = { 'content-type': 'application/json', traceparent: TRACEPARENT };
    for (;;) {
      const { status } = await fetch(clusters);
      if (status === 200) break;
      assert.is(status, 503);
      await clock.sleep(50);
    }
    const added = await fetch(clusters, { method: 'POST', headers, body: JSON.stringify({ name: 'first' }) });
    assert.is(added.status, 201, await added.clone().text());
    const { id, href } = (await added.json()) as { id: string; href: string };
    const pool = await fetch(`${url}${href}/node_pools`, { method: 'POST', headers, body: '{"id":"p","replicas":2}' });
    assert.is(pool.status, 201, await pool.text());
    const path = '/apis/fleet-mgmt.models.troupe.dev/v1alpha1/namespaces/default/nodepools/p';
    const { body } = await client.call({ method: 'GET', path });
    const { metadata, spec } = body as { metadata: { annotations?: Record<string, string> }; spec?: unknown };
    assert.equal(spec, { replicas: 2, clusterRef: id });
    assert.equal(metadata.annotations, {
      'troupe/traceparent': TRACEPARENT,
      'troupe/traceparent-generation': '1',
    });
    // Of what nothing is bound to nothing is served.
    assert.is((await fetch(`${url}/api/fleet_mgmt/v1_alpha1/regions`)).status, 501);
    const figures = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    assert.match(figures, /troupe_api_requests_total\{service="fleet_mgmt",method="POST",code="201"\} 2/);
    assert.is(await role.stop(), 0, role.text());
  } finally {
    await role.stop();
    await client.close();
    await server.close();
  }
});

test('36.7: what makes no sense is refused with the option that says it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-role-'));
  const kubeconfig = join(folder, 'none');
  const refused = async (...args: readonly string[]): Promise<string> => {
    const role = startTroupe(['run', ...args], { KUBECONFIG: kubeconfig, NATS_URL: 'nats://127.0.0.1:1' });
    assert.is(await role.ended, 2, role.text());
    return role.text();
  };
  try {
    const models = ['--models', MODELS] as const;
    assert.match(await refused('--ocm-bind-address', '127.0.0.1:0'), 'name them with --models');
    assert.match(await refused(...models, '--roles', 'ocm'), "the role 'ocm' needs --ocm-bind-address");
    assert.match(await refused('--roles', 'ocm'), 'must be a comma-separated list of');
    const at = [...models, '--roles', 'ocm', '--ocm-bind-address', '127.0.0.1:0'];
    assert.match(await refused(...at, '--ocm-writes-as', 'root'), "--ocm-writes-as is 'caller' or 'self', not 'root'");
    assert.match(await refused(...at, '--ocm-tls-cert', 'x'), '--ocm-tls-cert and --ocm-tls-key belong together');
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('36.7: the role may do with its kinds what clients ask for, and nothing with Secrets', () => {
  const { kinds } = bindKinds(modelOf(MODELS), BINDINGS);
  const rules = rulesOf([modelAdapter(kinds, 'self')], ['ocm']);
  assert.equal(
    rules.find(({ apiGroups }) => apiGroups[0] === 'fleet-mgmt.models.troupe.dev'),
    {
      apiGroups: ['fleet-mgmt.models.troupe.dev'],
      resources: ['clusters', 'nodepools'],
      verbs: ['create', 'delete', 'get', 'list', 'patch', 'watch'],
    },
  );
  const isOfUsers = ({ resources, verbs }: (typeof rules)[number]): boolean =>
    resources.includes('users') && verbs.includes('impersonate');
  assert.not(rules.some(isOfUsers));
  const asCaller = rulesOf([modelAdapter(kinds, 'caller')], ['ocm']);
  assert.equal(asCaller.find(({ resources }) => resources.includes('clusters'))?.verbs, ['get', 'list', 'watch']);
  assert.ok(asCaller.some(isOfUsers));
  assert.not([...rules, ...asCaller].some(({ resources }) => resources.includes('secrets')));
});

test.run();
