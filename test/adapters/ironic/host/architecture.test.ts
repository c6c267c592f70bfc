// The architecture in effect.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { architectureOf } from '../../../../adapters/ironic/host/architecture.ts';

const test = suite('architecture');

test('the spec wins over what was found, and that over the own one', () => {
  const own = { ownArchitecture: 'arm64' };
  const found = { hardware: { cpu: { arch: 'x86_64' } } };
  assert.is(architectureOf({ spec: { architecture: 'ppc64le' }, status: found }, own), 'ppc64le');
  assert.is(architectureOf({ spec: { architecture: '' }, status: found }, own), 'x86_64');
  for (const status of [
    undefined,
    null,
    {},
    { hardware: null },
    { hardware: { cpu: null } },
    { hardware: { cpu: { arch: '' } } },
  ]) {
    assert.is(architectureOf({ spec: null, status }, own), 'aarch64');
  }
});

test('the own architecture is named as Linux does', () => {
  for (const [ownArchitecture, name] of [
    ['amd64', 'x86_64'],
    ['x64', 'x86_64'],
    ['arm64', 'aarch64'],
    ['s390x', 's390x'],
  ] as const) {
    assert.is(architectureOf({}, { ownArchitecture }), name);
  }
});

test.run();
