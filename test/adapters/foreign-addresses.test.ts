// Addresses that tenants write and that others connect to: Ironic, machines, BMCs, Windows. Names are resolved by the test.
import type { LookupFunction } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { KeyedMutex } from '../../adapters/csi-proxy/hosts/keyed-mutex.ts';
import { memoryMachine } from '../../adapters/csi-proxy/hosts/memory/memory-host.ts';
import { PathRules } from '../../adapters/csi-proxy/server/path-rules.ts';
import { type EgressPolicyOptions, foreignReachOf } from '../../adapters/http/egress-policy.ts';
import type { IronicPorts } from '../../adapters/ironic/serving.ts';
import { bmcEventSubscriptionOperations } from '../../adapters/ironic/steps/bmc-event-subscriptions.ts';
import { dataImageOperations } from '../../adapters/ironic/steps/data-images.ts';
import type { HostReconciler } from '../../adapters/ironic/steps/host-reconciler.ts';
import { prepareHost, serviceHost } from '../../adapters/ironic/steps/prepare.ts';
import { iscsiTargetOperations } from '../../adapters/windows/operations/iscsi-target.ts';
import type { MachinePorts } from '../../adapters/windows/operations/serving.ts';
import { smbMappingOperations } from '../../adapters/windows/operations/smb-mapping.ts';
import type { JsonObject } from '../../bus/json.ts';
import { simulatedClock } from '../world/clock.ts';
import { type Raw, withHosts } from '../world/hosts.ts';
import { objectOf, withNode } from '../world/ironic.ts';
import { rejection } from '../world/rejection.ts';

const test = suite('addresses that others connect to');

const names: Readonly<Record<string, readonly string[]>> = {
  'far.test': ['203.0.113.7'],
  'inside.test': ['203.0.113.7', '169.254.169.254'],
  'service.ns.svc': ['10.96.0.7'],
};
const lookup: LookupFunction = (name, _options, done) => {
  const found = names[name];
  if (found === undefined) return done(Object.assign(new Error('it is not known'), { code: 'ENOTFOUND' }), '');
  return done(
    null,
    found.map((address) => ({ address, family: 4 })),
  );
};
const egressPolicyOf = (options: Partial<EgressPolicyOptions> = {}) =>
  foreignReachOf({ allow: [], deny: [], lookup, ...options });
const POD = { serviceHost: '10.96.0.1', apiServer: '10.96.0.1:443' } as const;
const FOREIGN = egressPolicyOf({ deny: ['10.9.0.0/16'] });
const DENIED = '10.9.1.2';

test('33.C6: link-local and metadata addresses are refused, in every spelling of whoever connects', async () => {
  for (const host of [
    ...['169.254.169.254', '2852039166', '0xa9.254.169.254', '[fe80::1]', 'fe80::1', 'fd00:ec2::254'],
    ...['::ffff:169.254.169.254', '64:ff9b::a9fe:a9fe', 'fe80--1.ipv6-literal.net', 'fe80--1s4.ipv6-literal.net'],
    ...['0.0.0.0', '100.100.100.200', '168.63.129.16'],
  ]) {
    assert.match(
      (await egressPolicyOf().refusalOf('BMCs', host)) ?? `${host} is reached`,
      /the operator of Troupe can allow it/,
    );
    assert.is(await egressPolicyOf({ allow: ['0.0.0.0/0', '::/0'] }).refusalOf('BMCs', host), undefined, host);
  }
  for (const host of ['10.0.0.5', '192.168.1.1', '[fd00::5]', 'far.test', 'nas', 'no host at all', '']) {
    assert.is(await egressPolicyOf(POD).refusalOf('BMCs', host), undefined, host);
  }
});

test('33.C6: loopback is refused in a pod alone; Services are let through, and the API server is not', async () => {
  assert.match((await egressPolicyOf(POD).refusalOf('BMCs', '127.0.0.1')) ?? '', 'a loopback address');
  assert.is(await egressPolicyOf({ isLoopbackReached: true }).refusalOf('BMCs', '127.0.0.1'), undefined);
  assert.is(await egressPolicyOf(POD).refusalOf('BMCs', 'service.ns.svc', 80), undefined);
  assert.is(await egressPolicyOf(POD).refusalOf('BMCs', '10.96.7.8', 80), undefined);
  assert.match((await egressPolicyOf(POD).refusalOf('BMCs', '10.96.0.1', 443)) ?? '', 'the API server');
});

test('33.C6: names are judged by patterns, and in a pod by all that they lead to (HTTP-EGRESS-POLICY-5)', async () => {
  const message = (await egressPolicyOf(POD).refusalOf('BMCs', 'inside.test')) ?? '';
  assert.match(message, "'inside.test' is a link-local address");
  assert.not.match(message, '169.254');
  assert.is(await egressPolicyOf().refusalOf('BMCs', 'inside.test'), undefined, 'nobody resolves it here');
  assert.is(await egressPolicyOf({ ...POD, allow: ['inside.test'] }).refusalOf('BMCs', 'inside.test'), undefined);
  const only = { allow: ['*.bmc.example', '10.7.0.0/16'], deny: ['*'] };
  assert.is(await egressPolicyOf(only).refusalOf('BMCs', 'one.bmc.example'), undefined);
  assert.is(await egressPolicyOf(only).refusalOf('BMCs', '10.7.0.1'), undefined);
  assert.match((await egressPolicyOf(only).refusalOf('BMCs', 'nas')) ?? '', 'where --cloud-deny forbids');
});

const env = { TROUPE_CLOUD_DENY: '10.9.0.0/16,*.internal' };
const errorOf = ({ status }: Raw): readonly [unknown, string] => [
  status?.['errorType'],
  String(status?.['errorMessage'] ?? ''),
];

test('33.C6: the address of a BMC, as the flags say it', () =>
  withHosts(
    async (world) => {
      const at = (host: string): JsonObject => ({
        bmc: { address: `redfish://${host}/redfish/v1/Systems/1`, credentialsName: 'bmc' },
      });
      await world.host(at(DENIED));
      const host = 'baremetalhosts/one';
      const refused = await world.until(host, 'refused', (object) => errorOf(object)[0] === 'registration error');
      assert.match(errorOf(refused)[1], `'${DENIED}' is where --cloud-deny forbids, which is not allowed for BMCs`);
      await world.merge(host, { spec: at('169.254.169.254') });
      await world.until(host, 'refused anew', (object) => errorOf(object)[1].includes('a link-local address'));
      await world.merge(host, { spec: at('bmc.internal') });
      await world.until(host, 'refused by name', (object) => errorOf(object)[1].includes("'bmc.internal'"));
      assert.is(world.ironic.calls()['POST /nodes'] ?? 0, 0);
      await world.remove(host);
      await world.gone(host);
    },
    { env },
  ));

test('33.C6: the URL of an image, and of its checksum', () =>
  withHosts(
    async (world) => {
      const host = 'baremetalhosts/one';
      const checksum = 'a'.repeat(64);
      await world.host({ inspectionMode: 'disabled', image: { url: `http://${DENIED}/a.raw`, checksum } });
      const refused = await world.until(host, 'refused', (object) => errorOf(object)[0] === 'provisioning error');
      assert.match(errorOf(refused)[1], `'${DENIED}' is where --cloud-deny forbids, which is not allowed for images`);
      const image = { url: 'http://images/a.raw', checksum: 'http://169.254.169.254/latest/user-data' };
      await world.merge(host, { spec: { image } });
      await world.until(host, 'refused anew', (object) =>
        errorOf(object)[1].includes('a link-local address, which is not allowed for images'),
      );
    },
    { env },
  ));

test('33.C6: the image of a DataImage, and where events of a BMC go', () =>
  withNode(async ({ ports, ironic, request }) => {
    const judged = { ...ports, foreign: FOREIGN };
    const url = `http://${DENIED}/a.iso`;
    const attached = await dataImageOperations(judged).attach({ ...request(objectOf('DataImage', { url })), url });
    assert.is(attached.kind, 'refused');
    assert.match('message' in attached ? attached.message : '', 'which is not allowed for images');
    assert.is(ironic.machine('bm1').media, null);
    const object = objectOf('BMCEventSubscription', { hostName: 'h', destination: `https://${DENIED}/events` });
    const error = await rejection(bmcEventSubscriptionOperations(judged).create({ ...request(object) } as never));
    assert.match(
      (error as Error).message,
      'where --cloud-deny forbids, which is not allowed for destinations of BMC events',
    );
  }));

test('33.C6: the source of firmware, before a deployment and while it is serviced', async () => {
  const conditions = [
    { type: 'ChangeDetected', status: 'True', observedGeneration: 1 },
    { type: 'Valid', status: 'True', observedGeneration: 1 },
  ];
  const updates = [{ component: 'bios', url: `http://${DENIED}/bios` }];
  const components = objectOf('HostFirmwareComponents', { updates }, { status: { conditions } });
  const policy = { spec: { firmwareUpdates: 'onReboot' } };
  const clock = simulatedClock();
  const ports = {
    clock,
    foreign: FOREIGN,
    readObject: async ({ kind }: { readonly kind: string }) => (kind === 'HostUpdatePolicy' ? policy : components),
  } as unknown as IronicPorts;
  const reported: string[] = [];
  const passes = {
    async onNode(_: unknown, decide: (node: JsonObject) => unknown) {
      reported.push(JSON.stringify(decide({ provision_state: 'manageable' })));
      return { last: { step: 'done' }, notes: [] };
    },
    outcome: () => ({ kind: 'done', at: 0 }),
  } as unknown as HostReconciler;
  const request = {
    object: objectOf('BareMetalHost', { bmc: { address: 'redfish://10.0.0.1/redfish/v1/Systems/1' } }),
    dependencies: { 'HostFirmwareComponents/h': { id: 'h', ready: true } },
    deadlineAt: 0,
    traceparent: '',
  };
  await prepareHost(ports, passes, request);
  assert.match(reported[0] ?? '', 'where --cloud-deny forbids, which is not allowed for sources of firmware');
  const serviced = await serviceHost(ports, passes, { ...request, isBegun: true });
  assert.match(JSON.stringify(serviced), 'where --cloud-deny forbids, which is not allowed for sources of firmware');
  assert.is(reported.length, 1, 'no node is asked for anything');
});

test('33.C6: the server of a share, and the portal of a target', async () => {
  const clock = simulatedClock();
  const { host } = await memoryMachine({ clock });
  const ports: MachinePorts = {
    clock,
    host,
    lanes: new KeyedMutex(),
    paths: new PathRules(['C:\\x']),
    encryption: 'required',
    node: 'one',
    derive: async () => Buffer.of(),
    machine: async () => '',
    foreign: FOREIGN,
    readSecret: async () => undefined,
    readObject: async () => undefined,
    listObjects: async () => [],
  };
  const refusal = async (operation: unknown, spec: JsonObject): Promise<string> => {
    const object = { kind: 'One', metadata: { name: 'one', namespace: 'a', uid: 'u' }, spec };
    const dependencies = { 'WindowsStorageNode/one': { id: 'one', ready: true, attributes: { nodeName: 'one' } } };
    const asked = { object, dependencies, deadlineAt: 60_000, traceparent: '' };
    // Nothing was made, and that is the answer.
    const { undone } = await (operation as (asked: object) => Promise<{ readonly undone: Error }>)(asked);
    return undone.message;
  };
  const { map } = smbMappingOperations(ports);
  for (const server of [DENIED, '169.254.169.254', '169.254.169.254@8080', 'fe80--1.ipv6-literal.net']) {
    assert.match(
      await refusal(map, { remotePath: `\\\\${server}\\share` }),
      /(cloud-deny|link-local).*, which is not allowed for SMB servers/,
      server,
    );
  }
  assert.not.match(await refusal(map, { remotePath: '\\\\nas\\share' }), /cloud-deny/);
  const { connect } = iscsiTargetOperations(ports);
  for (const address of [DENIED, '169.254.169.254', 'fe80::1']) {
    const spec = { portal: { address }, iqn: 'iqn.2026-01.com.example:one' };
    assert.match(
      await refusal(connect, spec),
      /(cloud-deny|link-local).*, which is not allowed for iSCSI portals/,
      address,
    );
  }
});

test.run();
