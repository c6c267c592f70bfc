// long
// `troupe doctor` on the embedded API server, a simulated cloud and a nats-server of its own where there is one.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readConfig } from '../../../../actors/base/config.ts';
import { Ink } from '../../../../actors/cli/colors.ts';
import { checksOf } from '../../../../actors/cli/doctor/bus.ts';
import { Area, type Check, exitCodeOf, unknown, Verdict, well, wrong } from '../../../../actors/cli/doctor/checks.ts';
import { clockCheck, leastSkew } from '../../../../actors/cli/doctor/clocks.ts';
import { type DoctorDeps, doctor } from '../../../../actors/cli/doctor/doctor.ts';
import { doctorText } from '../../../../actors/cli/doctor/text.ts';
import { configure } from '../../../../actors/process/adapters.ts';
import { installCrds } from '../../../../actors/process/install-crds.ts';
import { contractsIn, metal3Contracts } from '../../../../adapters/ironic/api/contracts.ts';
import type { Phase } from '../../../../adapters/ironic/api/definitions.ts';
import { openstack, openstackWith } from '../../../../adapters/openstack/mod.ts';
import { lightingAdapter } from '../../../../adapters/template/src/mod.ts';
import { type BusCheck, Seen, TerminalError } from '../../../../bus/mod.ts';
import { onSockets } from '../../../world/environments.ts';
import { checkIn, type World } from '../../../world/world.ts';
import { configuredMetal3 } from '../../metal3-adapter.ts';
import { type Said, said } from '../reader.ts';

const test = suite('troupe doctor');
const check = checkIn(test, onSockets);
const NOW = Date.parse('2026-01-01T12:00:00Z');

type Found = Said & { readonly checks: readonly Check[] };

async function examined(world: World, more: Partial<DoctorDeps> = {}): Promise<Found> {
  const config = readConfig({ KUBECONFIG: world.ground.kubeconfig }, {}, [openstack]);
  const done = await said(({ out }) =>
    doctor({
      config,
      adapters: [{ ...openstack, ...openstackWith({}) }],
      clock: world.clock,
      output: 'json',
      folder: world.ground.folder,
      home: undefined,
      nodeVersion: '24.1.0',
      out,
      ink: Ink.Plain,
      ...more,
    }),
  );
  return { ...done, checks: more.output === undefined ? JSON.parse(done.out).checks : [] };
}

const of = ({ checks }: Pick<Found, 'checks'>, area: Area): readonly string[] =>
  checks.filter((each) => each.area === area).map(({ verdict, place, found }) => `${verdict} ${place}: ${found}`);

check('where all is well but for a bus that nobody names, that is all it says, and ends with 2', async (world) => {
  await world.apply(world.managed('Network', world.name('net')));
  const found = await examined(world);
  assert.is(found.code, 2, found.out);
  assert.match(of(found, Area.Cluster)[0] ?? '', /^well https:\/\/.*: answers, Kubernetes v1\.\d+/);
  assert.match(of(found, Area.Cluster)[1] ?? '', /^well CustomResourceDefinitions: all 26 are there, established/);
  assert.match(of(found, Area.Cluster)[2] ?? '', /^well other controllers: no lease of ORC is held/);
  assert.equal(
    of(found, Area.Access).map((line) => line.replace(/\d+/, 'N').replace(/, as '.*':/, ':')),
    ['watch', 'actors', 'openstack'].map((role) => `well role ${role}: may do all N`),
  );
  assert.equal(of(found, Area.Clouds), [
    `well cloud 'openstack' of Secret/openstack-clouds in namespace '${world.namespace}': can be signed in to`,
  ]);
  assert.equal(
    of(found, Area.Clocks).map((line) => line.split(' ')[0]),
    ['well'],
  );
  assert.match(of(found, Area.Bus)[0] ?? '', /^unknown NATS: there is no bus to look at: NATS_URL is not set/);
  const password = /password: *"?([^"\s]+)/.exec(world.ground.cloudsYaml)?.[1] ?? assert.unreachable();
  assert.not.match(found.out, String(password));
});

check(
  '35.C4: of a loaded adapter: its parts, its definitions and the rights of its role, and what is wrong with them',
  async (world) => {
    const lighting = lightingAdapter({ fetch });
    const config = readConfig({ KUBECONFIG: world.ground.kubeconfig }, {}, [lighting]);
    const loaded = { ...lighting, ...configure(lighting, {}) };
    const missing = await examined(world, { config, adapters: [loaded] });
    assert.is(of(missing, Area.Process)[1], 'well adapter lighting: role lighting, Lamp: its parts go together');
    assert.is(missing.code, 1, missing.out);
    assert.match(
      of(missing, Area.Cluster).join('\n'),
      /^wrong CustomResourceDefinitions?.*lamps\.lighting\.example\.org/m,
    );

    await installCrds(world.client, world.clock, () => undefined, lighting.contracts);
    const found = await examined(world, { config, adapters: [loaded] });
    assert.match(of(found, Area.Cluster)[1] ?? '', /^well CustomResourceDefinitions: all 1 are there, established/);
    assert.equal(
      of(found, Area.Access).map((line) => line.replace(/\d+/, 'N').replace(/, as '.*':/, ':')),
      ['watch', 'actors', 'lighting'].map((role) => `well role ${role}: may do all N`),
    );

    // A contract without a kind.
    const broken = await examined(world, { config, adapters: [{ ...loaded, kinds: [] }] });
    assert.is(broken.code, 1);
    assert.is(
      of(broken, Area.Process)[1],
      "wrong adapter lighting: Lamp: it has a contract, and 'configure' returns no kind for it",
    );
  },
);

check(
  'what is amiss is told with where and what to do, and ends with 1',
  async (world) => {
    const [net, other] = [world.name('net'), world.name('other')];
    await world.secret('wrong', world.ground.cloudsYaml.replace(/password: .*/, 'password: not-this-one'));
    const by = (secretName: string): object => ({
      cloudCredentialsRef: { secretName, cloudName: world.ground.cloudName },
    });
    await world.apply(
      world.managed('Network', net, {}, by('wrong') as never),
      world.managed('Network', other, {}, by('absent') as never),
    );
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    await world.client.call({ method: 'DELETE', path: `${definitions}/trunks.openstack.k-orc.cloud` });
    const patch = {
      op: 'replace',
      path: '/spec/versions/0/schema/openAPIV3Schema/description',
      value: 'of another release',
    };
    await world.client.call({
      method: 'PATCH',
      path: `${definitions}/ports.openstack.k-orc.cloud`,
      contentType: 'application/json-patch+json',
      body: [patch],
    });
    const renewTime = new Date(world.clock.now()).toISOString().replace('Z', '000Z');
    await world.client.call({
      method: 'POST',
      path: `/apis/coordination.k8s.io/v1/namespaces/${world.namespace}/leases`,
      body: {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'f35396c5.k-orc.cloud' },
        spec: { holderIdentity: 'orc-1', leaseDurationSeconds: 600, renewTime },
      },
    });
    const found = await examined(world, { nodeVersion: '22.1.0' });
    assert.is(found.code, 1);
    const problem = found.checks.filter(({ verdict }) => verdict === Verdict.Wrong);
    const line = (part: string): Check => {
      const one = problem.find(({ place, found: what }) => `${place}: ${what}`.includes(part));
      if (one === undefined) throw new Error(`nothing of '${part}' in ${found.out}`);
      return one;
    };
    assert.match(line('Node 22').todo ?? '', 'use Node 24');
    assert.match(line('1 of 26 missing: trunks.openstack.k-orc.cloud').todo ?? '', "'troupe crds --apply'");
    assert.match(line('1 of 26 of another release: ports.openstack.k-orc.cloud').todo ?? '', "'troupe crds --apply'");
    assert.match(line('ORC leads: orc-1 holds it').todo ?? '', 'scale the Deployment of ORC to zero');
    assert.match(line('Secret/wrong').todo ?? '', /correct 'auth' of cloud 'openstack'/);
    assert.match(line('Secret/absent').todo ?? '', 'create Secret/absent');
    assert.not.match(found.out, 'not-this-one');
    for (const { todo } of problem) assert.ok(todo);
  },
  { runtime: 'stopped' },
);

check(
  'kinds of an adapter that are not installed are a note; where there are none of any, they are missing',
  async (world) => {
    const adapters = [{ ...openstack, ...openstackWith({}) }, configuredMetal3];
    const cluster = async (...more: readonly DoctorDeps['adapters'][number][]): Promise<readonly Check[]> => {
      const { checks } = await examined(world, { adapters: more });
      return checks.filter(({ place }) => /^CustomResourceDefinitions|^kinds of/.test(place));
    };
    const lines = (checks: readonly Check[]): readonly string[] =>
      checks.map(({ verdict, place, found }) => `${verdict} ${place}: ${found}`);
    const none = lines(await cluster(...adapters));
    assert.match(none.join('\n'), /^wrong CustomResourceDefinitions: 39 of 39 missing: [^\n]* and 36 more$/);
    assert.match(
      lines(await cluster(configuredMetal3)).join('\n'),
      /^wrong CustomResourceDefinitions: 13 of 13 missing/,
    );
    await installCrds(world.client, world.clock, () => undefined, metal3Contracts);
    assert.equal(lines(await cluster(...adapters)), [
      'well CustomResourceDefinitions: all 13 are there, established, and of this release',
      "well kinds of 'openstack': are not installed here",
    ]);
    await world.installCrds();
    assert.equal(lines(await cluster(...adapters)), [
      'well CustomResourceDefinitions: all 39 are there, established, and of this release',
    ]);
  },
  { runtime: 'stopped', crds: 'absent' },
);

check(
  'definitions of another phase are told, with the options that say which is meant',
  async (world) => {
    const webhook = { service: { namespace: 'a', name: 'b' } };
    const defined = async (phase: Phase): Promise<readonly [string | undefined, string | undefined]> => {
      const adapters = [{ ...configuredMetal3, contracts: contractsIn({ phase, webhook }) }];
      const [check] = (await examined(world, { adapters })).checks.filter(({ place }) => /^Custom/.test(place));
      return [check?.found, check?.todo];
    };
    const well = 'all 13 are there, established, and of this release';
    const options = '--metal3-phase, --metal3-webhook, --metal3-webhook-ca say how they are to be';
    for (const phase of [1, 2, 3] as const) {
      await installCrds(world.client, world.clock, () => undefined, contractsIn({ phase, webhook }));
      assert.equal(await defined(phase), [well, undefined], `phase ${phase}`);
    }
    assert.match((await defined(0))[0] ?? '', /^13 of 13 not served in our version/);
    const [found, todo] = await defined(2);
    assert.match(found ?? '', /^13 of 13 not served in our version/);
    assert.match(todo ?? '', options);
  },
  { runtime: 'stopped', crds: 'absent' },
);

check(
  'who may not do what the roles need, nor read Secrets, is told so',
  async (world) => {
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'poor' } };
    await world.client.call({
      method: 'POST',
      path: `/api/v1/namespaces/${world.namespace}/serviceaccounts`,
      body: account,
    });
    const name = `${world.namespace}-viewer`;
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    const rules = [{ apiGroups: ['openstack.k-orc.cloud'], resources: ['*'], verbs: ['get', 'list', 'watch'] }];
    const subject = { kind: 'ServiceAccount', name: 'poor', namespace: world.namespace };
    await world.client.call({
      method: 'POST',
      path: `${rbac}/clusterroles`,
      body: { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name }, rules },
    });
    await world.client.call({
      method: 'POST',
      path: `${rbac}/clusterrolebindings`,
      body: {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
        subjects: [subject],
      },
    });
    await world.apply(world.managed('Network', world.name('net')));
    const kubeconfig = await accountKubeconfig(world, 'poor');
    const config = readConfig({ KUBECONFIG: kubeconfig }, {}, [openstack]);
    const found = await examined(world, { config });
    assert.is(found.code, 1, found.out);
    const access = of(found, Area.Access);
    assert.match(
      access[0] ?? '',
      /^wrong role watch, as 'system:serviceaccount:.*:poor': may not .*list, watch secrets/,
    );
    assert.match(access[1] ?? '', /^wrong role actors, .*and \d+ more$/);
    assert.equal(of(found, Area.Clouds), [
      `unknown cloud 'openstack' of Secret/openstack-clouds in namespace '${world.namespace}': its Secret may not be read`,
    ]);
    assert.match(of(found, Area.Cluster).join('\n'), /^unknown CustomResourceDefinitions: 26 of 26 not to be read/m);
  },
  { runtime: 'stopped' },
);

/** Of a service account of the world's namespace. @returns its path */
async function accountKubeconfig(world: World, account: string): Promise<string> {
  const [{ readFile, writeFile }, { join }, { parse }] = await Promise.all([
    import('node:fs/promises'),
    import('node:path'),
    import('yaml'),
  ]);
  const path = `/api/v1/namespaces/${world.namespace}/serviceaccounts/${account}/token`;
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { audiences: [] } };
  const { body: answer } = await world.client.call({ method: 'POST', path, body });
  const config = parse(await readFile(world.ground.kubeconfig, 'utf8'));
  config.users[0].user = { token: (answer['status'] as { token: string }).token };
  const file = join(world.ground.folder, account);
  await writeFile(file, JSON.stringify(config), { mode: 0o600 });
  return file;
}

check('a namespace that was named and does not exist is wrong, one that exists is not mentioned', async (world) => {
  const config = {
    ...readConfig({ KUBECONFIG: world.ground.kubeconfig }, {}, [openstack]),
    namespaces: [world.namespace, 'nosuchns'],
  };
  const found = await examined(world, { config });
  assert.is(found.code, 1, found.out);
  const lines = of(found, Area.Cluster).filter((line) => line.includes(' namespace '));
  assert.equal(lines, ['wrong namespace nosuchns: does not exist']);
});

check(
  'a cluster that does not answer is one finding',
  async (world) => {
    const config = { ...readConfig({ KUBECONFIG: world.ground.kubeconfig }, {}, [openstack]), kubeconfig: '/nowhere' };
    const found = await examined(world, { config });
    assert.is(found.code, 2);
    assert.match(of(found, Area.Cluster)[0] ?? '', /^unknown kubeconfig: .*\/nowhere/);
    const text = await examined(world, { output: 'text' });
    assert.match(text.out, /^process\n {2}well {5}Node 24\.1\.0: runs troupe/);
    const error = await examined(world, { output: 'yaml' }).catch((thrown: unknown) => thrown);
    assert.instance(error, TerminalError);
  },
  { runtime: 'stopped' },
);

check(
  '35.A5: without a kubeconfig it says once how to name one, and names that of a dev in this directory',
  async (world) => {
    const config = readConfig({}, {}, [openstack]);
    const found = await examined(world, { config, home: '/nonexistent', output: 'text' });
    assert.is(found.out.match(/name one with --kubeconfig/g)?.length, 1, found.out);
    assert.match(found.out, /'\/nonexistent\/\.kube\/config' does not exist\n +-> name one with --kubeconfig/);
  },
  { runtime: 'stopped' },
);

test('exit codes: what is wrong goes before what could not be examined', () => {
  const [fine, bad, open] = [well(Area.Bus, 'a', ''), wrong(Area.Bus, 'a', '', ''), unknown(Area.Bus, 'a', '', '')];
  assert.equal([[fine], [fine, bad, open], [fine, open]].map(exitCodeOf), [0, 1, 2]);
});

test('a clock is wrong by what it is off at least, whole seconds and the way there and back let be', () => {
  const reading = (at: number, resolutionMs = 0): Parameters<typeof leastSkew>[0] => ({
    at,
    resolutionMs,
    askedAt: NOW,
    answeredAt: NOW + 100,
  });
  assert.equal(
    [
      reading(NOW + 50),
      reading(NOW + 3_100),
      reading(NOW - 3_000),
      reading(NOW - 900, 1_000),
      reading(NOW - 2_500, 1_000),
    ].map(leastSkew),
    [0, 3_000, -3_000, 0, -1_500],
  );
  assert.is(clockCheck('there', reading(NOW + 1_000)).verdict, Verdict.Well);
  const ahead = clockCheck('there', reading(NOW + 4_100));
  assert.equal([ahead.verdict, ahead.found], [Verdict.Wrong, 'its clock is 4.0 s ahead of the one here']);
});

test('the bus: an old server, no JetStream, streams that are not there, and what may not be seen', () => {
  const fine: BusCheck = {
    place: 'nats:4222',
    version: '2.12.3',
    isUsable: true,
    isSharable: true,
    jetStream: Seen.There,
    streams: [
      { name: 'TROUPE_MAIL', holds: 'mail', seen: Seen.Untold },
      { name: 'KV_TROUPE_LEASES', holds: 'leases', seen: Seen.There },
      { name: 'TROUPE_HISTORY', holds: 'events', seen: Seen.There },
    ],
    refused: [{ operation: 'publish', subject: '$JS.API.STREAM.INFO.TROUPE_MAIL' }],
  };
  const limits = { maxAgeMs: 1, maxBytes: 1 };
  const verdicts = (examination: BusCheck, keptEvents: 'none' | typeof limits = limits): readonly string[] =>
    checksOf(examination, { keptEvents }).map(({ verdict }) => verdict);
  assert.equal(verdicts(fine), ['well', 'well', 'well']);
  assert.equal(verdicts({ ...fine, isUsable: false })[0], 'wrong');
  assert.match(checksOf({ ...fine, isSharable: false }, { keptEvents: limits })[0]?.found ?? '', 'good for one pod');
  assert.equal(verdicts({ ...fine, jetStream: Seen.Absent, refused: [] }), ['well', 'wrong']);
  const bare = fine.streams.map((stream) => ({ ...stream, seen: Seen.Absent }));
  assert.equal(verdicts({ ...fine, streams: bare, refused: [] }), ['well', 'wrong', 'wrong', 'wrong']);
  assert.equal(verdicts({ ...fine, streams: bare, refused: [] }, 'none'), ['well', 'wrong', 'wrong']);
  assert.equal(verdicts({ ...fine, refused: [{ operation: 'publish', subject: '$JS.API.INFO' }] }).at(-1), 'unknown');
  const late = { at: NOW, askedAt: NOW + 5_000, answeredAt: NOW + 5_001 };
  assert.equal(verdicts({ ...fine, time: late }).at(-1), 'wrong');
});

test('what clouds say does nothing to a terminal', () => {
  const text = doctorText([wrong(Area.Clouds, 'a\u001b[2J', 'b', 'c')], Ink.Plain);
  assert.is(text, 'clouds\n  wrong    a\\u{1b}[2J: b\n           -> c\n\n1 of 1 wrong\n');
});

test.run();
