// What holds of all kinds: updates that leave the spec as it is, and input of any form.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { admit, asksForOthers } from '../../../../../adapters/ironic/api/admission/admit.ts';
import { ADMITTED } from '../../../../../adapters/ironic/api/admission/webhooks.ts';
import { created, type Fields, host, object, updated } from './samples.ts';

const test = suite('admission of hosts');

/** Of each kind one that is not valid, with what it takes to be. */
const INVALID: Readonly<Record<string, readonly [invalid: unknown, valid: unknown]>> = {
  BareMetalHost: [host({ firmware: { sriovEnabled: true } }).spec, host().spec],
  BMCEventSubscription: [
    { hostName: '', destination: 'x' },
    { hostName: 'h', destination: 'http://d/' },
  ],
  DataImage: [{ url: 'x' }, { url: 'http://h/x' }],
  HostClaim: [{ image: { url: 'x' } }, {}],
  HostFirmwareComponents: [{ updates: [{ component: 'bmc', url: 'x' }] }, { updates: [] }],
  HostNetworkAttachment: [{ mode: 'access', allowedVLANs: ['1'] }, { mode: 'access' }],
};

test('each kind that is asked about has rules', () => {
  assert.equal(Object.keys(INVALID).sort(), ADMITTED.map(({ kind }) => kind).sort());
  for (const [kind, [invalid, valid]] of Object.entries(INVALID)) {
    assert.ok(created(kind, object(invalid)).length > 0, kind);
    assert.equal(created(kind, object(valid)), [], kind);
  }
});

for (const [kind, [invalid, valid]] of Object.entries(INVALID)) {
  test(`a ${kind} that was stored invalid may lose its finalizer and take an annotation (IRONIC-ADMIT-2)`, () => {
    const stored = { metadata: { name: 'n', namespace: 'ns', finalizers: ['f'] }, spec: invalid };
    const changed = { ...stored, metadata: { name: 'n', namespace: 'ns', annotations: { a: 'b' } } };
    assert.equal(updated(kind, stored, changed), []);
    assert.equal(updated(kind, stored, JSON.parse(JSON.stringify(stored))), []);
  });

  test(`a ${kind} is judged whole when its spec changes (IRONIC-ADMIT-2)`, () => {
    const problems = created(kind, object(invalid));
    const others: readonly unknown[] = [];
    const changed = { ...(invalid as Fields), description: 'changed' };
    const found = updated(kind, object(invalid), object(changed), { others });
    for (const problem of problems) assert.ok(found.includes(problem), problem);
    const repaired = updated(kind, object(invalid), object(valid), { others });
    assert.equal(
      repaired,
      kind === 'BMCEventSubscription' ? ['subscriptions cannot be updated, please recreate it'] : [],
    );
  });
}

test('what an update of the metadata makes worse is refused, and nothing else (IRONIC-ADMIT-2)', () => {
  const spec = { firmware: {} };
  const before = host(spec, { 'reboot.metal3.io/a': 'x' });
  assert.equal(updated('BareMetalHost', before, host(spec, { 'reboot.metal3.io/a': 'x', b: 'c' })), []);
  assert.equal(updated('BareMetalHost', before, host(spec, {})), []);
  const worse = updated('BareMetalHost', before, host(spec, { 'reboot.metal3.io/a': 'x', 'reboot.metal3.io/b': 'x' }));
  assert.is(worse.length, 1);
  assert.match(worse[0] ?? '', 'reboot.metal3.io/b');
  // Annotation and spec together: the spec was fine until now.
  const fast = { inspectionMode: 'fast' };
  const contradicting = updated('BareMetalHost', host(fast), host(fast, { 'inspect.metal3.io': 'disabled' }));
  assert.is(contradicting.length, 1);
  assert.match(contradicting[0] ?? '', 'contradicting values');
});

test('an unset bmc and one of two empty texts are the same (IRONIC-ADMIT-2)', () => {
  const spec = { firmware: {}, bmc: undefined };
  const written = { ...spec, bmc: { address: '', credentialsName: '' } };
  const parsed = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
  assert.equal(updated('BareMetalHost', parsed(host(spec)), parsed(host(written))), []);
  assert.equal(updated('BareMetalHost', parsed(host(written)), parsed(host(spec))), []);
  assert.ok(updated('BareMetalHost', parsed(host(spec)), parsed(host({ firmware: {} }))).length > 0);
  const named = { ...spec, bmc: { address: '', credentialsName: 'bmc' } };
  assert.is(updated('BareMetalHost', parsed(host(written)), parsed(host(named))).length, 1);
});

test('empty lists of RAID volumes are not the same as none', () => {
  const before = host({ firmware: {}, raid: { hardwareRAIDVolumes: null } });
  const after = host({ firmware: {}, raid: { hardwareRAIDVolumes: [] } });
  assert.is(updated('BareMetalHost', before, after).length, 1);
});

test('an update without what was stored is judged whole', () => {
  assert.is(updated('BareMetalHost', null, host({ firmware: {} })).length, 1);
});

test('kinds and operations without rules are let through', () => {
  const nothing = { allowed: true, problems: [], warnings: [] };
  for (const kind of ['HardwareData', 'Pod', 'constructor', '']) {
    assert.equal(admit({ kind, version: 'v1alpha1', operation: 'CREATE', object: {} }), nothing);
  }
  assert.equal(admit({ kind: 'BareMetalHost', version: 'v1alpha1', operation: 'CONNECT', object: {} }), nothing);
});

test('others are asked for only where they count', () => {
  const [old, changed] = [object({ nativeVLAN: 1 }), object({ nativeVLAN: 2 })];
  const asks = (kind: string, operation: string, to: unknown = changed): boolean =>
    asksForOthers({ kind, version: 'v1alpha1', operation, object: to, oldObject: old });
  assert.is(asks('HostNetworkAttachment', 'UPDATE'), true);
  assert.is(asks('HostNetworkAttachment', 'DELETE'), true);
  assert.is(asks('HostNetworkAttachment', 'UPDATE', { ...old, metadata: {} }), false);
  assert.is(asks('HostNetworkAttachment', 'CREATE'), false);
  assert.is(asks('BareMetalHost', 'DELETE'), false);
});

/** Each part of a value in turn is something else. */
function spoilt(value: unknown): unknown[] {
  const oddities = [null, 7, '', 'x', true, [], [null], {}, [[]], { namespace: 7 }];
  if (Array.isArray(value)) {
    return [...oddities, ...value.flatMap((item, index) => spoilt(item).map((odd) => value.with(index, odd)))];
  }
  if (typeof value !== 'object' || value === null) return oddities;
  return [
    ...oddities,
    ...Object.entries(value).flatMap(([key, member]) => spoilt(member).map((odd) => ({ ...value, [key]: odd }))),
  ];
}

test('whatever an object is made of, it is judged', () => {
  const full: Readonly<Record<string, unknown>> = {
    BareMetalHost: {
      ...host(
        {
          image: { url: 'http://h/x', checksum: 'x', checksumType: 'md5', format: 'raw' },
          networkInterfaces: [{ name: 'eth0', hostNetworkAttachment: { name: 'n', namespace: 'ns' } }],
          raid: {
            hardwareRAIDVolumes: [{ physicalDisks: ['a'], controller: 'c' }],
            softwareRAIDVolumes: [{ level: '1' }],
          },
          rootDeviceHints: { deviceName: '/dev/sda' },
          userData: { name: 's', namespace: 'metal' },
        },
        { 'baremetalhost.metal3.io/status': '{}', 'reboot.metal3.io': '', 'inspect.metal3.io': 'disabled' },
      ),
      status: { operationalStatus: 'OK', provisioning: { state: 'available' } },
    },
    BMCEventSubscription: object({ hostName: 'h', destination: 'http://d/', httpHeadersRef: { namespace: 'metal' } }),
    DataImage: object({ url: 'http://h/x' }),
    HostClaim: object({
      hostSelector: { matchLabels: { a: 'b' }, matchExpressions: [{ key: 'a', operator: 'in', values: ['b'] }] },
    }),
    HostFirmwareComponents: object({ updates: [{ component: 'bmc', url: 'http://h/x' }] }),
    HostNetworkAttachment: object({ mode: 'trunk', nativeVLAN: 1, allowedVLANs: ['1-2'] }),
  };
  let judged = 0;
  for (const [kind, whole] of Object.entries(full)) {
    for (const odd of spoilt(whole)) {
      for (const operation of ['CREATE', 'UPDATE', 'DELETE']) {
        for (const version of ['v1alpha1', 'v1beta1']) {
          const request = { kind, version, operation, object: odd, oldObject: whole };
          admit(request);
          admit({ ...request, object: whole, oldObject: odd, others: [odd] });
          asksForOthers(request);
          judged += 1;
        }
      }
    }
  }
  assert.ok(judged > 3_000, String(judged));
});

test('names that every object has make nothing of themselves', () => {
  const spec = JSON.parse('{"__proto__": {"firmware": {}}, "constructor": {"online": false}, "online": true}');
  assert.equal(created('BareMetalHost', object(spec)), []);
  const labels = JSON.parse('{"__proto__": "b", "constructor": "c"}');
  assert.is(created('HostClaim', object({ hostSelector: { matchLabels: labels } })).length, 1);
  assert.is(({} as Fields)['firmware'], undefined);
});

test.run();
