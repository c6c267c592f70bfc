// The samples of a Windows node on the embedded API server, as they stand there: they come up on a machine in memory, whose process has
// the account that the chart gives it and no other rights, the page is told how, and all goes with the namespace.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../actors/base/clock.ts';
import { Role } from '../../actors/base/config.ts';
import { openLog } from '../../actors/base/log.ts';
import {
  applyObjects,
  createNamespace,
  deleteNamespace,
  type LandscapeObject,
  NAMESPACE,
  namespaceGone,
  readLandscape,
} from '../../actors/cli/demo/landscape.ts';
import { type WindowsInUse, windowsInUse } from '../../actors/cli/demo/windows.ts';
import { registryOf } from '../../actors/effects/operations-service.ts';
import { configure } from '../../actors/process/adapters.ts';
import { installCrds } from '../../actors/process/install-crds.ts';
import { startRuntime } from '../../actors/process/runtime.ts';
import { source } from '../../actors/visualizer/source.ts';
import { type Source, StatusColor } from '../../actors/visualizer/wire.ts';
import { type KubeClient, kubeClient } from '../../adapters/kubernetes/mod.ts';
import { startApiServer } from '../../adapters/simulated/kubernetes/mod.ts';
import { ROLE, windows } from '../../adapters/windows/mod.ts';
import { type JsonObject, memoryBroker } from '../../bus/mod.ts';
import { everything } from '../deploy/manifests.ts';
import { Wire } from '../world/wire.ts';
import { asAccount, NAMESPACE as SYSTEM } from './deployed.ts';
import { Page } from './visualizer/follower.ts';

const test = suite('samples of a Windows node');
// Passwords are told apart by scrypt, in threads that simulated time does not see.
const clock = systemClock();

const FOLDER = new URL('../../deploy/samples/company-windows/', import.meta.url);
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const ACCOUNT = 'troupe-csi-proxy';
/** As the samples have it. */
const NODE = 'node-1';
const LEASE_MS = 5_000;
const CALL_MS = 10_000;
const PATIENCE_MS = 600_000;

interface Samples {
  readonly objects: readonly LandscapeObject[];
  readonly storage: WindowsInUse;
  readonly client: KubeClient;
  /** What people who look are told. */
  readonly reported: Source;
  readonly page: Page;
}

async function withSamples(run: (samples: Samples) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-company-windows-'));
  const closing: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  try {
    const api = await startApiServer({ clock, host: 'none' });
    const dispatcher = new Wire();
    dispatcher.serve(api.url, api.handle);
    closing.push(() => api.close());
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, api.kubeconfig(), { mode: 0o600 });
    const client = kubeClient({ clock, kubeconfig, dispatcher });
    closing.push(() => client.close());
    await installCrds(client, clock, () => undefined, windows.contracts);
    const flag = (name: string) => ({ name: `--${name}`, value: undefined });
    const storage = await windowsInUse(clock, { roles: new Set([ROLE]), nodeName: NODE }, { flag });
    const adapters = [configure(storage.over(windows), {})];
    const broker = memoryBroker({ clock, leaseMs: LEASE_MS });
    const [bus, busOfNode] = [broker.connect({ clock }), broker.connect({ clock })];
    closing.push(() => Promise.all([bus.close(), busOfNode.close()]));
    const log = openLog({ level: 'silent', readable: false });
    const common = { bus, client, clock, log, adapters, callMs: CALL_MS, events: true, nodeName: NODE };
    const runtime = await startRuntime({ ...common, roles: new Set(Object.values(Role)) });
    closing.push(() => runtime.close());
    await applyAccount(client);
    const ofNode = join(folder, 'kubeconfig-node');
    await writeFile(ofNode, await asAccount(client, clock, kubeconfig, ACCOUNT), { mode: 0o600 });
    const clientOfNode = kubeClient({ clock, kubeconfig: ofNode, dispatcher });
    closing.push(() => clientOfNode.close());
    const process = { bus: busOfNode, client: clientOfNode, roles: new Set([ROLE]) };
    const node = await startRuntime({ ...common, ...process });
    closing.push(() => node.close());
    const reported = source({ ...common, registry: registryOf(adapters), namespaces: undefined });
    closing.push(() => reported.close());
    const page = new Page();
    await reported.follow(page);
    const { first, later } = await readLandscape(FOLDER, runtime.kinds);
    await createNamespace(client);
    await run({ objects: [...first, ...later], storage, client, reported, page });
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

test('they come up, the page tells states and conditions of all, and nothing is in use in the end', () =>
  withSamples(async ({ objects, storage, client, reported, page }) => {
    assert.is((await storage.inventory()).size, 0);
    const shown = objects.filter(({ kind }) => kind !== 'Secret');
    assert.equal([...new Set(shown.map(({ kind }) => kind))].sort(), windows.contracts.map(({ kind }) => kind).sort());
    const tree = (key: string) => page.tree(...kindAndName(shown, key));
    const isLate = ({ key }: LandscapeObject): boolean => key === 'windowsdisk/archive';
    await applyObjects(
      client,
      objects.filter((object) => !isLate(object)),
    );

    // What lacks something says what, in its state, in its line, and why.
    const waiting = 'waiting for WindowsDisk/archive to be created';
    await page.until(clock, 'a volume waits', () => tree('windowsvolume/archive')?.said === waiting);
    await page.until(clock, 'it rests', () => tree('windowsvolume/archive')?.state === 'active.awaitingDependencies');
    assert.is(tree('windowsvolume/archive')?.tone, StatusColor.Waiting);
    const { key = '' } = tree('windowsvolume/archive') ?? {};
    const [why] = (await reported.inspect(key))?.causes ?? [];
    assert.match(why?.summary ?? '', 'WindowsDisk/archive does not exist');

    // Secrets are read where somebody lets the node.
    const isRefused = (): boolean =>
      ['iscsitarget/orders', 'smbmapping/reports'].every((key) => /secrets.* is forbidden/.test(tree(key)?.said ?? ''));
    await page.until(clock, 'those with Secrets are refused', isRefused);
    await client.call({
      method: 'POST',
      path: `${RBAC}/namespaces/${NAMESPACE}/rolebindings`,
      body: {
        metadata: { name: `${ACCOUNT}-secrets` },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: `${ACCOUNT}-secrets` },
        subjects: [{ kind: 'ServiceAccount', name: ACCOUNT, namespace: SYSTEM }],
      },
    });

    // What is as specified says so, and is nobody's problem.
    await applyObjects(client, objects.filter(isLate));
    const isUp = (): boolean => shown.every((object) => tree(object.key)?.said === 'it is as specified');
    // Those that were refused are tried again ever less often.
    await page.until(clock, 'all are ready', isUp, PATIENCE_MS);
    const isTold = (): boolean => shown.every((object) => tree(object.key)?.tone === StatusColor.Available);
    await page.until(clock, 'all are shown as available', isTold);
    for (const object of shown) assert.is(tree(object.key)?.state, 'active.available', object.key);
    assert.ok(tree('windowsvolume/archive')?.needs.includes(tree('windowsdisk/archive')?.key ?? 'none'));
    const seen = await reported.inspect(key);
    assert.equal([seen?.machine, seen?.chain, seen?.causes], ['reconcileLoop', [], []]);
    const { conditions = [] } = (seen?.object?.['status'] ?? {}) as { conditions?: { type: string; status: string }[] };
    assert.equal(
      conditions.map(({ type, status }) => [type, status]),
      [['Ready', 'True']],
    );
    const used = [...(await storage.inventory()).keys()];
    assert.equal(
      ['target', 'disk', 'share', 'path'].map((part) => used.filter((id) => id.startsWith(`${part} `)).length),
      [1, 2, 1, 4],
    );
    let problems = await reported.problems();
    for (const until = clock.now() + CALL_MS; problems.problems.length > 0 && clock.now() < until; ) {
      await clock.sleep(200);
      problems = await reported.problems();
    }
    assert.equal(problems.problems, []);

    // A machine goes after all that is on it.
    const nodeKey = tree('windowsstoragenode/back-office')?.key;
    await deleteNamespace(client);
    const late = new AbortController();
    const limit = clock.setTimeout(() => late.abort(), 60_000);
    assert.ok(await namespaceGone(client, clock, late.signal));
    clock.clearTimeout(limit);
    await page.until(clock, 'the page shows none', () => page.trees.size === 0);
    assert.ok(
      page.steps.some((step) => step.key === nodeKey && step.to === 'deleting.inUse' && step.tone === StatusColor.Held),
    );
    assert.equal([...(await storage.inventory()).keys()], []);
  }));

/** What the chart says of the account of the pods on Windows nodes. */
async function applyAccount(client: KubeClient): Promise<void> {
  const post = (path: string, body: JsonObject): Promise<unknown> => client.call({ method: 'POST', path, body });
  await post('/api/v1/namespaces', { metadata: { name: SYSTEM } });
  for (const manifest of everything().filter(({ metadata: { name } }) =>
    [ACCOUNT, `${ACCOUNT}-secrets`].includes(name),
  )) {
    if (manifest.kind === 'ServiceAccount') await post(`/api/v1/namespaces/${SYSTEM}/serviceaccounts`, manifest);
    else if (manifest.kind.startsWith('ClusterRole')) await post(`${RBAC}/${manifest.kind.toLowerCase()}s`, manifest);
  }
}

function kindAndName(objects: readonly LandscapeObject[], key: string): [kind: string, name: string] {
  const found = objects.find((object) => object.key === key);
  if (found === undefined) throw new Error(`the samples have no ${key}`);
  return [found.kind, found.name];
}

test.run();
