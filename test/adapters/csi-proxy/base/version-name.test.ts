import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  compareVersionNames,
  isVersionName,
  parseVersionName,
} from '../../../../adapters/csi-proxy/base/version-name.ts';
import { fc } from '../../../world/properties.ts';

const test = suite('version names');

test('a version name is a major number, and a qualifier with a number unless it is stable', () => {
  assert.equal(parseVersionName('v1'), { name: 'v1', major: 1, stability: 'stable', minor: 0 });
  assert.equal(parseVersionName('v12beta30'), { name: 'v12beta30', major: 12, stability: 'beta', minor: 30 });
});

for (const name of ['1', 'v0', 'v2alpha0', 'v01', 'V1', 'v1gamma1', '', 'v1\n', 'v1alpha', 'v1alpha1beta1']) {
  test(`${JSON.stringify(name)} is no version name`, () => {
    assert.not(isVersionName(name));
    assert.throws(
      () => parseVersionName(name),
      (error: Error) => error.message === `invalid version name: "${name}"`,
    );
  });
}

test('versions are ordered by major number, then stability, then the number behind it, however they were mixed', () => {
  const sorted = ['v1alpha1', 'v1alpha2', 'v1alpha10', 'v1beta1', 'v1', 'v2alpha98', 'v2beta8', 'v3', 'v10alpha1'];
  fc.assert(
    fc.property(fc.shuffledSubarray(sorted, { minLength: sorted.length }), (mixed) => {
      assert.equal(mixed.toSorted(compareVersionNames), sorted);
    }),
    { numRuns: 20 },
  );
});

test.run();
