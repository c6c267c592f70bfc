// Which version of its API an Ironic is asked in.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { choose, Feature, featuresOf, versionHeaders } from '../../../../adapters/ironic/client/versions.ts';
import { TransientError } from '../../../../bus/errors.ts';

const test = suite('versions of Ironic');

const document = (version: unknown, least: unknown = '1.1'): unknown => ({
  id: 'v1',
  version: { id: 'v1', version, min_version: least },
});
const { FirmwareComponents, Servicing, VirtualMedia, VirtualMediaQuery, DisablePowerOff, Health, DeploymentAbort } =
  Feature;

const CHOICES: readonly (readonly [maximum: string, version: string, missing: readonly Feature[]])[] = [
  [
    '1.81',
    '1.81',
    [FirmwareComponents, Servicing, VirtualMedia, VirtualMediaQuery, DisablePowerOff, Health, DeploymentAbort],
  ],
  [
    '1.82',
    '1.82',
    [FirmwareComponents, Servicing, VirtualMedia, VirtualMediaQuery, DisablePowerOff, Health, DeploymentAbort],
  ],
  ['1.86', '1.86', [Servicing, VirtualMedia, VirtualMediaQuery, DisablePowerOff, Health, DeploymentAbort]],
  ['1.88', '1.88', [VirtualMedia, VirtualMediaQuery, DisablePowerOff, Health, DeploymentAbort]],
  ['1.89', '1.89', [VirtualMediaQuery, DisablePowerOff, Health, DeploymentAbort]],
  ['1.92', '1.89', [VirtualMediaQuery, DisablePowerOff, Health, DeploymentAbort]],
  ['1.93', '1.93', [DisablePowerOff, Health, DeploymentAbort]],
  ['1.95', '1.95', [Health, DeploymentAbort]],
  ['1.108', '1.95', [Health, DeploymentAbort]],
  ['1.109', '1.109', [DeploymentAbort]],
  ['1.110', '1.110', []],
  ['1.115', '1.110', []],
  ['1.1000', '1.110', []],
];

for (const [maximum, version, missing] of CHOICES) {
  test(`a server up to ${maximum} is asked in ${version}`, () => {
    const choice = choose(document(maximum));
    assert.equal([choice.version, choice.maximum, choice.missing], [version, maximum, missing]);
    const all = Object.values(Feature);
    assert.equal(
      choice.features,
      all.filter((feature) => !missing.includes(feature)),
    );
    assert.equal(featuresOf(version), choice.features);
  });
}

test('the root document is understood, too', () => {
  const version = { id: 'v1', version: '1.95', min_version: '1.1' };
  assert.is(choose({ default_version: version, versions: [version] }).version, '1.95');
});

test('what no version fits is not used, and it is said why', () => {
  const cases: readonly (readonly [unknown, RegExp])[] = [
    [document('1.80'), /up to version 1\.80, and 1\.81 is the least/],
    [document('1.9'), /up to version 1\.9, /],
    [document('1.200', '1.111'), /from version 1\.111 on, and 1\.110 is the last/],
    [document('2.0'), /names no version/],
    [document('1.89.1'), /names no version/],
    [document('latest'), /names no version/],
    [document(1.115), /names no version/],
    [document(undefined), /names no version/],
    [{ version: '1.115' }, /names no version/],
    [{ version: null, default_version: [] }, /names no version/],
    [{}, /names no version/],
    [[], /names no version/],
    [null, /names no version/],
    ['1.115', /names no version/],
    [undefined, /names no version/],
  ];
  for (const [given, expected] of cases) {
    try {
      choose(given);
      assert.unreachable(JSON.stringify(given));
    } catch (error) {
      assert.instance(error, TransientError);
      assert.match((error as Error).message, expected);
    }
  }
});

test('a server that lacks the best version allows a lower one', () => {
  assert.is(choose(document('1.94', '1.93')).version, '1.93');
});

test('what is no version has no features', () => {
  for (const text of ['', 'latest', '2.5', '1.', '1.x', '1.9999999', '__proto__']) assert.equal(featuresOf(text), []);
});

test('both headers say it', () => {
  assert.equal(versionHeaders('1.95'), {
    'x-openstack-ironic-api-version': '1.95',
    'openstack-api-version': 'baremetal 1.95',
  });
});

test.run();
