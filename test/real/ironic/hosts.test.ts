// needs: ironic
// BareMetalHosts on a real Ironic, with an API server and a bus in memory: $IRONIC_URL with its BMCs, machines and image
// ($BMC_URL, $BMC_USERNAME, $BMC_PASSWORD, $BMC_SYSTEMS, $AGENTS_URL, $IMAGE_URL, $IMAGE_SHA256), and $IRONIC_USERNAME and
// $IRONIC_PASSWORD where it wants them.
//
// Each story has a machine of its own, and they are told at a time, as many as there are machines; the times are those of one
// of them among eleven, on two cores that are busy with other things too. Ironic and its machines take nearly all of it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/base/clock.ts';
import type { Clock } from '../../../bus/mod.ts';
import { type HostWorld, NAMESPACE, openHostWorld, type Raw } from '../../world/hosts.ts';
import { DEADLINE_MS, eventually } from './fleet.ts';
import {
  env,
  image,
  ironic,
  isWell,
  type Kept,
  nodeOf,
  QUICK,
  stateOf,
  statusOf,
  takeNodeAway,
  withMachine,
} from './kept-host.ts';
import { report, type Story, toldPasswords } from './stories.ts';

/** A clock that goes faster. */
function fastClock(clock: Clock, speed: number): Clock {
  const startedAt = clock.now();
  return {
    ...clock,
    now: () => startedAt + (clock.now() - startedAt) * speed,
    setTimeout: (run, delayMs) => clock.setTimeout(run, delayMs / speed),
    sleep: (delayMs, signal) => clock.sleep(delayMs / speed, signal),
  };
}

const PACE_OF_THE_HURRIED = 10;

const test = suite('hosts on a real Ironic');
const STORIES: Readonly<Record<string, Story>> = {
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
  'a host whose BMC is not reached any more is deleted in the end': ({ fleet: machines, orders }) =>
    withHurriedStage(orders.url, async (stage) =>
      withMachine({ stage, fleet: machines, orders }, 'given-up', QUICK, async (host) => {
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
      host.wish('preparation');
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
async function withHurriedStage(endpoint: string, story: (stage: HostWorld) => Promise<void>): Promise<void> {
  const clock = fastClock(systemClock(), PACE_OF_THE_HURRIED);
  const stage = await openHostWorld({
    clock,
    ...ironic(endpoint),
    deadlineMs: DEADLINE_MS * PACE_OF_THE_HURRIED,
    pollMs: 20 * PACE_OF_THE_HURRIED,
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

if (env('IRONIC_URL') === '') {
  process.stdout.write('skipped: IRONIC_URL is not set\n');
} else {
  report(test, STORIES);
  test.run();
}
