// BareMetalSwitches on the whole runtime: the Secrets that Ironic's networking service reads.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../bus/mod.ts';
import { conditionOf, type Raw, type SimulatedHosts, withHosts } from '../../world/hosts.ts';

const test = suite('switches of bare metal');

const env = {
  IRONIC_NETWORKING_ENABLED: 'true',
  IRONIC_SWITCH_CONFIGS_SECRET: 'switch-configs',
  IRONIC_SWITCH_CREDENTIALS_SECRET: 'switch-keys',
  IRONIC_SWITCH_CREDENTIALS_PATH: '/etc/keys',
};
const PASSWORD = 'Qx3-unlike-anything';
const KEY = '-----BEGIN KEY-----\nZt8-unlike-anything\n-----END KEY-----\n';
const [LEAF, SPINE] = ['baremetalswitches/leaf', 'baremetalswitches/spine'];
const specOf = (mac: string, secret: string): JsonObject => ({
  spec: { address: '192.0.2.1', macAddress: mac, deviceType: 'netmiko_cisco_ios', credentials: { name: secret } },
});
const validOf = (object: Raw): unknown => conditionOf(object, 'Valid')?.['reason'];
const is = (reason: string) => (object: Raw) => validOf(object) === reason;

async function textOf(world: SimulatedHosts, secret: string): Promise<Readonly<Record<string, string>>> {
  const { data = {} } = ((await world.read(`secrets/${secret}`)) ?? {}) as { readonly data?: Record<string, string> };
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]));
}

for (const processes of ['one', 'two'] as const) {
  test(`33.D: switches are rendered, mended, and go with their passwords; processes: ${processes}`, () =>
    withHosts(
      async (world) => {
        const configs = async (): Promise<string> =>
          (await textOf(world, 'switch-configs'))['switch-configs.conf'] ?? '';
        await world.create('secrets/switch-configs', { type: 'Opaque' });
        await world.create('secrets/switch-keys', { type: 'Opaque' });
        await world.create(LEAF, specOf('00:11:22:33:44:55', 'leaf'));
        await world.until(LEAF, 'reported', is('CredentialError'));
        await world.create('secrets/leaf', { type: 'Opaque', stringData: { username: 'admin', password: PASSWORD } });
        await world.until(LEAF, 'rendered', is('Reconciled'));
        await world.create('secrets/spine', {
          type: 'Opaque',
          stringData: { username: 'admin', 'ssh-privatekey': KEY },
        });
        await world.create(SPINE, specOf('00:11:22:33:44:66', 'spine'));
        await world.until(SPINE, 'rendered', is('Reconciled'));
        const both = await configs();
        assert.match(both, `password=${PASSWORD}`);
        assert.match(both, 'key_file=/etc/keys/00-11-22-33-44-66.key');
        assert.equal(await textOf(world, 'switch-keys'), { '00-11-22-33-44-66.key': KEY });
        const secret = (await world.read('secrets/leaf')) as Raw;
        assert.is(secret.metadata.labels?.['environment.metal3.io'], 'baremetal');
        assert.ok(secret.metadata.ownerReferences?.some(({ kind }) => kind === 'BareMetalSwitch'));
        // Whoever edits what is written finds it as it was.
        await world.merge('secrets/switch-configs', { stringData: { 'switch-configs.conf': 'mine' } });
        await world.eventually('mended', async () => (await configs()) === both);
        await world.merge('secrets/leaf', { stringData: { password: `${PASSWORD}-2` } });
        await world.eventually('renewed', async () => (await configs()).includes(`${PASSWORD}-2`));
        // Nothing of it is anywhere else: on the bus, in objects, in the log.
        for (const reported of [world.heard.join('\n'), await world.everything(), JSON.stringify(world.log)]) {
          assert.not.match(reported, /unlike-anything/);
        }
        await world.remove(SPINE);
        await world.gone(SPINE);
        assert.not.match(await configs(), 'spine');
        assert.equal(await textOf(world, 'switch-keys'), {});
        await world.remove(LEAF);
        await world.gone(LEAF);
        assert.not.match(await configs(), 'unlike-anything');
      },
      { env, processes },
    ));
}

test.run();
