// What was written of a host in one version is held against what it reads as in both.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { convertObject } from '../../../../adapters/ironic/api/conversion/convert.ts';
import { VERSIONS, type Version } from '../../../../adapters/ironic/api/definitions.ts';
import type { JsonObject } from '../../../../bus/mod.ts';
import type { HostSpec } from '../../../../machines/bare-metal-host/host.ts';
import { IMAGES, racks } from './racks.ts';
import { specIn, Writings } from './writings.ts';

const test = suite('chaos: what was written of hosts');

const HOST = 'one';
const SPEC: HostSpec = { online: true, image: IMAGES[0] as HostSpec['image'] };
const READ_OFF: JsonObject = { poweredOn: false, image: IMAGES[0] as JsonObject };

/** @returns what is wrong with what it reads as */
function afterwards(read: JsonObject, version: Version, play: (writings: Writings) => void): string | undefined {
  const writings = new Writings();
  writings.created(HOST, { born: 'v1beta1', spec: SPEC }, 'done');
  play(writings);
  return writings.read(HOST, version, read);
}

const off = (outcome: 'done' | 'unknown') => (writings: Writings) => writings.changed(HOST, { online: false }, outcome);

test('what was written last is there, in either version (TEST-WRITINGS-1)', () => {
  assert.is(afterwards(READ_OFF, 'v1beta1', off('done')), undefined);
  const { poweredOn: _, ...others } = READ_OFF;
  assert.is(afterwards({ ...others, online: false, hardwareProfile: 'empty' }, 'v1alpha1', off('done')), undefined);
  const without = { poweredOn: true };
  assert.is(
    afterwards(without, 'v1beta1', (writings) => writings.changed(HOST, { image: null }, 'done')),
    undefined,
  );
});

test('what actors fill in is no change of what was written (TEST-WRITINGS-1)', () => {
  assert.is(afterwards({ ...READ_OFF, architecture: 'x86_64' }, 'v1beta1', off('done')), undefined);
});

const WRONG: Readonly<Record<string, JsonObject>> = {
  'what was there before': { ...READ_OFF, poweredOn: true },
  'what is missing': { poweredOn: false },
  'what is said in the words of the other version': { ...READ_OFF, online: false },
  'what nobody wrote': { ...READ_OFF, rootDeviceHints: { devicePath: '/dev/sda' } },
  'a part that is missing': { ...READ_OFF, image: { url: String(IMAGES[0]?.['url']) } },
};

for (const [what, read] of Object.entries(WRONG)) {
  test(`${what} is noticed (TEST-WRITINGS-1)`, () => {
    assert.match(afterwards(read, 'v1beta1', off('done')) ?? '', "host 'one' reads in v1beta1 as");
  });
}

test('what nobody answered is done or not, and afterwards what was seen (TEST-WRITINGS-2)', () => {
  const before = { ...READ_OFF, poweredOn: true };
  for (const read of [READ_OFF, before]) assert.is(afterwards(read, 'v1beta1', off('unknown')), undefined);
  const seen = (writings: Writings): void => {
    off('unknown')(writings);
    writings.read(HOST, 'v1beta1', READ_OFF);
  };
  assert.is(afterwards(READ_OFF, 'v1beta1', seen), undefined);
  assert.ok(afterwards(before, 'v1beta1', seen));
});

test('hosts of all racks are converted to what is expected of them', () => {
  for (const { manifest, name } of racks(() => 'password')) {
    for (const born of VERSIONS) {
      const writings = new Writings();
      const spec = manifest['spec'] as HostSpec;
      writings.created(name, { born, spec }, 'done');
      const object = { ...manifest, apiVersion: `metal3.io/${born}`, spec: specIn(born, spec) };
      for (const version of VERSIONS) {
        const converted = convertObject(object, `metal3.io/${version}`);
        assert.is(converted.kind, 'done');
        const read = (converted as { object: JsonObject }).object['spec'] as JsonObject;
        assert.is(writings.read(name, version, read), undefined);
      }
    }
  }
});

test.run();
