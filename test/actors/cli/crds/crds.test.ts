// long
// `troupe crds` as a user of kubectl meets it: what it prints, what it applies, and what it says when it cannot.
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseAllDocuments } from 'yaml';
import { readConfig } from '../../../../actors/base/config.ts';
import { applyCrds, printCrds } from '../../../../actors/cli/crds/crds.ts';
import { BUILT_IN, definedContracts } from '../../../../actors/process/adapters.ts';
import { installCrds } from '../../../../actors/process/install-crds.ts';
import { contractsIn, metal3Contracts } from '../../../../adapters/ironic/api/contracts.ts';
import { type Contract, crd, type KubeClient, kubeClient } from '../../../../adapters/kubernetes/mod.ts';
import { openstackContracts } from '../../../../adapters/openstack/mod.ts';
import { startApiServer } from '../../../../adapters/simulated/kubernetes/mod.ts';
import { AbsentError, type JsonObject, TerminalError, TransientError } from '../../../../bus/mod.ts';
import { simulatedClock } from '../../../world/clock.ts';
import { metal3 } from '../../metal3-adapter.ts';

const test = suite('troupe crds');

const CLI = fileURLToPath(new URL('../../../../actors/cli.js', import.meta.url));
/** Of the adapters that come with Troupe. */
const ALL = BUILT_IN.flatMap(({ contracts }) => contracts);
const NAMES = openstackContracts.map(({ plural, group }) => `${plural}.${group}`);
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function troupe(args: readonly string[], { reads = true }: { readonly reads?: boolean } = {}): Promise<Outcome> {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [CLI, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH, HOME } });
  let [out, err] = ['', ''];
  if (reads) child.stdout.setEncoding('utf8').on('data', (part: string) => (out += part));
  else child.stdout.destroy();
  child.stderr.setEncoding('utf8').on('data', (part: string) => (err += part));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, out, err })));
}

/** What is written and thrown by a command without a process of its own. */
async function output(run: (out: NodeJS.WritableStream) => Promise<number>): Promise<{ out: string; error: unknown }> {
  const stream = new PassThrough();
  const error = await run(stream).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  stream.end();
  return { out: await text(stream), error };
}

function apply(kubeconfig: string, ...names: readonly string[]): ReturnType<typeof output> {
  const config = readConfig({ KUBECONFIG: kubeconfig });
  return output((out) => applyCrds({ config, clock: simulatedClock(), contracts: openstackContracts, names, out }));
}

/** Runs a test with a server of its own and a kubeconfig that `change` may have spoilt. */
async function withServer(
  run: (kubeconfig: string, client: KubeClient) => Promise<void>,
  change: (kubeconfig: string) => string = (given) => given,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-crds-'));
  const clock = simulatedClock();
  const api = await startApiServer({ clock });
  const [given, good] = [join(folder, 'given'), join(folder, 'good')];
  await writeFile(given, change(api.kubeconfig()));
  await writeFile(good, api.kubeconfig());
  const client = kubeClient({ clock, kubeconfig: good });
  try {
    await run(given, client);
  } finally {
    await client.close();
    await api.close();
    await rm(folder, { recursive: true });
  }
}

/** A server that takes definitions, says this of each, and serves none. */
function clientSaying(conditions: readonly JsonObject[]): KubeClient {
  return {
    server: 'https://example.org',
    namespace: 'default',
    async call({ path }) {
      if (path.endsWith('?limit=1')) throw new AbsentError('the server could not find the requested resource');
      return { body: { status: { conditions } }, serverTime: 0 };
    },
    stream() {
      throw new Error('nobody watches');
    },
    close: async () => undefined,
  };
}

test('it prints what kubectl applies', async () => {
  const { code, out, err } = await troupe(['crds']);
  const documents = parseAllDocuments(out);
  assert.equal([code, err], [0, '']);
  assert.equal(
    documents.map((document) => [document.errors.length, document.toJS()]),
    ALL.map((contract) => [0, crd(contract)]),
  );
});

test('it prints the kinds that are named, in whatever way kubectl lets one name them', async () => {
  const names = ['Subnet', 'networks', 'subnets.openstack.k-orc.cloud'];
  const { out } = await output((stream) => printCrds({ contracts: openstackContracts, names, out: stream }));
  assert.equal(
    parseAllDocuments(out).map((document) => document.getIn(['spec', 'names', 'kind'])),
    ['Subnet', 'Network'],
  );
  const { code, err } = await troupe(['crds', 'Subnett']);
  assert.equal(
    [code, err],
    [2, `troupe: there is no kind 'Subnett'; there are ${ALL.map(({ kind }) => kind).join(', ')}\n`],
  );
});

test('a kind is named by a short name as well', async () => {
  const { out } = await output((stream) =>
    printCrds({ contracts: metal3Contracts, names: ['bmh', 'HD', 'bmhost'], out: stream }),
  );
  assert.equal(
    parseAllDocuments(out).map((document) => document.getIn(['spec', 'names', 'kind'])),
    ['BareMetalHost', 'HardwareData'],
  );
});

test('what an adapter has options for is as they say', async () => {
  const defined = (env: Record<string, string>, options?: Record<string, string>): Promise<readonly Contract[]> =>
    definedContracts(metal3, env, options);
  const versionsOf = (contracts: readonly Contract[]): readonly unknown[] =>
    contracts.slice(0, 1).flatMap((contract) => {
      const { spec } = crd(contract) as { spec: { versions: readonly { name: string; storage: boolean }[] } };
      return spec.versions.map(({ name, storage }) => `${name}${storage ? ' stored' : ''}`);
    });
  assert.equal(versionsOf(await defined({})), ['v1alpha1 stored']);
  const env = { TROUPE_METAL3_PHASE: '1', TROUPE_METAL3_WEBHOOK: 'a/b' };
  assert.equal(versionsOf(await defined(env)), ['v1alpha1 stored', 'v1beta1']);
  assert.equal(versionsOf(await defined(env, { 'metal3-phase': '2' })), ['v1alpha1', 'v1beta1 stored']);
  const { definitions: _, ...plain } = metal3;
  assert.is(await definedContracts(plain, env), metal3Contracts);
});

test('definitions go from phase to phase, and back as long as nothing is stored anew', async () => {
  await withServer(async (_, client) => {
    const webhook = { service: { namespace: 'a', name: 'b' } };
    const path = `${DEFINITIONS}/baremetalhosts.metal3.io`;
    for (const phase of [0, 1, 0, 1, 2, 3] as const) {
      await installCrds(client, simulatedClock(), () => undefined, contractsIn({ phase, webhook }));
      const { body } = await client.call({ method: 'GET', path });
      const { conversion, versions } = body['spec'] as {
        conversion: { strategy: string };
        versions: readonly { name: string; served: boolean }[];
      };
      const served = versions.filter((version) => version.served).map(({ name }) => name);
      assert.equal(
        [phase, conversion.strategy, served],
        [
          phase,
          phase === 0 ? 'None' : 'Webhook',
          [['v1alpha1'], ['v1alpha1', 'v1beta1'], ['v1alpha1', 'v1beta1'], ['v1beta1']][phase],
        ],
      );
    }
    // What is stored as v1alpha1 would be lost.
    try {
      await installCrds(client, simulatedClock(), () => undefined, contractsIn({ phase: 4 }));
      assert.unreachable();
    } catch (error) {
      assert.instance(error, TerminalError);
      assert.match((error as Error).message, /storedVersions/);
    }
  });
});

test('a reader that leaves early is no failure', async () => {
  const { code, err } = await troupe(['crds'], { reads: false });
  assert.equal([code, err], [0, '']);
});

test('it applies, says what it does, and ends when the kinds are served', async () => {
  await withServer(async (kubeconfig, client) => {
    const first = await apply(kubeconfig);
    const line = (name: string, what: string): string =>
      `customresourcedefinition.apiextensions.k8s.io/${name} ${what}\n`;
    const expected =
      NAMES.map((name) => line(name, 'serverside-applied')).join('') +
      NAMES.map((name) => line(name, 'condition met')).join('');
    assert.equal(first, { out: expected, error: undefined });
    const before = await versionsOf(client);
    assert.equal(await apply(kubeconfig), first);
    assert.equal(await versionsOf(client), before);
  });
});

test('it applies the kinds that are named alone', async () => {
  await withServer(async (kubeconfig, client) => {
    await apply(kubeconfig, 'project');
    assert.equal(Object.keys(await versionsOf(client)), ['projects.openstack.k-orc.cloud']);
  });
});

test('without a cluster it says so', async () => {
  const message = "troupe: KUBECONFIG is not set and this is no pod; without --apply, 'troupe crds' prints them\n";
  assert.equal(await troupe(['crds', '--apply']), { code: 2, out: '', err: message });
  const { error } = await apply('/nowhere/kubeconfig');
  assert.instance(error, TerminalError);
  assert.is(
    (error as Error).message,
    "kubeconfig '/nowhere/kubeconfig' cannot be used: ENOENT: no such file or directory, open '/nowhere/kubeconfig'",
  );
});

test('a server that is not there is named', async () => {
  const change = (given: string): string => given.replace(/(127\.0\.0\.1|localhost):\d+/, '127.0.0.1:1');
  await withServer(async (kubeconfig) => {
    const { code, out, err } = await troupe(['crds', '--apply', '--kubeconfig', kubeconfig]);
    assert.equal([code, out], [2, '']);
    assert.is(err, 'troupe: no answer from the API server at https://127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1\n');
  }, change);
});

test('a server that does not let one in has its say', async () => {
  const change = (given: string): string => given.replace(/("?token"?: *)("?)[^\s",}]+/, '$1$2wrong');
  await withServer(async (kubeconfig) => {
    const { out, error } = await apply(kubeconfig);
    assert.is(out, '');
    assert.match(String(error), /PATCH \/apis\/apiextensions.*\/addressscopes\.openstack\.k-orc\.cloud: Unauthorized$/);
  }, change);
});

test('names that another definition has are an error at once', async () => {
  const message = '"AddressScope" is already in use';
  const client = clientSaying([
    { type: 'NamesAccepted', status: 'False', message },
    { type: 'Established', status: 'False' },
  ]);
  try {
    await installCrds(client, simulatedClock(), () => undefined, openstackContracts);
    assert.unreachable();
  } catch (error) {
    assert.instance(error, TerminalError);
    assert.is(
      (error as Error).message,
      `'addressscopes.openstack.k-orc.cloud' is not established, another definition has its names: ${message}`,
    );
  }
});

test('a definition that is never established is given up', async () => {
  try {
    await installCrds(clientSaying([]), simulatedClock(), () => undefined, openstackContracts);
    assert.unreachable();
  } catch (error) {
    assert.instance(error, TransientError);
    assert.match(
      (error as Error).message,
      "'addressscopes.openstack.k-orc.cloud' is applied and still not served after 30 s",
    );
  }
});

test('a command that takes no argument refuses one', async () => {
  const message = "troupe: 'run' goes without 'domains'; 'troupe help' lists the commands\n";
  assert.equal(await troupe(['run', 'domains']), { code: 2, out: '', err: message });
});

/** Version of each definition that is there, by its name. */
async function versionsOf(client: KubeClient): Promise<Readonly<Record<string, unknown>>> {
  const { body } = await client.call({ method: 'GET', path: DEFINITIONS });
  const items = body['items'] as readonly { readonly metadata: JsonObject & { readonly name: string } }[];
  return Object.fromEntries(items.map(({ metadata }) => [metadata.name, metadata['resourceVersion']]));
}

test.run();
