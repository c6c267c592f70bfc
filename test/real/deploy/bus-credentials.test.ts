// needs: kube nats-programs
// The Job of the bus on a real API server: its rules are enough for its command, for a second run and a rotation, and for
// nothing else.
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { systemClock } from '../../../actors/base/clock.ts';
import { credentials } from '../../../actors/cli/bus/credentials.ts';
import { type KubeClient, kubeClient } from '../../../adapters/kubernetes/mod.ts';
import { AbsentError, type JsonObject, toErrorData } from '../../../bus/mod.ts';
import { installed, one } from '../../deploy/manifests.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
/** Longest wait for the account, whose rules take effect a moment after they were made, in milliseconds. */
const EFFECT_MS = 30_000;

const manifests = installed();

const admin = process.env['KUBECONFIG'];
if (!admin) {
  console.log('skipped: KUBECONFIG is not set');
} else {
  const test = suite('the Job of the bus on a real API server');
  const clock = systemClock();

  test('it makes its Secrets and no others, and changes nothing the second time', async () => {
    const client = kubeClient({ clock, kubeconfig: admin });
    const namespace = `bus-${randomUUID().slice(0, 8)}`;
    const folder = await mkdtemp(join(tmpdir(), 'troupe-bus-'));
    let account: KubeClient | undefined;
    try {
      await client.call({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: namespace } } });
      const within = `namespaces/${namespace}`;
      const placed = (kind: string): JsonObject => {
        const manifest = one(manifests, kind, 'troupe-bus');
        return { ...manifest, metadata: { ...manifest.metadata, namespace } };
      };
      const binding = placed('RoleBinding');
      const subjects = (binding['subjects'] as readonly JsonObject[]).map((subject) => ({ ...subject, namespace }));
      await client.call({
        method: 'POST',
        path: `/api/v1/${within}/serviceaccounts`,
        body: placed('ServiceAccount'),
      });
      await client.call({
        method: 'POST',
        path: `${RBAC}/${within}/roles`,
        body: placed('Role'),
      });
      await client.call({ method: 'POST', path: `${RBAC}/${within}/rolebindings`, body: { ...binding, subjects } });
      const kubeconfig = join(folder, 'kubeconfig');
      await writeFile(kubeconfig, await asAccount(client, namespace, admin), { mode: 0o600 });
      const run = async (...flags: readonly string[]): Promise<string> => {
        let said = '';
        const out = new Writable({
          write(chunk: Buffer, _encoding, done) {
            said += chunk;
            done();
          },
        });
        const [, , ...args] = argumentsOf();
        const all = [...args, '-n', namespace, ...flags];
        assert.is(await credentials(all, { env: { KUBECONFIG: kubeconfig }, cwd: folder, out }), 0);
        return said;
      };

      assert.match(await untilAllowed(run), /secret\/troupe-bus-alone written/);
      const listed = async (): Promise<readonly JsonObject[]> =>
        (await client.call({ method: 'GET', path: `/api/v1/${within}/secrets` })).body[
          'items'
        ] as readonly JsonObject[];
      const before = await listed();
      const names = before.map(({ metadata }) => String((metadata as JsonObject)['name']));
      const [rule] = one(manifests, 'Role', 'troupe-bus')['rules'] as readonly { resourceNames: readonly string[] }[];
      assert.equal([...names].sort(), [...(rule?.resourceNames ?? [])].sort(), 'the rules name what is made');
      const alone = before.find(({ metadata }) => (metadata as JsonObject)['name'] === 'troupe-bus-alone');
      assert.equal(Object.keys(alone?.['data'] as JsonObject).sort(), ['ca.crt', 'nkey']);

      assert.match(await run(), /^nothing to change\n/);
      assert.equal(await listed(), before);

      for (const flags of [['--rotate'], [], []]) await run('--grace', '0', ...flags);
      const after = await listed();
      const nkeyOf = (secrets: readonly JsonObject[]): unknown =>
        secrets.flatMap(({ metadata, data }) =>
          (metadata as JsonObject)['name'] === 'troupe-bus-alone' ? [(data as JsonObject)['nkey']] : [],
        )[0];
      assert.is.not(nkeyOf(after), nkeyOf(before));

      account = kubeClient({ clock, kubeconfig });
      const secret = (name: string): JsonObject => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name } });
      const own = `/api/v1/${within}/secrets`;
      const apply = { method: 'PATCH', contentType: 'application/apply-patch+yaml' } as const;
      const tries = [
        { method: 'GET', path: own },
        { method: 'POST', path: own, body: secret('troupe-bus-alone') },
        { method: 'POST', path: own, body: secret('other') },
        { ...apply, path: `${own}/other?fieldManager=x`, body: secret('other') },
        { method: 'DELETE', path: `${own}/troupe-bus-alone` },
        { method: 'GET', path: '/api/v1/namespaces/default/secrets/troupe-bus-alone' },
        {
          ...apply,
          path: '/api/v1/namespaces/default/secrets/troupe-bus-alone?fieldManager=x',
          body: secret('troupe-bus-alone'),
        },
        { method: 'GET', path: `/api/v1/${within}/configmaps` },
      ] as const;
      for (const call of tries) {
        try {
          await account.call(call);
          assert.unreachable(JSON.stringify(call));
        } catch (error) {
          assert.match(toErrorData(error).message, 'forbidden', JSON.stringify(call));
        }
      }
    } finally {
      await account?.close();
      await client.call({ method: 'DELETE', path: `/api/v1/namespaces/${namespace}` });
      await client.close();
      await rm(folder, { recursive: true });
    }
  });

  test.run();

  /** Of the container. */
  function argumentsOf(): readonly string[] {
    const { spec } = one<{ spec: { template: { spec: { containers: readonly { args: readonly string[] }[] } } } }>(
      manifests,
      'Job',
      /^troupe-bus-credentials-/,
    );
    return spec.template.spec.containers[0]?.args ?? [];
  }

  async function untilAllowed(run: () => Promise<string>): Promise<string> {
    const until = clock.now() + EFFECT_MS;
    for (;;) {
      try {
        return await run();
      } catch (error) {
        if (clock.now() > until) throw error;
        await clock.sleep(200);
      }
    }
  }

  /** A kubeconfig that leads to the same server with a token of the Job's account. */
  async function asAccount(client: KubeClient, namespace: string, kubeconfig: string): Promise<string> {
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/troupe-bus/token`;
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3_600 } };
    let token: unknown;
    for (let attempt = 0; token === undefined; attempt++) {
      try {
        token = ((await client.call({ method: 'POST', path, body })).body['status'] as JsonObject)['token'];
      } catch (error) {
        if (!(error instanceof AbsentError) || attempt >= 50) throw error;
        await clock.sleep(100);
      }
    }
    const config = parse(await readFile(kubeconfig, 'utf8')) as { contexts: { context: { user: string } }[] };
    const [user = { context: { user: 'troupe' } }] = config.contexts;
    return JSON.stringify({ ...config, users: [{ name: user.context.user, user: { token } }] });
  }
}
