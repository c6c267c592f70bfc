// The policy for egress refuses what the adapter refuses, and not more than that.
import { BlockList } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { egressPolicyOf } from '../../adapters/http/egress-policy.ts';
import { everything, installed, one } from './manifests.ts';

const test = suite('egress of the pods');

interface Rule {
  readonly to?: readonly {
    readonly ipBlock?: { readonly cidr: string; readonly except: readonly string[] };
    readonly podSelector?: { readonly matchLabels: Readonly<Record<string, string>> };
  }[];
  readonly ports?: readonly { readonly port: number; readonly protocol: string }[];
}

interface Policy {
  readonly metadata: { readonly namespace: string };
  readonly spec: {
    readonly podSelector: { readonly matchLabels: object };
    readonly policyTypes: readonly string[];
    readonly egress: readonly Rule[];
  };
}

const objects = everything();
const policy = one<Policy>(objects, 'NetworkPolicy', 'troupe-egress');

/** Whether the rules let a connection to an address out. */
function passes(rules: readonly Rule[], address: string, port: number): boolean {
  const family = address.includes(':') ? 'ipv6' : 'ipv4';
  const isIn = (cidr: string): boolean => {
    const [network = '', prefix = ''] = cidr.split('/');
    const list = new BlockList();
    const version = network.includes(':') ? 'ipv6' : 'ipv4';
    if (version === family) list.addSubnet(network, Number(prefix), version);
    return list.check(address, family);
  };
  return rules.some(
    ({ to, ports }) =>
      (ports === undefined || ports.some((each) => each.port === port)) &&
      (to === undefined ||
        to.some(({ ipBlock }) => ipBlock !== undefined && isIn(ipBlock.cidr) && !ipBlock.except.some(isIn))),
  );
}

test('it is of the pods of the Deployment, and lets out to the bus and to names', () => {
  const deployment = one<{ spec: { selector: { matchLabels: object } } }>(installed(), 'Deployment', 'troupe');
  const nats = one<Policy>(objects, 'NetworkPolicy', 'troupe-nats');
  const { metadata, spec } = policy;
  assert.equal(spec.podSelector.matchLabels, deployment.spec.selector.matchLabels);
  assert.equal(spec.policyTypes, ['Egress']);
  assert.is(metadata.namespace, nats.metadata.namespace);
  assert.ok(
    spec.egress.some(({ to }) =>
      to?.some(({ podSelector }) => JSON.stringify(podSelector) === JSON.stringify(nats.spec.podSelector)),
    ),
  );
  assert.ok(passes(spec.egress, '169.254.20.10', 53));
});

test('what leaves the pod and is refused to clouds does not get out, and private networks do', () => {
  const { spec } = policy;
  const reach = egressPolicyOf({ allow: [], deny: [] });
  const isRefused = (address: string): boolean => {
    try {
      reach.checkUrl(new URL(`http://${address.includes(':') ? `[${address}]` : address}:5000`));
      return false;
    } catch {
      return true;
    }
  };
  for (const address of [
    '169.254.169.254',
    '169.254.0.1',
    '100.100.100.200',
    '192.0.0.192',
    '168.63.129.16',
    'fd00:ec2::254',
    'fd20:ce::254',
    'fe80::1',
  ]) {
    assert.ok(isRefused(address), address);
    assert.not(passes(spec.egress, address, 5_000), address);
  }
  for (const address of [
    '10.0.0.5',
    '172.16.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '203.0.113.7',
    'fd00::5',
    '2001:db8::1',
  ]) {
    assert.not(isRefused(address), address);
    assert.ok(passes(spec.egress, address, 5_000), address);
  }
});

test.run();
