import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { BareMetalHost } from '../../../machines/bare-metal-host/host.ts';
import { type Standing, unrestOf, untriedOf } from './host-rest.ts';

const test = suite('hosts as they are asked for');
const IMAGE = { url: 'http://images.test/a.raw' };
const CONDITION = {
  type: 'Ready',
  status: 'True',
  reason: 'Provisioned',
  message: '',
  lastTransitionTime: '',
} as const;
const PROVISIONED: BareMetalHost = {
  metadata: { name: 'one', generation: 2 },
  spec: { online: true, image: IMAGE },
  status: { provisioning: { state: 'provisioned', image: IMAGE }, operationalStatus: 'OK', poweredOn: true },
};
const THERE: Standing = { host: PROVISIONED, state: 'active', power: 'power on', written: IMAGE.url };

const withStatus = (status: BareMetalHost['status']): Standing => ({
  ...THERE,
  host: { ...PROVISIONED, status: { ...PROVISIONED.status, ...status } },
});

test('one that has its image, its power and its node lacks nothing', () => {
  assert.is(unrestOf(THERE), undefined);
});

const WRONG: Readonly<Record<string, Standing>> = {
  'is not gone': { ...THERE, host: { ...PROVISIONED, metadata: { name: 'one', deletionTimestamp: 'now' } } },
  'is elsewhere': withStatus({ provisioning: { state: 'available' } }),
  'has an error': withStatus({ operationalStatus: 'error' }),
  'says that it has another image': withStatus({ provisioning: { state: 'provisioned', image: { url: 'b' } } }),
  'has another image': { ...THERE, written: 'b' },
  'is off': { ...THERE, power: 'power off' },
  'says that it is off': withStatus({ poweredOn: false }),
  'has no node': { ...THERE, state: undefined },
  'has a node that is not in use': { ...THERE, state: 'manageable' },
  'has not looked at its edit': {
    ...withStatus({ conditions: [{ ...CONDITION, observedGeneration: 1 }] }),
  },
  'is wanted without an image': { ...THERE, host: { ...PROVISIONED, spec: { online: true } } },
  "is somebody else's": { ...THERE, host: { ...PROVISIONED, spec: { online: true, externallyProvisioned: true } } },
  'is to be rebooted': {
    ...THERE,
    host: { ...PROVISIONED, metadata: { ...PROVISIONED.metadata, annotations: { 'reboot.metal3.io': '' } } },
  },
  'is to be detached': {
    ...THERE,
    host: { ...PROVISIONED, metadata: { name: 'one', annotations: { 'baremetalhost.metal3.io/detached': '' } } },
  },
};
for (const [what, standing] of Object.entries(WRONG)) {
  test(`one that ${what} is not`, () => {
    assert.type(unrestOf(standing), 'string');
  });
}

test('a reboot of a host on which nothing runs is nothing to wait for', () => {
  const metadata = { name: 'one', generation: 2, annotations: { 'reboot.metal3.io': '' } };
  const status = { provisioning: { state: 'available' }, operationalStatus: 'OK', poweredOn: true } as const;
  const host: BareMetalHost = { metadata, spec: { online: true }, status };
  assert.is(unrestOf({ host, state: 'available', power: 'power on', written: undefined }), undefined);
});

test('one that is detached has no node', () => {
  const metadata = { name: 'one', annotations: { 'baremetalhost.metal3.io/detached': '' } };
  const host = { ...PROVISIONED, metadata, status: { ...PROVISIONED.status, operationalStatus: 'detached' } };
  assert.is(unrestOf({ ...THERE, host, state: undefined }), undefined);
  assert.type(unrestOf({ ...THERE, host }), 'string');
});

test('a failure in the conditions of a host is yet to be retried', () => {
  const progressing = { ...CONDITION, type: 'Progressing', status: 'False', reason: 'NotProgressing' } as const;
  const telling = (message: string): BareMetalHost =>
    withStatus({ conditions: [CONDITION, { ...progressing, message, observedGeneration: 2 }] }).host;
  assert.is(untriedOf(telling('Ironic is away')), "host 'one' has not tried again: Ironic is away");
  assert.is(untriedOf(telling('')), undefined);
  assert.is(untriedOf(PROVISIONED), undefined);
});

test.run();
