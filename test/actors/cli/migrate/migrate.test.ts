// `troupe migrate` on the embedded API server: what is written, noted, said, and what it ends with.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NOTE } from '../../../../actors/cli/migrate/definition.ts';
import { type MigrateDeps, migrate } from '../../../../actors/cli/migrate/migrate.ts';
import { migrationRules } from '../../../../actors/process/cluster-rules.ts';
import type { Adapter, ClusterRule } from '../../../../adapters/api/adapter.ts';
import type { Companions } from '../../../../adapters/api/migration.ts';
import { type KubeClient, kubeClient } from '../../../../adapters/kubernetes/mod.ts';
import { startApiServer } from '../../../../adapters/simulated/kubernetes/mod.ts';
import { type Clock, type JsonObject, TerminalError } from '../../../../bus/mod.ts';
import { hosts } from '../../../adapters/simulated/kubernetes/converter.ts';
import { simulatedClock } from '../../../world/clock.ts';
import { asAccount, NAMESPACE } from '../../deployed.ts';
import { type Said, said } from '../reader.ts';

const test = suite('troupe migrate');
const clock = simulatedClock();

const CRD = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/hosts.example.org';
const hostsIn = (namespace: string, version = 'v1'): string =>
  `/apis/example.org/${version}/namespaces/${namespace}/hosts`;

interface Scene {
  readonly client: KubeClient;
  /** Which version is stored from now on. */
  define(storage: 'v1' | 'v2'): Promise<void>;
  create(namespace: string, count: number): Promise<void>;
  run(deps?: Partial<MigrateDeps>): Promise<Said>;
  /** A kubeconfig of somebody who may do this. */
  asAccountWith(rules: readonly ClusterRule[]): Promise<string>;
  definition(): Promise<{ readonly stored: readonly string[]; readonly note: string | undefined }>;
}

async function scene(run: (scene: Scene) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-migrate-'));
  const server = await startApiServer({ clock });
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, server.kubeconfig());
  const client = kubeClient({ clock, kubeconfig });
  try {
    await run({
      client,
      async define(storage) {
        const body = hosts({ strategy: 'None' }, storage) as unknown as JsonObject;
        const path = `${CRD}?fieldManager=test&force=true`;
        await client.call({ method: 'PATCH', path, contentType: 'application/apply-patch+yaml', body });
        for (;;) {
          const found = await client.call({ method: 'GET', path: hostsIn('default') }).catch(() => undefined);
          if (found !== undefined) return;
          await clock.sleep(20);
        }
      },
      async create(namespace, count) {
        const metadata = { name: namespace };
        await client.call({ method: 'POST', path: '/api/v1/namespaces', body: { metadata } }).catch(() => undefined);
        for (let at = 0; at < count; at++) {
          const body = {
            apiVersion: 'example.org/v1',
            kind: 'Host',
            metadata: { name: `h-${at}` },
            spec: { color: 'blue' },
          };
          await client.call({ method: 'POST', path: hostsIn(namespace), body });
        }
      },
      async asAccountWith(rules) {
        const metadata = { name: 'migration' };
        const [rbac, group] = ['/apis/rbac.authorization.k8s.io/v1', 'rbac.authorization.k8s.io'];
        const apply = async (path: string, body: object): Promise<void> => {
          const query = '?fieldManager=test&force=true';
          const contentType = 'application/apply-patch+yaml';
          await client.call({ method: 'PATCH', path: path + query, contentType, body: body as JsonObject });
        };
        const apiVersion = `${group}/v1`;
        await apply(`/api/v1/namespaces/${NAMESPACE}`, {
          apiVersion: 'v1',
          kind: 'Namespace',
          metadata: { name: NAMESPACE },
        });
        await apply(`/api/v1/namespaces/${NAMESPACE}/serviceaccounts/migration`, {
          apiVersion: 'v1',
          kind: 'ServiceAccount',
          metadata,
        });
        await apply(`${rbac}/clusterroles/migration`, { apiVersion, kind: 'ClusterRole', metadata, rules });
        await apply(`${rbac}/clusterrolebindings/migration`, {
          apiVersion,
          kind: 'ClusterRoleBinding',
          metadata,
          roleRef: { apiGroup: group, kind: 'ClusterRole', name: 'migration' },
          subjects: [{ kind: 'ServiceAccount', name: 'migration', namespace: NAMESPACE }],
        });
        const path = join(folder, 'kubeconfig-migration');
        writeFileSync(path, await asAccount(client, clock, kubeconfig, 'migration'));
        return path;
      },
      run: (deps) =>
        said((streams) =>
          migrate({
            config: { kubeconfig, inCluster: undefined },
            adapters: [{ realm: 'example', contracts: [{ group: 'example.org' }] }],
            clock,
            names: ['example'],
            namespaces: undefined,
            perSecond: 1_000,
            isDry: false,
            signal: new AbortController().signal,
            isTerminal: false,
            ...deps,
            ...streams,
          }),
        ),
      async definition() {
        const { body } = await client.call({ method: 'GET', path: CRD });
        const { annotations } = body['metadata'] as { annotations?: Record<string, string> };
        const { storedVersions } = body['status'] as { storedVersions: string[] };
        return { stored: storedVersions, note: annotations?.[NOTE] };
      },
    });
  } finally {
    await client.close();
    await server.close();
    rmSync(folder, { recursive: true });
  }
}

test('when all are written the definition says so, and a second run finds nothing to do', () =>
  scene(async ({ define, create, run, definition }) => {
    await define('v1');
    await create('a', 3);
    await create('b', 2);
    await define('v2');
    assert.equal((await definition()).stored, ['v1', 'v2']);
    const tried = await run({ isDry: true });
    assert.equal([tried.code, tried.out], [0, 'hosts.example.org  v2  5 objects would be written\n']);
    assert.equal(await definition(), { stored: ['v1', 'v2'], note: undefined });
    const done = await run();
    assert.equal([done.code, done.out], [0, 'hosts.example.org  v2  5 rewritten; nothing is stored in v1 any more\n']);
    assert.equal(await definition(), { stored: ['v2'], note: undefined });
    assert.is((await run()).out, 'hosts.example.org  v2  nothing to do\n');
  }));

test('in some namespaces only, the definition goes on to say that others may be left', () =>
  scene(async ({ define, create, run, definition }) => {
    await define('v1');
    await create('a', 3);
    await create('b', 2);
    await define('v2');
    const { code, out } = await run({ namespaces: ['b'] });
    assert.equal([code, out], [0, 'hosts.example.org  v2  2 rewritten in b; others may be left\n']);
    assert.equal(await definition(), { stored: ['v1', 'v2'], note: undefined });
  }));

test('stopped, it says so, and the next run goes on from there; another change of the definition begins anew', () =>
  scene(async ({ define, create, run, definition }) => {
    await define('v1');
    await create('a', 30);
    await define('v2');
    const stop = new AbortController();
    // Ten are under way when it stops, and are ended.
    let writes = 0;
    const stopping: Clock = {
      now: () => clock.now(),
      steady: () => clock.steady(),
      random: () => clock.random(),
      setTimeout: (act, ms) => clock.setTimeout(act, ms),
      clearTimeout: (timer) => clock.clearTimeout(timer),
      sleep: (ms: number, signal?: AbortSignal) => {
        if (signal !== undefined && ++writes > 5) stop.abort();
        return clock.sleep(ms, signal);
      },
    };
    const first = await run({ signal: stop.signal, clock: stopping, perSecond: 10 });
    assert.equal(
      [first.code, first.out],
      [130, 'hosts.example.org  v2  10 rewritten; stopped: the next run continues from here\n'],
    );
    const { stored, note = '' } = await definition();
    assert.equal(stored, ['v1', 'v2']);
    assert.is((JSON.parse(note) as { done: number }).done, 10);
    await define('v1');
    await define('v2');
    const anew = await run({ signal: AbortSignal.abort() });
    assert.is(anew.code, 130);
    const second = await run();
    assert.is(second.out, 'hosts.example.org  v2  30 rewritten; nothing is stored in v1 any more\n');
  }));

test('an object that is refused is told, the others are written, and nothing is said to be done', () =>
  scene(async ({ define, create, run, definition }) => {
    await define('v1');
    await create('a', 3);
    await define('v2');
    // What must be there beside one of them cannot be made.
    const { code, out, notes } = await run({
      adapters: [
        {
          realm: 'example',
          contracts: [{ group: 'example.org' }],
          companions: [
            {
              group: 'example.org',
              plural: 'hosts',
              companions: 'hosts',
              wanted: (object) =>
                (object['metadata'] as { name: string }).name === 'h-1'
                  ? { kind: 'create', object: { kind: 'Nothing' } }
                  : { kind: 'none' },
            },
          ],
        },
      ],
    });
    assert.is(code, 1);
    assert.is(out, 'hosts.example.org  v2  2 rewritten, 1 failed; run it again when that is repaired\n');
    assert.match(notes, "Host 'a/h-1' cannot be written: ");
    assert.equal((await definition()).stored, ['v1', 'v2']);
    assert.is((await run()).out, 'hosts.example.org  v2  3 rewritten; nothing is stored in v1 any more\n');
  }));

test('the ClusterRole of a migration is enough for it, and no part of that can be spared', () =>
  scene(async ({ client, define, create, run, asAccountWith }) => {
    await define('v1');
    await create('a', 2);
    await define('v2');
    const companions: readonly Companions[] = [
      {
        group: 'example.org',
        plural: 'hosts',
        companions: 'hosts',
        wanted: (_, companion) => (companion === undefined ? { kind: 'none' } : { kind: 'update', object: companion }),
      },
    ];
    const contracts = [{ group: 'example.org', plural: 'hosts' }];
    const webhooks = { conversion: { definitions: ['hosts.example.org'] } };
    const rules = migrationRules([{ realm: 'example', contracts, companions, webhooks } as unknown as Adapter]);
    const adapters = [{ realm: 'example', contracts, companions }];
    const merge = (path: string, body: JsonObject): Promise<unknown> =>
      client.call({ method: 'PATCH', path, contentType: 'application/merge-patch+json', body });
    const under = async (given: readonly ClusterRule[]): Promise<number> => {
      // All is to be done, whatever the one before came to.
      await merge(CRD, { metadata: { annotations: { [NOTE]: null } } });
      await merge(`${CRD}/status`, { status: { storedVersions: ['v1', 'v2'] } });
      const kubeconfig = await asAccountWith(given);
      return run({ adapters, config: { kubeconfig, inCluster: undefined } }).then(
        ({ code }) => code,
        () => 1,
      );
    };
    // A companion that is not there is made in tests on a real cluster.
    const spared = rules.flatMap((rule, at) =>
      rule.verbs.filter((verb) => verb !== 'create').map((verb) => ({ at, verb })),
    );
    assert.ok(spared.length >= 8);
    for (const { at, verb } of spared) {
      const less = rules
        .map((rule, index) => (index === at ? { ...rule, verbs: rule.verbs.filter((each) => each !== verb) } : rule))
        .filter(({ verbs }) => verbs.length > 0);
      assert.is(await under(less), 1, `without ${verb} of ${JSON.stringify(rules[at])}`);
    }
    assert.is(await under(rules), 0);
    const { body } = await client.call({ method: 'GET', path: CRD });
    assert.equal((body['status'] as JsonObject)['storedVersions'], ['v2']);
  }));

test('a call that makes no sense is told what would', () =>
  scene(async ({ run }) => {
    for (const [deps, message] of [
      [{ names: [] }, "'migrate' takes one of example; got nothing"],
      [{ names: ['exampel'] }, "there is no adapter 'exampel'"],
      [{ config: { kubeconfig: undefined, inCluster: undefined } }, 'name the cluster with --kubeconfig'],
      [{}, 'the cluster has no definitions of example.org'],
    ] as const) {
      try {
        await run(deps);
        assert.unreachable();
      } catch (error) {
        assert.instance(error, TerminalError);
        assert.match((error as Error).message, message);
      }
    }
  }));

test.run();
