// Settings of deployments from the environment.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { deploySettings, urlFor } from '../../../../adapters/ironic/host/deploy-settings.ts';
import { TerminalError } from '../../../../bus/errors.ts';

const test = suite('deploy settings');

const DEFAULT = { directDeploy: 'Default', liveIso: 'Default' };

function refusal(environment: Readonly<Record<string, string>>, hasBuilder = false): string {
  try {
    deploySettings(environment, { hasBuilder });
  } catch (error) {
    assert.instance(error, TerminalError);
    return (error as Error).message;
  }
  return assert.unreachable(JSON.stringify(environment)) as never;
}

test('nothing is set without variables, and an empty one is not set', () => {
  const none = { byArchitecture: {} };
  const nothing = { iso: none, kernel: none, ramdisk: none, forcePersistentBootDevice: DEFAULT };
  assert.equal(deploySettings({}, { hasBuilder: false }), nothing);
  const empty = { DEPLOY_KERNEL_URL: '', DEPLOY_ISO_URL: undefined, DEPLOY_ISO_URL_X86_64: '', DEPLOY_ISO_BY_ARCH: '' };
  assert.equal(deploySettings(empty, { hasBuilder: true }), nothing);
});

test('URLs are read for all architectures, by list and by variable, which wins', () => {
  const { iso, kernel, ramdisk } = deploySettings(
    {
      DEPLOY_ISO_URL: 'http://iso',
      DEPLOY_KERNEL_URL: 'http://k',
      DEPLOY_RAMDISK_URL: 'http://r',
      DEPLOY_ISO_BY_ARCH: ' X86_64:http://list:8080/x , aarch64:http://list/a,',
      DEPLOY_ISO_URL_X86_64: 'http://own',
      DEPLOY_KERNEL_URL_AARCH64: 'http://k/a',
      DEPLOY_RAMDISK_BY_ARCH: 'ppc64le:http://r/p',
    },
    { hasBuilder: false },
  );
  assert.equal(iso, { url: 'http://iso', byArchitecture: { x86_64: 'http://own', aarch64: 'http://list/a' } });
  assert.equal(kernel, { url: 'http://k', byArchitecture: { aarch64: 'http://k/a' } });
  assert.equal(ramdisk, { url: 'http://r', byArchitecture: { ppc64le: 'http://r/p' } });
  assert.is(urlFor(iso, 'x86_64'), 'http://own');
  assert.is(urlFor(iso, 'AArch64'), 'http://list/a');
  assert.is(urlFor(iso, 'riscv64'), 'http://iso');
  assert.is(urlFor(iso, 'constructor'), 'http://iso');
  assert.is(urlFor({ byArchitecture: {} }, 'x86_64'), undefined);
});

test('a ramdisk needs its kernel, and a kernel its ramdisk unless a builder brings one', () => {
  assert.is(
    refusal({ DEPLOY_RAMDISK_URL: 'r' }),
    'DEPLOY_KERNEL_URL must be set where DEPLOY_RAMDISK_URL is; got none',
  );
  assert.is(
    refusal({ DEPLOY_RAMDISK_URL: 'r' }, true),
    'DEPLOY_KERNEL_URL must be set where DEPLOY_RAMDISK_URL is; got none',
  );
  assert.is(refusal({ DEPLOY_KERNEL_URL: 'k' }), 'DEPLOY_RAMDISK_URL must be set where DEPLOY_KERNEL_URL is; got none');
  assert.is(deploySettings({ DEPLOY_KERNEL_URL: 'k' }, { hasBuilder: true }).kernel.url, 'k');
});

test('persistent boot devices are one of three', () => {
  for (const value of ['Default', 'Always', 'Never']) {
    const { forcePersistentBootDevice } = deploySettings(
      { DIRECT_DEPLOY_FORCE_PERSISTENT_BOOT_DEVICE: value },
      { hasBuilder: false },
    );
    assert.equal(forcePersistentBootDevice, { ...DEFAULT, directDeploy: value });
    const other = deploySettings({ LIVE_ISO_FORCE_PERSISTENT_BOOT_DEVICE: value }, { hasBuilder: false });
    assert.equal(other.forcePersistentBootDevice, { ...DEFAULT, liveIso: value });
  }
  assert.is(
    refusal({ LIVE_ISO_FORCE_PERSISTENT_BOOT_DEVICE: 'always' }),
    "LIVE_ISO_FORCE_PERSISTENT_BOOT_DEVICE must be Default, Always, Never; got 'always'",
  );
});

test('a list that is none is refused, and not quoted', () => {
  for (const list of [
    'http://me:hunter@images/x',
    'x86_64',
    'x86_64:',
    ':http://hunter',
    'x86 64:http://hunter',
    'x86_64:a b',
  ]) {
    const message = refusal({ DEPLOY_ISO_BY_ARCH: `aarch64:http://a,${list}` });
    assert.is(message, 'DEPLOY_ISO_BY_ARCH must be like x86_64:URL,aarch64:URL; its item 2 is not');
  }
});

test('hostile names are names', () => {
  const { iso } = deploySettings({ DEPLOY_ISO_BY_ARCH: '__proto__:http://x' }, { hasBuilder: false });
  assert.is(urlFor(iso, '__proto__'), 'http://x');
  assert.is(({} as { url?: unknown }).url, undefined);
});

test.run();
