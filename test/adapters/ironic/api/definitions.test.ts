// The definitions by phase, what v1beta1 has otherwise, and that all of it is described.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { definitions, type Phase } from '../../../../adapters/ironic/api/definitions.ts';
import { TerminalError } from '../../../../bus/errors.ts';
import { DEFINITIONS, definitionOf, differences, fieldsOf, KINDS, type Schema, schemaOf, WEBHOOK } from './schemas.ts';

const test = suite('ironic: definitions');

/** Kind, plural and short names, as clients know them. */
const NAMES: readonly (readonly [string, string, ...string[]])[] = [
  ['BareMetalHost', 'baremetalhosts', 'bmh', 'bmhost'],
  ['HardwareData', 'hardwaredata', 'hd'],
  ['HostFirmwareSettings', 'hostfirmwaresettings', 'hfs'],
  ['FirmwareSchema', 'firmwareschemas'],
  ['HostFirmwareComponents', 'hostfirmwarecomponents'],
  ['HostUpdatePolicy', 'hostupdatepolicies'],
  ['PreprovisioningImage', 'preprovisioningimages', 'ppimg'],
  ['DataImage', 'dataimages'],
  ['BMCEventSubscription', 'bmceventsubscriptions', 'bes', 'bmcevent'],
  ['HostClaim', 'hostclaims'],
  ['HostDeployPolicy', 'hostdeploypolicies'],
  ['HostNetworkAttachment', 'hostnetworkattachments'],
  ['BareMetalSwitch', 'baremetalswitches', 'bms'],
];

const WITHOUT_STATUS = new Set(['HardwareData', 'FirmwareSchema', 'HostUpdatePolicy']);
const CONVERTED = new Set(['BareMetalHost', 'HostClaim']);

/** By phase: each version, whether it is served, stored, deprecated. */
const VERSIONS: Readonly<Record<Phase, readonly (readonly [string, boolean, boolean, boolean])[]>> = {
  0: [['v1alpha1', true, true, false]],
  1: [
    ['v1alpha1', true, true, false],
    ['v1beta1', true, false, false],
  ],
  2: [
    ['v1alpha1', true, false, true],
    ['v1beta1', true, true, false],
  ],
  3: [
    ['v1alpha1', false, false, true],
    ['v1beta1', true, true, false],
  ],
  4: [['v1beta1', true, true, false]],
};

const PHASES = [0, 1, 2, 3, 4] as const;

test('the group has 13 kinds, by the names that clients know', () => {
  for (const phase of PHASES) {
    assert.equal(
      DEFINITIONS[phase].map(({ metadata, spec: { group, scope, names } }) => [metadata.name, group, scope, names]),
      NAMES.map(([kind, plural, ...shortNames]) => [
        `${plural}.metal3.io`,
        'metal3.io',
        'Namespaced',
        {
          kind,
          listKind: `${kind}List`,
          plural,
          singular: kind.toLowerCase(),
          ...(shortNames.length > 0 && { shortNames }),
        },
      ]),
    );
  }
});

for (const phase of PHASES) {
  test(`phase ${phase} serves, stores and warns of the versions that it should (IRONIC-DEFINITIONS-3)`, () => {
    for (const { spec } of DEFINITIONS[phase]) {
      assert.equal(
        spec.versions.map(({ name, served, storage, deprecated = false }) => [name, served, storage, deprecated]),
        VERSIONS[phase],
        spec.names.kind,
      );
    }
  });
}

test('who uses a deprecated version is told which one to use', () => {
  for (const phase of PHASES) {
    for (const { spec } of DEFINITIONS[phase]) {
      for (const { name, deprecated, deprecationWarning } of spec.versions) {
        const warning = `metal3.io/${name} ${spec.names.kind} is deprecated; use metal3.io/v1beta1`;
        assert.is(deprecationWarning, deprecated ? warning : undefined);
      }
    }
  }
});

test('the status is a subresource in every version, but for the three kinds that have none', () => {
  for (const { spec } of [...DEFINITIONS[1], ...DEFINITIONS[4]]) {
    for (const { subresources } of spec.versions) {
      assert.is(subresources?.['status'] === undefined, WITHOUT_STATUS.has(spec.names.kind), spec.names.kind);
    }
  }
});

test('kinds whose versions differ are converted by the webhook, the others by the API server', () => {
  for (const phase of [1, 2, 3] as const) {
    for (const { spec } of DEFINITIONS[phase]) {
      const byWebhook = {
        strategy: 'Webhook',
        webhook: {
          conversionReviewVersions: ['v1'],
          clientConfig: { service: { path: '/convert', ...WEBHOOK.service }, caBundle: WEBHOOK.caBundle },
        },
      };
      const { kind } = spec.names;
      assert.equal(spec.conversion, CONVERTED.has(kind) ? byWebhook : { strategy: 'None' }, `${kind} in ${phase}`);
      const isEqual = differences(schemaOf(definitionOf(phase, kind), 'v1alpha1'), betaOf(kind)).length === 0;
      assert.is(isEqual, !CONVERTED.has(kind), kind);
    }
  }
});

test('with one version there is nothing to convert', () => {
  for (const { spec } of DEFINITIONS[0]) assert.not.ok('conversion' in spec, spec.names.kind);
  for (const { spec } of DEFINITIONS[4]) assert.equal(spec.conversion, { strategy: 'None' }, spec.names.kind);
});

test('the webhook is where the caller says', () => {
  const clientConfigOf = (webhook: Parameters<typeof definitions>[0]['webhook']): unknown => {
    const [host] = definitions({ phase: 1, ...(webhook && { webhook }) });
    const conversion = host?.spec.conversion as { webhook: { clientConfig: unknown } } | undefined;
    return conversion?.webhook.clientConfig;
  };
  const url = { url: 'https://convert.example.org:9443/other', caBundle: 'Y2E=' };
  assert.equal(clientConfigOf(url), url);
  const service = { namespace: 'a', name: 'b', path: '/c', port: 9443 };
  assert.equal(clientConfigOf({ service }), { service });
});

test('two versions without a webhook, and phases that there are not, are refused', () => {
  for (const phase of [1, 2, 3] as const) {
    assert.throws(() => definitions({ phase }), refusal(/^phase \d has two versions, and needs a webhook/));
  }
  for (const phase of [5, -1, 1.5, '1', undefined, null, 'toString'] as unknown as Phase[]) {
    assert.throws(
      () => definitions({ phase, webhook: WEBHOOK }),
      refusal(`phase must be 0 to 4; got '${String(phase)}'`),
    );
  }
});

test('each call makes definitions of its own', () => {
  const [first] = definitions({ phase: 0 });
  (first?.spec.names as { kind: string }).kind = 'Changed';
  assert.is(definitions({ phase: 0 })[0]?.spec.names.kind, 'BareMetalHost');
});

test('v1beta1 of BareMetalHost renames, removes and defaults what it should, and nothing else (IRONIC-DEFINITIONS-2)', () => {
  const hints = ['spec.rootDeviceHints', 'status.provisioning.rootDeviceHints'];
  const disks = ['spec', 'status.provisioning'].map((place) => `${place}.raid.softwareRAIDVolumes[].physicalDisks[]`);
  const renames = new Map([['spec.online', 'spec.poweredOn']]);
  for (const place of [...hints, ...disks]) {
    renames.set(`${place}.deviceName`, `${place}.devicePath`);
    renames.set(`${place}.model`, `${place}.modelContains`);
    renames.set(`${place}.vendor`, `${place}.vendorContains`);
  }
  const isGone = (path: string): boolean =>
    /^(spec\.hardwareProfile|status\.hardwareProfile|status\.hardware(\..*)?)$/.test(path);
  const facts = ({
    schema: { properties, items, description, required, ...keywords },
  }: ReturnType<typeof fieldsOf>[0]) => keywords;
  const alpha = fieldsOf(schemaOf(definitionOf(1, 'BareMetalHost'), 'v1alpha1'));
  const expected = alpha
    .filter(({ path }) => !isGone(path))
    .map((field) => [renames.get(field.path) ?? field.path, facts(field)] as const)
    .map(([path, kept]) => [path, path === 'spec.image.checksumType' ? { ...kept, default: 'auto' } : kept]);
  assert.equal(
    Object.fromEntries(fieldsOf(betaOf('BareMetalHost')).map((field) => [field.path, facts(field)])),
    Object.fromEntries(expected),
  );
  assert.is(renames.size, 13);
  for (const path of renames.keys())
    assert.ok(
      alpha.some((field) => field.path === path),
      path,
    );
});

test('what is required stays so, by its new name', () => {
  const requiredOf = (schema: Schema): Record<string, readonly string[]> =>
    Object.fromEntries(
      fieldsOf(schema).flatMap(({ path, schema: { required } }) => (required === undefined ? [] : [[path, required]])),
    );
  const { spec, ...rest } = requiredOf(schemaOf(definitionOf(1, 'BareMetalHost'), 'v1alpha1'));
  assert.equal(spec, ['online']);
  assert.equal(requiredOf(betaOf('BareMetalHost')), { ...rest, spec: ['poweredOn'] });
});

test('v1beta1 of HostClaim has a default for the type of a checksum, and no other difference but that word', () => {
  const path = '/properties/spec/properties/image/properties/checksumType';
  assert.equal(
    differences(betaOf('HostClaim'), schemaOf(definitionOf(1, 'HostClaim'), 'v1alpha1')).filter(
      (line) => !line.startsWith(`${path}/description: `),
    ),
    [`${path}/default: "auto", not undefined`],
  );
});

test('columns are those of v1alpha1, and Online reads what it is called now', () => {
  for (const { spec } of DEFINITIONS[1]) {
    const [alpha, beta] = spec.versions.map(({ additionalPrinterColumns }) => additionalPrinterColumns);
    assert.equal(
      beta,
      alpha?.map((column) => (column.name === 'Online' ? { ...column, jsonPath: '.spec.poweredOn' } : column)),
    );
    if (spec.names.kind === 'BareMetalHost') assert.is(alpha?.[4]?.jsonPath, '.spec.online');
  }
});

test('a version does not depend on the phase', () => {
  for (const kind of KINDS) {
    for (const phase of [2, 3, 4] as const) assert.equal(schemaOf(definitionOf(phase, kind), 'v1beta1'), betaOf(kind));
    const alpha = schemaOf(definitionOf(0, kind), 'v1alpha1');
    for (const phase of [1, 2, 3] as const) assert.equal(schemaOf(definitionOf(phase, kind), 'v1alpha1'), alpha);
  }
});

test('every field is described in a sentence that begins with its name, every item in one', () => {
  for (const { spec } of DEFINITIONS[1]) {
    for (const { schema, additionalPrinterColumns = [] } of spec.versions) {
      for (const { path, name, schema: field } of fieldsOf(schema.openAPIV3Schema as Schema)) {
        if (path === 'metadata') continue;
        const place = `${spec.names.kind} ${path}: ${field.description}`;
        assert.match(field.description ?? '', /^\S.*\S\.$/, place);
        if (path === '') assert.match(field.description ?? '', new RegExp(`^${spec.names.kind} `), place);
        if (name !== undefined) assert.match(field.description ?? '', new RegExp(`^${name} \\S`), place);
      }
      for (const { name, description } of additionalPrinterColumns) assert.match(description, /^\S.*\S$/, name);
    }
  }
});

function betaOf(kind: string): Schema {
  return schemaOf(definitionOf(1, kind), 'v1beta1');
}

function refusal(message: string | RegExp): (error: unknown) => boolean {
  return (error) => {
    assert.instance(error, TerminalError);
    assert.match((error as Error).message, message);
    return true;
  };
}

test.run();
