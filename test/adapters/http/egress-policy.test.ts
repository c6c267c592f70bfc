// Which hosts clouds are reached at. Names are resolved by the test: nothing leaves this machine.
import { createServer } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/base/clock.ts';
import { type EgressPolicyOptions, egressPolicyOf } from '../../../adapters/http/egress-policy.ts';
import type { ProxySettings } from '../../../adapters/http/proxies.ts';
import { AnswerMemory } from '../../../adapters/http/response.ts';
import { httpTransport } from '../../../adapters/http/transport.ts';
import { identityUrl } from '../../../adapters/openstack/client/authentication.ts';
import { serviceUrl } from '../../../adapters/openstack/client/catalog.ts';
import { TransientError } from '../../../bus/errors.ts';

const test = suite('hosts of clouds');

/** A resolver that knows what the test says; a list is answered one by one, as by a server that changes its mind. */
function resolver(names: Readonly<Record<string, readonly string[]>>): LookupFunction & { readonly asked: string[] } {
  const asked: string[] = [];
  const lookup: LookupFunction = (name, _options, done) => {
    asked.push(name);
    const addresses = names[name] ?? [];
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  return Object.assign(lookup, { asked });
}

/** What is wrong with a URL, as far as no name must be resolved. */
function refusalOf(url: string, options: Partial<EgressPolicyOptions> = {}): string | undefined {
  try {
    egressPolicyOf({ allow: [], deny: [], ...options }).checkUrl(new URL(url));
    return undefined;
  } catch (error) {
    assert.instance(error, TransientError);
    return (error as Error).message;
  }
}

/** What is wrong with the addresses that a name leads to. */
function resolved(
  addresses: readonly string[],
  options: Partial<EgressPolicyOptions> = {},
  port = 5_000,
): string | undefined {
  let failure: Error | null = null;
  const reach = egressPolicyOf({
    allow: [],
    deny: [],
    lookup: resolver({ 'cloud.test': addresses, 'cloud.test.': addresses }),
    ...options,
  });
  reach.lookupFor(port)('cloud.test', { all: true }, (error) => {
    failure = error;
  });
  return (failure as Error | null)?.message;
}

test('loopback is reached where that is stated, unless it is denied', () => {
  const said = (options: { readonly deny: readonly string[] }): string => {
    try {
      egressPolicyOf({ allow: [], isLoopbackReached: true, ...options }).checkUrl(new URL('http://127.0.0.1:5000/v3'));
      return 'reached';
    } catch (error) {
      return (error as Error).message;
    }
  };
  assert.is(said({ deny: [] }), 'reached');
  assert.match(said({ deny: ['127.0.0.0/8'] }), /where --cloud-deny forbids/);
});

test('loopback, link-local and what is no host are refused, however they are spelled (HTTP-EGRESS-POLICY-2)', () => {
  for (const host of [
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f.0.0.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '[::127.0.0.1]',
    '169.254.169.254',
    '[::ffff:169.254.169.254]',
    '[fe80::1]',
    '0.0.0.0',
    '[::]',
    '224.0.0.1',
  ]) {
    assert.match(refusalOf(`http://${host}:5000/v3`) ?? `${host} is reached`, /the operator of Troupe can allow it/);
  }
});

test('33.C6: metadata services of all clouds are refused, and whatever stands for a refused address', () => {
  for (const host of [
    'fd20:ce::254',
    'fd00:ec2::254',
    '100.100.100.200',
    '192.0.0.192',
    '168.63.129.16',
    // Translated without a state (SIIT).
    '::ffff:0:127.0.0.1',
    '::ffff:0:a9fe:a9fe',
    // Teredo: by its server, and by its client, whose bits are turned.
    '2001:0:a9fe:a9fe::1',
    '2001:0:cb00:7107:0:0:5601:5601',
    // ISATAP, with an address of its own network and with a global one.
    '2001:db8::5efe:a9fe:a9fe',
    '2001:db8::200:5efe:7f00:1',
    // NAT64 by a prefix of 48 bits.
    '64:ff9b:1:a9fe:a9:fe00::',
  ]) {
    const url = host.includes(':') ? `http://[${host}]:5000/v3` : `http://${host}:5000/v3`;
    assert.match(refusalOf(url) ?? `${host} is reached`, /the operator of Troupe can allow it/);
    assert.is.not(resolved([host]), undefined, host);
    assert.is(refusalOf(url, { allow: ['0.0.0.0/0', '::/0'] }), undefined, host);
  }
  for (const host of ['2001:0:cb00:7107::34ff:8ef8', '2001:db8::5efe:cb00:7107', '::ffff:0:203.0.113.7'])
    assert.is(refusalOf(`http://[${host}]:5000/v3`), undefined, host);
});

test('33.C6: in a pod no search domain makes a Service of a name, unless it is allowed (HTTP-EGRESS-POLICY-4)', () => {
  const lookup = resolver({ 'keystone.openstack': ['10.244.0.7'], 'cloud.example.': ['203.0.113.7'] });
  const found = (name: string, options: Partial<EgressPolicyOptions> = {}): readonly string[] => {
    let addresses: readonly string[] = [];
    const reach = egressPolicyOf({ allow: [], deny: [], lookup, serviceHost: '10.96.0.1', ...options });
    reach.lookupFor(5_000)(name, { all: true }, (_, all) => {
      addresses = (all as readonly { readonly address: string }[]).map(({ address }) => address);
    });
    return addresses;
  };
  assert.equal(found('keystone.openstack'), []);
  assert.equal(found('cloud.example'), ['203.0.113.7']);
  assert.equal(found('keystone.openstack', { allow: ['keystone.openstack'] }), ['10.244.0.7']);
  // Elsewhere there are no Services.
  assert.equal(found('keystone.openstack', { serviceHost: undefined }), ['10.244.0.7']);
  assert.match(refusalOf('http://keystone:5000/v3', { serviceHost: '10.96.0.1' }) ?? '', 'a name without a domain');
  assert.is(refusalOf('http://keystone:5000/v3'), undefined);
});

test('private networks are reached, as ever', () => {
  for (const host of [
    '10.0.0.5',
    '172.16.3.4',
    '192.168.1.1',
    '[fd00::5]',
    '100.64.0.1',
    '203.0.113.7',
    '[2001:db8::1]',
  ]) {
    assert.is(
      refusalOf(`https://${host}:5000/v3`, { serviceHost: '10.96.0.1', apiServer: '10.0.0.5:6443' }),
      undefined,
    );
  }
  assert.is(resolved(['10.0.0.5', 'fd00::5']), undefined);
});

test('a name is judged by what it leads to, all of it, and the address is not told (HTTP-EGRESS-POLICY-1, HTTP-EGRESS-POLICY-3)', () => {
  for (const address of ['127.0.0.1', '169.254.169.254', '::ffff:a9fe:a9fe', '::1', 'fe80::1%eth0']) {
    const message = resolved([address]) ?? '';
    assert.match(message, /^'cloud\.test' is (a loopback|a link-local) address, which is not allowed for clouds/);
    assert.not.match(message, address);
  }
  assert.ok(resolved(['203.0.113.7', '127.0.0.1']) !== undefined);
});

test('the API server, services of the cluster and their network are refused', () => {
  const options = { serviceHost: '10.96.0.1', apiServer: '192.168.1.10:6443' };
  assert.match(refusalOf('https://10.96.7.8/', options) ?? '', 'the network of services of the cluster');
  assert.match(resolved(['10.96.200.1'], options) ?? '', 'the network of services of the cluster');
  assert.match(refusalOf('https://192.168.1.10:6443/', options) ?? '', 'the API server');
  assert.match(resolved(['192.168.1.10'], options, 6_443) ?? '', 'the API server');
  assert.is(refusalOf('https://192.168.1.10:5000/', options), undefined, 'a cloud on the same host');
  for (const name of [
    'prometheus.monitoring.svc',
    'a.b.svc.cluster.local',
    'kubernetes',
    'A.b.SVC.',
    'x.svc.k8s.example',
  ]) {
    assert.match(refusalOf(`http://${name}/`) ?? '', 'a service of the cluster');
  }
  assert.is(refusalOf('http://svc.example.com/'), undefined);
});

test('what is allowed is reached whatever else is said; what is denied is not', () => {
  const allow = ['127.0.0.1', '*.cloud.example', 'keystone.openstack.svc.cluster.local'];
  assert.is(refusalOf('http://127.0.0.1:5000', { allow }), undefined);
  assert.is.not(refusalOf('http://127.0.0.2:5000', { allow }), undefined);
  assert.is(refusalOf('http://keystone.openstack.svc.cluster.local/v3', { allow }), undefined);
  assert.is(resolved(['127.0.0.1'], { allow: ['cloud.test'] }), undefined);
  const deny = ['10.1.0.0/16', '*.internal'];
  assert.match(refusalOf('http://10.1.2.3/', { deny }) ?? '', 'where --cloud-deny forbids');
  assert.match(refusalOf('http://db.internal/', { deny }) ?? '', 'where --cloud-deny forbids');
  assert.match(resolved(['10.1.2.3'], { deny }) ?? '', 'where --cloud-deny forbids');
  // Only what is allowed.
  const only = { allow: ['keystone.cloud.example', '*.cloud.example'], deny: ['*'] };
  assert.is(refusalOf('https://keystone.cloud.example/', only), undefined);
  assert.is.not(refusalOf('https://elsewhere.example/', only), undefined);
  assert.is.not(refusalOf('https://203.0.113.7/', only), undefined);
  assert.is.not(resolved(['203.0.113.7'], only), undefined);
});

/** A request to a server of this machine under a name that the test resolves. */
async function requested(
  addresses: readonly string[],
  { allow = [] as readonly string[], proxy }: { readonly allow?: readonly string[]; readonly proxy?: 'through' } = {},
): Promise<{ readonly result: string; readonly heard: number; readonly asked: number }> {
  let heard = 0;
  const server = createServer((_, response) => {
    heard++;
    response.end('{"secret":"of somebody else"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const lookup = resolver({ 'cloud.test': addresses });
  const clock = systemClock();
  const settings: ProxySettings | undefined = proxy && { httpProxy: `http://127.0.0.1:${port}` };
  const reach = egressPolicyOf({ allow, deny: ['denied.test'], lookup });
  const transport = httpTransport({ ca: undefined, verify: 'verified' }, settings, clock, reach);
  const ask = (host: string): Promise<string> =>
    transport
      .exchange({
        method: 'GET',
        url: `http://${host}:${port}/`,
        label: 'GET /',
        headers: {},
        deadlineAt: clock.now() + 10_000,
        extent: 'one',
        holding: new AnswerMemory().open([]),
      })
      .then(({ body }) => JSON.stringify(body), String);
  try {
    const result = await ask('cloud.test');
    if (proxy === 'through') assert.match(await ask('denied.test'), 'where --cloud-deny forbids');
    if (proxy === 'through') assert.match(await ask('169.254.169.254'), 'a link-local address');
    return { result, heard, asked: lookup.asked.length };
  } finally {
    await transport.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

test('no socket is opened to a refused address, under whatever name (HTTP-EGRESS-POLICY-1)', async () => {
  const { result, heard, asked } = await requested(['127.0.0.1']);
  assert.match(result, /'cloud\.test' is a loopback address/);
  assert.equal([heard, asked], [0, 1]);
  assert.match((await requested(['127.0.0.1'], { allow: ['127.0.0.0/8'] })).result, 'somebody else');
});

test('behind a proxy literal addresses and names are judged, and the proxy itself is reached', async () => {
  const { result, heard, asked } = await requested(['127.0.0.1'], { proxy: 'through' });
  assert.match(result, 'somebody else');
  assert.equal([heard, asked], [1, 0]);
});

test('an endpoint holds no query, fragment or user, and is HTTP', () => {
  const at = (url: string) => [{ serviceType: 'network', endpointInterface: 'public', region: 'a', url }];
  const entry = { region: 'a', endpointInterface: 'public' } as const;
  const urlOf = (url: string): string => serviceUrl(at(url), 'network', entry, 'http://keystone/v3');
  assert.is(urlOf('http://neutron:9696/'), 'http://neutron:9696/v2.0');
  for (const bad of [
    'http://internal/data?x=',
    'http://internal/data#',
    'http://me:pw@internal/',
    'file:///etc/passwd',
    'http://internal/a?',
  ]) {
    assert.throws(() => urlOf(bad), /without query, fragment and user/, bad);
  }
  const keystone = (auth_url: string) =>
    identityUrl({
      auth: { auth_url },
      authType: '',
      region: undefined,
      endpointInterface: 'public',
      verify: 'verified',
    });
  for (const bad of ['http://internal/data?x=', 'http://internal/#'])
    assert.throws(() => keystone(bad), /query or a fragment/);
  // 33.A9: one rule for both, and a path is nobody's user.
  for (const bad of [
    'http://me:pw@internal/',
    'http://@internal/',
    'ftp://internal/',
    'internal',
    'http://internal/?',
    '',
  ]) {
    assert.throws(() => urlOf(bad), undefined, bad);
    assert.throws(() => keystone(bad), undefined, bad);
  }
  for (const good of ['http://internal/a@b/', 'HTTPS://internal:5000', 'http://internal/v2.0//']) {
    assert.match(urlOf(good), /\/v2\.0$/, good);
    assert.match(keystone(good), /\/v3$/, good);
  }
});

test.run();
