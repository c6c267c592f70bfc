// limit: 900 s
// BareMetalHosts on a real Ironic, with an API server and a bus in memory: $IRONIC_URL with its BMCs, machines and image
// ($BMC_URL, $BMC_USERNAME, $BMC_PASSWORD, $BMC_SYSTEMS, $AGENTS_URL, $IMAGE_URL, $IMAGE_SHA256), and $IRONIC_USERNAME and
// $IRONIC_PASSWORD where it wants them. $TROUPE_RESTART_IRONIC is a shell command that kills Ironic, starts it again and ends when
// it is ready; $TROUPE_FORGET_IRONIC is the same with the loss of its database. Without them nodes are taken away one by one, and
// Ironic goes on.
//
// Each story has a machine of its own, and they are told at a time, as many as there are machines. Then as many hosts as there are
// machines, ten at most, are led through all that at a time. Ironic and its machines take most of the time: on two
// cores an inspection 10 to 25 s, a cleaning 15 to 40 s, a deployment 15 to 40 s, an adoption 5 s; a failure backs off for 1 to 2
// minutes.
import { spawn } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/clock.ts';
import { metal3Contracts } from '../../../adapters/ironic/api/contracts.ts';
import type { JsonObject } from '../../../bus/mod.ts';
import { NAMESPACE, openStage, type Raw, type Stage } from '../../adapters/ironic/stage.ts';
import { fastClock } from '../../adapters/ironic/world.ts';
import { DEADLINE_MS, eventually, type Fleet, fleet, type Lent, tracesOf } from './fleet.ts';

/** Hosts that are led through everything at a time. */
const CROWD = 10;
/** So many of them are cleaned at the end. */
const CLEANED = 3;
const PACE_OF_THE_HURRIED = 10;

const test = suite('hosts on a real Ironic');
const env = (name: string): string => process.env[name] ?? '';
const image = (): JsonObject => ({
  url: env('IMAGE_URL'),
  checksum: env('IMAGE_SHA256'),
  checksumType: 'sha256',
  format: 'raw',
});

/** What costs Ironic and its machines least. */
const QUICK = { inspectionMode: 'disabled', automatedCleaningMode: 'disabled' };

interface Scene {
  readonly stage: Stage;
  readonly fleet: Fleet;
}

/** A host and its machine. */
interface Kept {
  readonly stage: Stage;
  readonly name: string;
  readonly path: string;
  readonly lent: Lent;
  /** Name of its Secret. */
  readonly secret: string;
  until(state: string): Promise<Raw>;
  is(what: string, isSo: (status: Status, host: Raw) => boolean): Promise<Raw>;
  spec(spec: JsonObject): Promise<Raw>;
  annotate(annotations: Readonly<Record<string, string | null>>): Promise<Raw>;
  /** It is deleted, and Ironic does not know it any more. */
  end(): Promise<void>;
}

interface Status {
  readonly provisioning?: { readonly state?: string; readonly ID?: string };
  readonly operationalStatus?: string;
  readonly errorType?: string;
  readonly errorMessage?: string;
  readonly errorCount?: number;
  readonly poweredOn?: boolean;
  readonly hardware?: { readonly hostname?: string };
}

const statusOf = ({ status }: Raw): Status => (status ?? {}) as Status;
const stateOf = (host: Raw): string => statusOf(host).provisioning?.state ?? '';

async function nodeOf(id: string): Promise<JsonObject | undefined> {
  const answer = await askIronic('GET', `/v1/nodes/${encodeURIComponent(id)}`);
  return answer.status === 404 ? undefined : ((await answer.json()) as JsonObject);
}

async function askIronic(method: string, path: string, body?: JsonObject): Promise<Response> {
  const [username, password] = [env('IRONIC_USERNAME'), env('IRONIC_PASSWORD')];
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  return fetch(env('IRONIC_URL') + path, {
    method,
    signal: AbortSignal.timeout(60_000),
    headers: {
      Accept: 'application/json',
      'X-OpenStack-Ironic-API-Version': '1.95',
      ...(username !== '' && { authorization }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

async function run(command: string): Promise<void> {
  const child = spawn('bash', ['-c', command], { stdio: 'ignore' });
  const code = await new Promise((resolve) => child.on('exit', resolve));
  assert.is(code, 0, `'${command}' ended with ${code}`);
}

/** Without a word to Troupe. */
async function takeNodeAway(id: string): Promise<void> {
  await eventually(`node ${id} is taken away`, async () => {
    await (await askIronic('PUT', `/v1/nodes/${id}/maintenance`, { reason: 'lost' })).arrayBuffer();
    await (await askIronic('DELETE', `/v1/nodes/${id}`)).arrayBuffer();
    return (await nodeOf(id)) === undefined;
  });
}

async function withMachine(
  { stage, fleet: machines }: Scene,
  name: string,
  spec: JsonObject,
  story: (kept: Kept) => Promise<void>,
  given: { readonly before?: (lent: Lent) => Promise<void>; readonly password?: string } = {},
): Promise<void> {
  const lent = await machines.lend();
  try {
    await given.before?.(lent);
    await story(await keep(stage, lent, name, spec, given.password));
  } finally {
    await lent.giveBack();
  }
}

async function keep(stage: Stage, lent: Lent, name: string, spec: JsonObject, password?: string): Promise<Kept> {
  const path = `baremetalhosts/${name}`;
  const secret = `${name}-bmc`;
  const stringData = { username: lent.door.username, password: password ?? lent.door.password };
  await stage.create(`secrets/${secret}`, { type: 'Opaque', stringData });
  const bmc = { address: lent.address, credentialsName: secret };
  await stage.create(path, { spec: { online: true, bootMACAddress: lent.mac, bmc, ...spec } });
  const is: Kept['is'] = (what, isSo) => stage.until(path, what, (host) => isSo(statusOf(host), host));
  return {
    stage,
    name,
    path,
    lent,
    secret,
    is,
    until: (state) => is(state, (_, host) => stateOf(host) === state),
    spec: (changes) => stage.merge(path, { spec: changes }),
    annotate: (annotations) => stage.merge(path, { metadata: { annotations } }),
    async end() {
      await stage.remove(path);
      await stage.gone(path);
      assert.is(await nodeOf(`${NAMESPACE}~${name}`), undefined);
    },
  };
}

const isWell = ({ operationalStatus, errorMessage }: Status): boolean =>
  operationalStatus === 'OK' && (errorMessage ?? '') === '';

const STORIES: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  // 120 to 240 s: an inspection, two cleanings, a deployment, six changes of power.
  'a host is inspected, deployed, switched, deprovisioned and deleted': (scene) =>
    withMachine(scene, 'whole', {}, async (host) => {
      const { stage, lent } = host;
      const { hardware } = statusOf(await host.until('available'));
      assert.is(hardware?.hostname, lent.name);
      const data = await stage.read('hardwaredata/whole');
      assert.equal(data?.spec?.['hardware'], hardware);
      await stage.create('secrets/whole-data', { stringData: { userData: '#cloud-config\n', metaData: 'a: b\n' } });
      await host.spec({
        image: image(),
        userData: { name: 'whole-data', namespace: NAMESPACE },
        metaData: { name: 'whole-data', namespace: NAMESPACE },
      });
      await host.until('provisioned');
      await host.is('on', ({ poweredOn }) => poweredOn === true);
      await eventually('the instance runs', async () => (await lent.look()).running.startsWith('instance'));
      const { disk, boots } = await lent.look();
      assert.is(disk.sha256, env('IMAGE_SHA256'));
      assert.ok((disk.configdrive?.bytes ?? 0) > 0);
      for (const mode of ['hard', 'soft']) {
        const before = (await lent.look()).boots.length;
        await host.annotate({ 'reboot.metal3.io': JSON.stringify({ mode }) });
        await host.is('rebooted', (_, { metadata }) => metadata.annotations?.['reboot.metal3.io'] === undefined);
        await host.is('on', ({ poweredOn }) => poweredOn === true);
        await eventually('it has booted again', async () => (await lent.look()).boots.length > before);
      }
      assert.is((await lent.look()).boots.at(-1), 'Hdd');
      assert.ok((await lent.look()).boots.length > boots.length);
      await host.spec({ online: false });
      await host.is('off', ({ poweredOn }) => poweredOn === false);
      assert.is((await lent.look()).power, 'Off');
      // Held off by a client, and let go.
      await host.annotate({ 'reboot.metal3.io/client': '' });
      await host.spec({ online: true });
      await systemClock().sleep(5_000);
      assert.is((await lent.look()).power, 'Off');
      await host.annotate({ 'reboot.metal3.io/client': null });
      await host.is('on', ({ poweredOn }) => poweredOn === true);
      await host.spec({ image: null });
      await host.until('available');
      assert.is((await lent.look()).disk.sha256, undefined);
      assert.ok(isWell(statusOf((await stage.read(host.path)) as Raw)));
      await host.end();
      assert.is((await lent.look()).power, 'Off');
    }),

  // 90 to 180 s: a deployment and two adoptions, of which the second waits for a look at nodes at rest, once a minute.
  'what runs there runs on while the host is detached, and attached again': (scene) =>
    withMachine(scene, 'detached', { ...QUICK, image: image() }, async (host) => {
      const { lent } = host;
      await host.until('provisioned');
      await host.is('on', ({ poweredOn }) => poweredOn === true);
      await eventually('the instance runs', async () => (await lent.look()).running.startsWith('instance'));
      const { boots } = await lent.look();
      await host.annotate({ 'baremetalhost.metal3.io/detached': '' });
      await host.is('detached', ({ operationalStatus }) => operationalStatus === 'detached');
      assert.is(await nodeOf(`${NAMESPACE}~detached`), undefined);
      await host.annotate({ 'baremetalhost.metal3.io/detached': null });
      await host.is('attached', ({ operationalStatus }) => operationalStatus === 'OK');
      const adopted = async (): Promise<boolean> =>
        (await nodeOf(`${NAMESPACE}~detached`))?.['provision_state'] === 'active';
      await eventually('it is adopted', adopted);
      // Somebody takes it out of Ironic: it is told by the next look.
      const { provisioning } = statusOf((await host.stage.read(host.path)) as Raw);
      await takeNodeAway(provisioning?.ID ?? '');
      await eventually('it is adopted again', adopted);
      assert.equal((await lent.look()).boots, boots);
      assert.is(stateOf((await host.stage.read(host.path)) as Raw), 'provisioned');
      // Detached ones go without a touch.
      await host.annotate({ 'baremetalhost.metal3.io/detached': '' });
      await host.is('detached', ({ operationalStatus }) => operationalStatus === 'detached');
      await host.end();
      assert.equal((await lent.look()).boots, boots);
      assert.is((await lent.look()).power, 'On');
    }),

  // 30 to 60 s.
  'what somebody else has deployed is adopted, and its power looked after': (scene) =>
    withMachine(
      scene,
      'external',
      { externallyProvisioned: true },
      async (host) => {
        const { lent } = host;
        await host.until('externally provisioned');
        await host.is('on', (status) => status.poweredOn === true && isWell(status));
        assert.is((await nodeOf(`${NAMESPACE}~external`))?.['provision_state'], 'active');
        const { boots } = await lent.look();
        await host.spec({ online: false });
        await host.is('off', ({ poweredOn }) => poweredOn === false);
        await host.spec({ online: true });
        await host.is('on', ({ poweredOn }) => poweredOn === true);
        assert.not((await lent.look()).boots.slice(boots.length).includes('Cd'));
        await host.end();
      },
      { before: (lent) => lent.reset('On') },
    ),

  // 40 to 90 s.
  'a wrong password is told, and mended in the Secret': (scene) => {
    const story = async (host: Kept): Promise<void> => {
      const { stage, lent, secret } = host;
      const { errorMessage, provisioning } = statusOf(
        await host.is('in error', ({ errorType }) => errorType === 'registration error'),
      );
      assert.is(provisioning?.state, 'registering');
      assert.match(errorMessage ?? '', /401/);
      await stage.merge(`secrets/${secret}`, { stringData: { password: lent.door.password } });
      assert.ok(isWell(statusOf(await host.until('available'))));
      // The BMC has another one from now on, and the Secret hears of it later.
      const next = scene.fleet.newPassword();
      lent.door.password = next;
      await stage.merge(`secrets/${secret}`, { stringData: { password: next } });
      await host.spec({ online: false });
      await host.is('off', ({ poweredOn }) => poweredOn === false);
      await host.end();
    };
    return withMachine(scene, 'mended', QUICK, story, {
      password: scene.fleet.newPassword(),
    });
  },

  // 15 to 30 s: nothing is known of it in Ironic, so that there is nothing to give up.
  'a host whose BMC was never reached is deleted': (scene) =>
    withMachine(
      scene,
      'unreached',
      {},
      async (host) => {
        await host.is('in error', ({ errorType }) => errorType === 'registration error');
        await host.end();
      },
      {
        async before(lent) {
          lent.door.isShut = true;
        },
      },
    ),

  // 60 to 120 s: its backing off, which takes 14 minutes at most, is hurried.
  'a host whose BMC is not reached any more is deleted in the end': ({ fleet: machines }) =>
    withHurriedStage(async (stage) =>
      withMachine({ stage, fleet: machines }, 'given-up', QUICK, async (host) => {
        await host.until('available');
        await host.is('on', ({ poweredOn }) => poweredOn === true);
        // Nobody is let in: what is not even answered Ironic tries for minutes each time.
        host.lent.door.password = machines.newPassword();
        await host.end();
        assert.is((await host.lent.look()).power, 'On');
        assert.equal(await toldPasswords(stage, machines.passwords), []);
      }),
    ),

  // 180 to 300 s: a deployment that fails, what backs off from it, and another one.
  'an image with another checksum is told, and another one deployed': (scene) =>
    withMachine(scene, 'another', { ...QUICK, image: { ...image(), checksum: 'f'.repeat(64) } }, async (host) => {
      const { errorMessage } = statusOf(
        await host.is('in error', ({ errorType }) => errorType === 'provisioning error'),
      );
      assert.match(errorMessage ?? '', /Error verifying image checksum/);
      await host.spec({ image: image() });
      assert.ok(isWell(statusOf(await host.until('provisioned'))));
      await eventually('the instance runs', async () => (await host.lent.look()).running.startsWith('instance'));
      await host.end();
    }),

  // 120 to 180 s.
  'an inspection that fails is told, and made again': (scene) =>
    withMachine(
      scene,
      'inspected',
      { automatedCleaningMode: 'disabled' },
      async (host) => {
        const { errorMessage } = statusOf(
          await host.is('in error', ({ errorType }) => errorType === 'inspection error'),
        );
        assert.match(errorMessage ?? '', /no disks found/);
        await host.lent.behave({});
        assert.ok(isWell(statusOf(await host.until('available'))));
        const before = await nodeOf(`${NAMESPACE}~inspected`);
        await host.annotate({ 'inspect.metal3.io': '' });
        await host.is(
          'inspected again',
          (_, { metadata }) => metadata.annotations?.['inspect.metal3.io'] === undefined,
        );
        await host.until('available');
        const after = await nodeOf(`${NAMESPACE}~inspected`);
        assert.is.not(after?.['inspection_finished_at'], before?.['inspection_finished_at']);
        await host.end();
      },
      { before: (lent) => lent.behave({ inspection_error: 'no disks found' }) },
    ),

  // 60 to 120 s: a setting takes a cleaning, in which Ironic looks for the reboot once a minute.
  'a host is inspected again, and a firmware setting prepared': (scene) =>
    withMachine(scene, 'settings', { inspectionMode: 'fast', automatedCleaningMode: 'disabled' }, async (host) => {
      const { stage } = host;
      await host.until('available');
      const before = await nodeOf(`${NAMESPACE}~settings`);
      await host.annotate({ 'inspect.metal3.io': '' });
      await host.is('inspected again', (_, { metadata }) => metadata.annotations?.['inspect.metal3.io'] === undefined);
      await host.until('available');
      const after = await nodeOf(`${NAMESPACE}~settings`);
      assert.is.not(after?.['inspection_finished_at'], before?.['inspection_finished_at']);
      const settings = (object: Raw): Readonly<Record<string, string>> =>
        (object.status?.['settings'] ?? {}) as Readonly<Record<string, string>>;
      await stage.until('hostfirmwaresettings/settings', 'read', (object) => 'ProcTurboMode' in settings(object));
      await stage.merge('hostfirmwaresettings/settings', { spec: { settings: { ProcTurboMode: 'Disabled' } } });
      await host.until('preparing');
      await host.until('available');
      await stage.until(
        'hostfirmwaresettings/settings',
        'changed',
        (object) => settings(object)['ProcTurboMode'] === 'Disabled',
      );
      await host.end();
    }),

  // 30 to 60 s each: what is under way ends first.
  'a host is deleted in the middle of its inspection': (scene) =>
    withMachine(scene, 'halfway', {}, async (host) => {
      await host.until('inspecting');
      await eventually('Ironic inspects', async () =>
        /inspect/.test(`${(await nodeOf(`${NAMESPACE}~halfway`))?.['provision_state']}`),
      );
      await host.end();
    }),
  'a host is deleted in the middle of its deployment': (scene) =>
    withMachine(scene, 'cut-short', { ...QUICK, image: image() }, async (host) => {
      await eventually('Ironic deploys', async () =>
        /deploy|call-back/.test(`${(await nodeOf(`${NAMESPACE}~cut-short`))?.['provision_state']}`),
      );
      await host.end();
      assert.is((await host.lent.look()).power, 'Off');
    }),
};

/** Time goes faster there for Troupe, and nothing is given up for it. */
async function withHurriedStage(story: (stage: Stage) => Promise<void>): Promise<void> {
  const clock = fastClock(systemClock(), PACE_OF_THE_HURRIED);
  const stage = await openStage({
    clock,
    ...ironic(),
    callMs: 30_000 * PACE_OF_THE_HURRIED,
    leaseMs: 30_000 * PACE_OF_THE_HURRIED,
    env: { IRONIC_CLIENT_TIMEOUT: `${30 * PACE_OF_THE_HURRIED}s` },
  });
  try {
    await stage.start();
    await story(stage);
    assert.equal(stage.errors, []);
  } finally {
    await stage.close();
  }
}

function ironic(): Pick<Parameters<typeof openStage>[0], 'endpoint' | 'deadlineMs' | 'credentials'> {
  const credentials = { username: env('IRONIC_USERNAME'), password: env('IRONIC_PASSWORD') };
  return {
    endpoint: env('IRONIC_URL'),
    deadlineMs: DEADLINE_MS,
    ...(credentials.username !== '' && { credentials }),
  };
}

/** 250 to 400 s with ten of them: Troupe, Ironic and its database go away under them. */
async function crowd({ stage, fleet: machines }: Scene): Promise<void> {
  const lent = await Promise.all(Array.from({ length: Math.min(CROWD, machines.size) }, () => machines.lend()));
  try {
    const spec = { inspectionMode: 'fast', automatedCleaningMode: 'disabled' };
    const hosts = await Promise.all(lent.map((machine, index) => keep(stage, machine, `crowd-${index}`, spec)));
    const all = <Result>(what: (host: Kept) => Promise<Result>): Promise<Result[]> => Promise.all(hosts.map(what));
    await all((host) => host.until('available'));
    await all((host) => host.spec({ image: image() }));
    await eventually('some are being deployed', async () => {
      const nodes = await Promise.all(hosts.map(({ name }) => nodeOf(`${NAMESPACE}~${name}`)));
      return nodes.some((node) => /deploy|call-back/.test(`${node?.['provision_state']}`));
    });
    await stage.stop();
    await stage.start();
    await all((host) => host.until('provisioned'));
    await all((host) => host.is('on', ({ poweredOn }) => poweredOn === true));
    await all((host) =>
      eventually(`the instance runs on ${host.lent.name}`, async () => {
        const { running } = await host.lent.look();
        return running.startsWith('instance');
      }),
    );
    const before = await all(({ lent: { look } }) => look());
    const ids = await all(async ({ name }) => `${(await nodeOf(`${NAMESPACE}~${name}`))?.['uuid']}`);
    if (env('TROUPE_FORGET_IRONIC') === '') await Promise.all(ids.map(takeNodeAway));
    else await run(env('TROUPE_FORGET_IRONIC'));
    await all((host) =>
      eventually(
        `${host.name} is adopted`,
        async () => (await nodeOf(`${NAMESPACE}~${host.name}`))?.['provision_state'] === 'active',
      ),
    );
    assert.equal(
      (await all(({ lent: { look } }) => look())).map(({ boots }) => boots),
      before.map(({ boots }) => boots),
    );
    await all((host) => host.is('well', isWell));
    await Promise.all(hosts.slice(0, CLEANED).map((host) => host.spec({ automatedCleaningMode: 'metadata' })));
    await all((host) => host.spec({ image: null }));
    await eventually('some are being cleaned', async () => {
      const nodes = await Promise.all(hosts.map(({ name }) => nodeOf(`${NAMESPACE}~${name}`)));
      return nodes.some((node) => /clean/.test(`${node?.['provision_state']}`));
    });
    if (env('TROUPE_RESTART_IRONIC') !== '') await run(env('TROUPE_RESTART_IRONIC'));
    await all((host) => host.until('available'));
    await all((host) => host.end());
  } finally {
    await Promise.all(lent.map(({ giveBack }) => giveBack()));
  }
}

/** All that anybody may read: where, and what it says. */
async function* readable(stage: Stage): AsyncIterable<readonly [where: string, text: string]> {
  for (const line of stage.log) yield ['the log', JSON.stringify(line)];
  for (const said of stage.heard) yield ['the bus', said];
  for (const { plural } of [{ plural: 'events' }, ...metal3Contracts]) {
    for (const object of await stage.list(plural)) yield [plural, JSON.stringify(object)];
  }
}

async function toldPasswords(stage: Stage, passwords: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const [where, text] of readable(stage)) {
    if (isToldIn(text, passwords)) found.push(`${where}: ${text.slice(0, 500)}`);
  }
  return found;
}

function isToldIn(text: string, passwords: readonly string[]): boolean {
  return passwords.some((password) => tracesOf(password).some((trace) => text.includes(trace)));
}

const OUTLIVING = 'as many hosts as there are machines outlive Troupe, Ironic and its database';
const SECRECY = 'no password of a BMC is told anywhere, and nothing went wrong in the code';

/** Begun at once, and each told by a test of its own. */
function begin(): ReadonlyMap<string, Promise<unknown>> {
  const machines = fleet(env);
  const open = openStage({ clock: systemClock(), ...ironic(), processes: 'two' });
  const clock = systemClock();
  const beganAt = clock.now();
  const failure = async (title: string, story: Promise<void>): Promise<unknown> => {
    const error = await story.then(() => undefined).catch((reason) => reason);
    const seconds = Math.round((clock.now() - beganAt) / 1_000);
    process.stdout.write(`${error === undefined ? 'passed' : 'failed'} after ${seconds} s: ${title}\n`);
    return error;
  };
  const scene = open.then(async (stage) => {
    await stage.start();
    return { stage, fleet: machines };
  });
  const results = new Map(
    Object.entries(STORIES).map(([title, story]) => [
      title,
      failure(
        title,
        scene.then((given) => story(given)),
      ),
    ]),
  );
  const crowded = Promise.all(results.values()).then(() => failure(OUTLIVING, scene.then(crowd)));
  const secret = crowded.then(() => scene).then(({ stage }) => end(stage, machines.passwords));
  return results.set(OUTLIVING, crowded).set(SECRECY, failure(SECRECY, secret));
}

async function end(stage: Stage, passwords: readonly string[]): Promise<void> {
  try {
    assert.equal(await toldPasswords(stage, passwords), []);
    // It would have been found.
    assert.ok(isToldIn(JSON.stringify({ host: `https://operator:${passwords[0]}@bmc` }), passwords));
    assert.ok(isToldIn(Buffer.from(`operator:${passwords[0]}`).toString('base64'), passwords));
    assert.equal(stage.errors, []);
  } finally {
    await stage.close();
  }
}

if (env('IRONIC_URL') === '') {
  process.stdout.write('skipped: IRONIC_URL is not set\n');
} else {
  for (const [title, result] of begin()) {
    test(title, async () => {
      const error = await result;
      if (error !== undefined) throw error;
    });
  }
  test.run();
}
