// long
// The role `ocm` as a process that clients, kubelet and collectors look at: readiness, TLS with a certificate of an own authority, figures.
import { writeFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../../actors/base/clock.ts';
import { installCrds } from '../../../../actors/process/install-crds.ts';
import { certify, makeAuthority } from '../../../../adapters/kubernetes/tls/certificates.ts';
import { modelAdapter } from '../../../../adapters/ocm/adapter.ts';
import { bindKinds } from '../../../../adapters/ocm/kinds/kinds.ts';
import { type ApiServer, openApiServer } from '../../../world/api-server.ts';
import { MODELS } from '../kinds/models.ts';
import { modelOf } from './model.ts';
import { askSecurely } from './secure.ts';
import { freePort, startTroupe } from './troupe-process.ts';

const test = suite('role ocm: what others see');
const FLEET = { service: 'fleet_mgmt', version: 'v1_alpha1' } as const;
const BINDINGS = [
  { ...FLEET, class: 'Cluster', statusAttributes: ['State'] },
  { ...FLEET, class: 'NodePool' },
] as const;
const CLUSTERS = '/api/fleet_mgmt/v1_alpha1/clusters';
const clock = systemClock();
const { contracts } = modelAdapter(bindKinds(modelOf(MODELS), BINDINGS).kinds);

async function eventually<T>(read: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await read();
    if (found !== undefined) return found;
    await clock.sleep(50);
  }
}

async function within(run: (server: ApiServer, args: readonly string[]) => Promise<void>): Promise<void> {
  const server = await openApiServer({ clock });
  try {
    const bindings = join(server.folder, 'bindings.yaml');
    await writeFile(bindings, JSON.stringify({ kinds: BINDINGS }));
    await run(server, ['run', '--roles', 'ocm', '--models', MODELS, '--model-bindings', bindings]);
  } finally {
    await server.close();
  }
}

test('36.7: the role alone is ready when all objects that it serves have been read, and not before', () =>
  within(async (server, args) => {
    const port = await freePort();
    const places = ['--ocm-bind-address', '127.0.0.1:0', '--health-probe-bind-address', `127.0.0.1:${port}`];
    const role = startTroupe([...args, ...places], { KUBECONFIG: server.kubeconfig });
    const client = server.client();
    const readiness = async () => {
      const reply = await fetch(`http://127.0.0.1:${port}/readyz`);
      return { status: reply.status, text: await reply.text() };
    };
    try {
      const url = await role.find(/(http:\/\/127\.0\.0\.1:\d+)/);
      // The cluster does not have the kinds yet.
      const { status, text } = await readiness();
      assert.is(status, 503);
      assert.match(text, `the objects of ${CLUSTERS} and of `);
      assert.is((await fetch(url + CLUSTERS)).status, 503);
      assert.is((await fetch(`http://127.0.0.1:${port}/healthz`)).status, 200);
      await installCrds(client, clock, () => undefined, contracts);
      await eventually(async () => ((await readiness()).status === 200 ? true : undefined));
      assert.is((await fetch(url + CLUSTERS)).status, 200);
      assert.is(await role.stop(), 0, role.text());
    } finally {
      await role.stop();
      await client.close();
    }
  }));

test('36.5: over TLS with a certificate of an own authority; answers are counted by service, method and code', () =>
  within(async (server, args) => {
    const client = server.client();
    await installCrds(client, clock, () => undefined, contracts);
    const authority = await makeAuthority('the-tests-ca', clock.now());
    const other = await makeAuthority('another-ca', clock.now());
    const [cert, key] = [join(server.folder, 'tls.crt'), join(server.folder, 'tls.key')];
    const made = await certify(authority, { name: 'gateway', hosts: ['localhost'] }, clock.now());
    await Promise.all([writeFile(cert, made.certificate), writeFile(key, made.key)]);
    const figures = await freePort();
    const role = startTroupe(
      [
        ...args,
        ...['--ocm-bind-address', '127.0.0.1:0', '--ocm-tls-cert', cert, '--ocm-tls-key', key],
        ...['--metrics-bind-address', `127.0.0.1:${figures}`, '--metrics-secure=false'],
      ],
      { KUBECONFIG: server.kubeconfig },
    );
    const agent = new Agent({ ca: authority.certificate });
    const stranger = new Agent({ ca: other.certificate });
    try {
      const url = await role.find(/(https:\/\/127\.0\.0\.1:\d+)/);
      const list = await eventually(async () => {
        const reply = await askSecurely(url + CLUSTERS, agent);
        return reply.status === 200 ? reply : undefined;
      });
      assert.is((JSON.parse(list.body) as { kind: string }).kind, 'ClusterList');
      assert.is((await askSecurely(url + CLUSTERS, agent, { method: 'POST', body: '{"name":"one"}' })).status, 201);
      assert.is((await askSecurely(`${url}${CLUSTERS}/none`, agent)).status, 404);
      assert.is((await askSecurely(`${url}/api/fleet_mgmt/v1_alpha1/regions`, agent)).status, 501);
      try {
        await askSecurely(url + CLUSTERS, stranger);
        assert.unreachable();
      } catch (error) {
        assert.match((error as NodeJS.ErrnoException).code ?? String(error), /CERT|SIGN/);
      }
      // By service, method and code.
      const text = await (await fetch(`http://127.0.0.1:${figures}/metrics`)).text();
      for (const [method, code] of [
        ['POST', 201],
        ['GET', 404],
        ['GET', 501],
      ]) {
        assert.match(text, `troupe_api_requests_total{service="fleet_mgmt",method="${method}",code="${code}"} 1\n`);
      }
      assert.match(text, 'troupe_api_request_duration_seconds_count{service="fleet_mgmt",method="POST"} 1\n');
      assert.is(await role.stop(), 0, role.text());
    } finally {
      await role.stop();
      agent.destroy();
      stranger.destroy();
      await client.close();
    }
  }));

test.run();
