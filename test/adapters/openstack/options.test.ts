// The options of the adapter, as users write them.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { configure } from '../../../actors/process/adapters.ts';
import type { Settings } from '../../../adapters/api/adapter.ts';
import { KINDS } from '../../../adapters/openstack/kinds/registry.ts';
import { openstack } from '../../../adapters/openstack/mod.ts';
import { openstackOptions } from '../../../adapters/openstack/options.ts';
import { TerminalError } from '../../../bus/mod.ts';

const test = suite('options of OpenStack');

function settings(flags: Record<string, string> = {}, variables: Record<string, string> = {}): Settings {
  return { flag: (name) => ({ name: `--${name}`, value: flags[name] }), variable: (name) => variables[name] };
}

function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    assert.instance(error, TerminalError);
    return (error as TerminalError).message;
  }
  throw new Error('it was accepted');
}

test('nothing set is fine', () => {
  const reach = { allow: [], deny: [], isLoopbackReached: true, serviceHost: undefined };
  assert.equal(openstackOptions(settings()), { defaultResyncMs: 0, drift: 'repair', callsInFlight: 16, reach });
});

test('hosts that clouds are reached at are patterns', () => {
  const { reach } = openstackOptions(
    settings(
      { 'cloud-allow': '*.example.com, 10.0.0.0/8', 'cloud-deny': '*' },
      { KUBERNETES_SERVICE_HOST: '10.96.0.1' },
    ),
  );
  assert.equal(reach, {
    allow: ['*.example.com', '10.0.0.0/8'],
    deny: ['*'],
    isLoopbackReached: false,
    serviceHost: '10.96.0.1',
  });
  assert.match(
    refusal(() => configure(openstack, { TROUPE_CLOUD_DENY: 'http://example.com' })),
    /^TROUPE_CLOUD_DENY must list names .+ got 'http:\/\/example\.com'$/,
  );
  assert.match(
    refusal(() => openstackOptions(settings({ 'cloud-allow': '10.0.0.0/33' }))),
    /^--cloud-allow must .+ '10\.0\.0\.0\/33'$/,
  );
});

test('this machine is reached for development and outside of a cluster, and never from a pod', () => {
  const pod = settings({}, { KUBERNETES_SERVICE_HOST: '10.96.0.1' });
  assert.is(openstackOptions(pod).reach?.isLoopbackReached, false);
  assert.is(openstackOptions({ ...pod, purpose: 'development' }).reach?.isLoopbackReached, true);
  assert.is(openstackOptions(settings()).reach?.isLoopbackReached, true);
});

test('proxies are for the clouds, never for this machine', () => {
  assert.is(openstackOptions(settings({}, { NO_PROXY: 'example.org' })).proxy, undefined);
  assert.equal(openstackOptions(settings({}, { https_proxy: 'http://proxy:3128', NO_PROXY: 'example.org' })).proxy, {
    httpsProxy: 'http://proxy:3128',
    noProxy: 'example.org,localhost,127.0.0.0/8,::1',
  });
});

test('a refusal names the flag or the variable, the rule and what it got', () => {
  assert.is(
    refusal(() => openstackOptions(settings({ 'calls-in-flight': '0' }))),
    "--calls-in-flight must be a whole number of calls, at least 1; got '0'",
  );
  assert.is(
    refusal(() => openstackOptions(settings({ drift: 'ignore' }))),
    "--drift must be repair or report; got 'ignore'",
  );
  assert.is(
    refusal(() => configure(openstack, { TROUPE_DEFAULT_RESYNC_PERIOD: 'daily' })),
    "TROUPE_DEFAULT_RESYNC_PERIOD must be a Go duration such as 10m, 0s for never; got 'daily'",
  );
});

test('a flag goes before its variable, and a short resync period is warned of', () => {
  const env = { TROUPE_DEFAULT_RESYNC_PERIOD: '1m' };
  assert.is(configure(openstack, env).warnings?.length, 1);
  assert.is(configure(openstack, env, { 'default-resync-period': '10m' }).warnings?.length, 0);
});

test('a CA that cannot be read is refused where clouds are reached, and nowhere else', async () => {
  const adapter = configure(openstack, {}, { 'default-ca-certs': '/nowhere/ca.pem' });
  assert.is(adapter.kinds.length, KINDS.length);
  try {
    await adapter.serve({} as never);
    assert.unreachable();
  } catch (error) {
    assert.instance(error, TerminalError);
    assert.match(
      (error as Error).message,
      "--default-ca-certs must name a file that can be read; got '/nowhere/ca.pem'",
    );
  }
});

test.run();
