// How the switches of a namespace become two Secrets: by renderings that meet, with Secrets that are missing or somebody's own.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SecretContent } from '../../../../adapters/api/adapter.ts';
import { foreignReachOf } from '../../../../adapters/http/egress-policy.ts';
import { bareMetalSwitchOperations } from '../../../../adapters/ironic/steps/bare-metal-switches.ts';
import { ConflictError } from '../../../../bus/mod.ts';
import type { KubeObject } from '../../../../machines/object.ts';
import { simulatedClock } from '../../../world/clock.ts';

const test = suite('operations on BareMetalSwitches');

const SECRETS = { configs: 'configs', credentials: 'keys', credentialsPath: '/keys' };
const HEADER = '# This file is managed by the Baremetal Operator\n';
const KEY = '-----BEGIN KEY-----\nhush\n';
const MAC = '00:11:22:aa:bb:cc';

const encoded = (data: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]));

function switchNamed(name: string, secret = 'plain', metadata: object = {}): KubeObject {
  return {
    apiVersion: 'metal3.io/v1alpha1',
    kind: 'BareMetalSwitch',
    metadata: { name, namespace: 'ns', uid: name, resourceVersion: '1', generation: 1, ...metadata },
    spec: { address: '192.0.2.1', macAddress: MAC, deviceType: 'dell', credentials: { name: secret } },
  };
}

/** Secrets of the namespace `ns`, and switches; both change as the test says. */
function cluster(
  switches: readonly KubeObject[],
  given: Readonly<Record<string, Readonly<Record<string, string>>>> = {},
) {
  const all = {
    plain: { username: 'admin', password: 'p' },
    keyed: { username: 'admin', 'ssh-privatekey': KEY },
    ...given,
  };
  const stored = new Map<string, SecretContent>(
    Object.entries(all).map(([name, data]) => [name, { uid: name, resourceVersion: '1', data: encoded(data) }]),
  );
  const state = { switches, listed: 0, writes: [] as string[], beforeList: async (): Promise<void> => undefined };
  const operations = bareMetalSwitchOperations({
    clock: simulatedClock(),
    options: { switches: SECRETS },
    foreign: foreignReachOf({ allow: [], deny: [] }),
    readSecret: async (namespace, name) => (namespace === 'ns' ? stored.get(name) : undefined),
    async writeSecret(_, name, { resourceVersion }, data) {
      const now = stored.get(name);
      if (now === undefined || now.resourceVersion !== resourceVersion) throw new ConflictError(`${name} was changed`);
      stored.set(name, { ...now, resourceVersion: String(Number(resourceVersion) + 1), data });
      state.writes.push(name);
    },
    async listObjects() {
      state.listed++;
      const list = state.switches;
      await state.beforeList();
      return list;
    },
  });
  const render = (object: KubeObject) =>
    operations.render({ object, dependencies: {}, deadlineAt: Number.POSITIVE_INFINITY, traceparent: '' });
  const text = (name: string): Readonly<Record<string, string>> =>
    Object.fromEntries(
      Object.entries(stored.get(name)?.data ?? {}).map(([key, value]) => [
        key,
        Buffer.from(value, 'base64').toString(),
      ]),
    );
  return { state, render, text, stored };
}

const sectionsOf = (text: string | undefined): readonly string[] =>
  [...(text ?? '').matchAll(/\[switch:(.*)\]/g)].map(([, name = '']) => name);

test('33.D: all switches of the namespace are rendered, and their keys are files beside', async () => {
  const [a, b] = [switchNamed('a'), switchNamed('b', 'keyed')];
  const elsewhere = switchNamed('c', 'plain', { namespace: 'other' });
  const { render, text, state } = cluster([b, a, elsewhere], { configs: {}, keys: {} });
  const { conditions, missing } = await render(a);
  assert.equal([missing, conditions[0]?.reason], [[], 'Reconciled']);
  assert.equal(sectionsOf(text('configs')['switch-configs.conf']), ['a', 'b']);
  assert.match(text('configs')['switch-configs.conf'] ?? '', 'key_file=/keys/00-11-22-aa-bb-cc.key');
  assert.equal(text('keys'), { '00-11-22-aa-bb-cc.key': KEY });
  await render(b);
  assert.equal(state.writes, ['keys', 'configs'], 'what says the same is not written');
});

test('33.D: one whose Secret is missing or incomplete is left out, and says so', async () => {
  const { render, text } = cluster([switchNamed('a', 'none'), switchNamed('b', 'half'), switchNamed('c')], {
    configs: {},
    keys: {},
    half: { username: 'admin' },
  });
  for (const name of ['none', 'half'] as const) {
    const { conditions } = await render(switchNamed(name === 'none' ? 'a' : 'b', name));
    assert.equal([conditions[0]?.status, conditions[0]?.reason], ['False', 'CredentialError']);
  }
  assert.equal(sectionsOf(text('configs')['switch-configs.conf']), ['c']);
});

test('33.C6: a switch at a link-local address is left out, and says so', async () => {
  const near = switchNamed('a');
  const far = { ...switchNamed('b'), spec: { ...near.spec, address: '169.254.169.254' } };
  const { render, text } = cluster([near, far], { configs: {}, keys: {} });
  const { conditions } = await render(far);
  assert.equal(conditions[0]?.status, 'False');
  assert.match(conditions[0]?.message ?? '', 'a link-local address, which is not allowed for switches');
  assert.equal(sectionsOf(text('configs')['switch-configs.conf']), ['a']);
});

test('33.D: one that is being deleted is rendered no more, and its key goes (IRONIC-BARE-METAL-SWITCHES-3)', async () => {
  const [a, b] = [switchNamed('a'), switchNamed('b', 'keyed')];
  const { render, text, state } = cluster([a, b], { configs: {}, keys: {} });
  await render(a);
  state.switches = [a, { ...b, metadata: { ...b.metadata, deletionTimestamp: '2026-01-02T03:04:05Z' } }];
  await render(b);
  assert.equal([sectionsOf(text('configs')['switch-configs.conf']), text('keys')], [['a'], {}]);
  state.switches = [];
  await render(a);
  assert.equal(text('configs'), { 'switch-configs.conf': HEADER });
});

test('33.D: a rendering does not undo one of a later list (IRONIC-BARE-METAL-SWITCHES-1)', async () => {
  const [a, b] = [switchNamed('a'), switchNamed('b')];
  const { render, text, state, stored } = cluster([a], { configs: {}, keys: {} });
  // Another process renders both while this one has its list already.
  state.beforeList = async () => {
    const now = stored.get('configs') as SecretContent;
    const data = encoded({ 'switch-configs.conf': '[switch:a]\n[switch:b]\n' });
    stored.set('configs', { ...now, resourceVersion: '9', data });
  };
  try {
    await render(a);
    assert.unreachable();
  } catch (error) {
    assert.instance(error, ConflictError);
  }
  assert.equal(sectionsOf(text('configs')['switch-configs.conf']), ['a', 'b']);
  state.beforeList = async () => undefined;
  state.switches = [a, b];
  await render(a);
  assert.equal(sectionsOf(text('configs')['switch-configs.conf']), ['a', 'b']);
});

test('33.D: other keys of the Secrets stay, and Secrets that are not there are named, not made (IRONIC-BARE-METAL-SWITCHES-4)', async () => {
  const mine = { 'notes.txt': 'mine', 'aa-bb-cc-dd-ee-ff.key': 'of a switch that is gone' };
  const { render, text } = cluster([switchNamed('a')], { configs: { other: 'x' }, keys: mine });
  await render(switchNamed('a'));
  assert.is(text('configs')['other'], 'x');
  assert.equal(text('keys'), { 'notes.txt': 'mine' });
  const bare = cluster([switchNamed('a')]);
  assert.equal(await bare.render(switchNamed('a')), { conditions: [], missing: ['configs'] });
  // Without a key nobody needs the other one.
  const half = cluster([switchNamed('a')], { configs: {} });
  assert.equal((await half.render(switchNamed('a'))).missing, []);
  const keyed = cluster([switchNamed('a', 'keyed')], { configs: {} });
  assert.equal((await keyed.render(switchNamed('a', 'keyed'))).missing, ['keys']);
  assert.equal(bare.state.writes, []);
});

test('33.D: many at once are rendered together, and nothing of a Secret is in an answer (IRONIC-BARE-METAL-SWITCHES-2)', async () => {
  const all = Array.from({ length: 50 }, (_, at) => switchNamed(`s${at}`, at % 2 === 0 ? 'plain' : 'keyed'));
  const { render, state } = cluster(all, {
    configs: {},
    keys: {},
    plain: { username: 'admin', password: 'hush-hush' },
  });
  const answers = await Promise.all(all.map(render));
  assert.ok(answers.every(({ conditions }) => conditions[0]?.status === 'True'));
  assert.ok(state.listed <= 2, `${state.listed} lists`);
  assert.not.match(JSON.stringify(answers), /hush/);
});

test.run();
