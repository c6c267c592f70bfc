// Manifests in files: text in, text out.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { mulberry32 } from '../../../../../actors/base/clock.ts';
import { convertManifests } from '../../../../../adapters/ironic/api/conversion/manifests.ts';
import { fieldsOf, HARDWARE_ROWS, HOST_ROWS, randomObject, type Tree } from './fields.ts';
import { alpha, metadata, toBeta } from './objects.ts';

const test = suite('conversion of manifests');

/** The text as it is converted, without a problem. */
function text(of: string): string {
  const { text, problems } = convertManifests(of);
  assert.equal(problems, []);
  return text;
}

const host = (spec: string): string =>
  `apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nmetadata:\n  name: node-0\nspec:\n${spec}`;

const converted = (spec: string): string => host(spec).replace('v1alpha1', 'v1beta1');

test('comments, order and spelling of what stays are as they were', () => {
  const before = `# All hosts of the rack.
---
# The first one.
apiVersion: "metal3.io/v1alpha1"   # the version
kind: BareMetalHost
# Who it is:
metadata:
    name: node-0
    labels: {rack: "7",   row: 'b'}
spec:
    # whether it runs
    online: yes # it does
    image:
        url: http://images.example.com/a.qcow2
        checksum: 'd41d8cd98f00b204e9800998ecf8427e' # of MD5
        # nothing follows
    rootDeviceHints:
        hctl: 0:0:0:0
        model:   ACME   # substring
    raid:
        softwareRAIDVolumes:
        - level: "1"
          physicalDisks:
          - {deviceName: /dev/sda, "vendor": ACME}
          - model: other
    description: |
        one
        two
# the end
...
`;
  const after = before
    .replace('v1alpha1', 'v1beta1')
    .replace('online: yes', 'poweredOn: yes')
    .replace('model:   ACME', 'modelContains:   ACME')
    .replace('deviceName', 'devicePath')
    .replace('"vendor"', '"vendorContains"')
    .replace('model: other', 'modelContains: other')
    .replace('# of MD5\n', '# of MD5\n        checksumType: md5\n');
  assert.is(text(before), after);
});

const CASES: readonly (readonly [title: string, before: string, after: string])[] = [
  [
    'a profile becomes its hints, which older readers of YAML do not take for a number',
    '  online: true\n  hardwareProfile: dell # deprecated\n',
    '  poweredOn: true\n  rootDeviceHints:\n    hctl: "0:0:0:0"\n',
  ],
  [
    'neither profile nor hints: those of the effective profile',
    '  bmc:\n    address: libvirt://192.0.2.1:6233\n    credentialsName: bmc\n  online: true\n',
    '  bmc:\n    address: libvirt://192.0.2.1:6233\n    credentialsName: bmc\n  poweredOn: true\n  rootDeviceHints:\n    devicePath: /dev/vda\n',
  ],
  ['the empty profile', '  hardwareProfile: empty\n  online: true\n', '  poweredOn: true\n'],
  ['a last line without an end', '  online: true', '  poweredOn: true\n  rootDeviceHints:\n    devicePath: /dev/sda'],
  [
    'what is added goes behind the last field of one line',
    '  online: true\n  bmc:\n    address: a\n',
    '  poweredOn: true\n  rootDeviceHints:\n    devicePath: /dev/sda\n  bmc:\n    address: a\n',
  ],
  [
    'a type that says nothing',
    '  online: true\n  hardwareProfile: empty\n  image:\n    url: u\n    checksum: c\n    checksumType: ""\n',
    '  poweredOn: true\n  image:\n    url: u\n    checksum: c\n    checksumType: "md5"\n',
  ],
  [
    'a status goes',
    '  online: true\n  hardwareProfile: empty\nstatus:\n  # as it was\n  hardware: {}\n\n  provisioning:\n    state: provisioned\n# end\n',
    '  poweredOn: true\n# end\n',
  ],
  [
    'the profile of the status counts, and goes with it',
    '  online: true\n  hardwareProfile: dell\nstatus: {hardwareProfile: libvirt}\n',
    '  poweredOn: true\n  rootDeviceHints:\n    devicePath: /dev/vda\n',
  ],
];
for (const [title, before, after] of CASES) {
  test(title, () => assert.is(text(host(before)), converted(after)));
  test(`${title}: lines that end as on Windows`, () => {
    const ends = (of: string): string => of.replaceAll('\n', '\r\n');
    assert.is(text(ends(host(before))), ends(converted(after)));
  });
}

test('an annotation of the name of the kept object goes, with the annotations if it was alone', () => {
  const before = host('  hardwareProfile: empty\n  online: true\n').replace(
    'name: node-0',
    'annotations:\n    cluster.x-k8s.io/conversion-data: "{}"\n  name: node-0',
  );
  assert.is(text(before), converted('  poweredOn: true\n'));
  const other = before.replace('annotations:', 'annotations:\n    a: b');
  assert.is(text(other), converted('  poweredOn: true\n').replace('  name', '  annotations:\n    a: b\n  name'));
});

const OTHERS = `apiVersion: v1
kind: Secret
metadata: {name: bmc,   namespace: metal3}
data:   {password: cGFzc3dvcmQ=}
---
# nothing but a comment
---
apiVersion: metal3.io/v1beta1
kind: BareMetalHost
spec:   {poweredOn: true, online: true}
status: {}
---
apiVersion: cluster.x-k8s.io/v1beta1
kind: Machine
spec: {online: on}
---
- a list
---
a text
`;

test('what is not concerned stays to the byte', () => {
  assert.is(text(OTHERS), OTHERS);
  for (const same of [
    '',
    '\n',
    '# x\n',
    '---\n',
    '%YAML 1.1\n---\na: 1\n...\n---\nb: 2\n',
    '\ufeffa: 1\n',
    'a: 1\r\n',
    '[1, 2]',
  ]) {
    assert.is(text(same), same);
  }
});

test('documents keep their places', () => {
  const before = `${OTHERS}---\n${host('  hardwareProfile: empty\n  online: true\n')}---\n${OTHERS}`;
  assert.is(text(before), `${OTHERS}---\n${converted('  poweredOn: true\n')}---\n${OTHERS}`);
});

test('other kinds of the group change their version alone', () => {
  const before =
    'apiVersion: metal3.io/v1alpha1 # x\nkind: DataImage\nspec:\n  url:   http://x\n  model: y\nstatus:\n  a: 1\n';
  assert.is(text(before), 'apiVersion: metal3.io/v1beta1 # x\nkind: DataImage\nspec:\n  url:   http://x\n  model: y\n');
});

test('objects in lists are converted', () => {
  const list = (apiVersion: string, kind: string, version: string, online: string): string => `apiVersion: ${apiVersion}
kind: ${kind}
items:
- apiVersion: metal3.io/${version}
  kind: BareMetalHost
  spec: {${online}: true, hardwareProfile: empty}
- apiVersion: metal3.io/${version} # the last
  kind: BareMetalHost
  spec:
    hardwareProfile: empty
    ${online}: true
`;
  const without = (of: string): string =>
    of.replace(', hardwareProfile: empty', '').replace('    hardwareProfile: empty\n', '');
  const before = list('v1', 'List', 'v1alpha1', 'online');
  assert.is(text(before), without(list('v1', 'List', 'v1beta1', 'poweredOn')));
  const own = list('metal3.io/v1alpha1', 'BareMetalHostList', 'v1alpha1', 'online');
  assert.is(text(own), without(list('metal3.io/v1beta1', 'BareMetalHostList', 'v1beta1', 'poweredOn')));
});

// JSON.

const json = (indent?: number): string =>
  JSON.stringify(alpha({ spec: { online: true, image: { url: 'u', checksum: 'c' } }, status: { a: 1 } }), null, indent);

for (const indent of [undefined, 2, 4]) {
  test(`JSON stays JSON, with its line breaks: indentation ${indent}`, () => {
    const after = text(json(indent));
    assert.is(after.includes('\n'), indent !== undefined);
    const { status: _, ...expected } = toBeta(JSON.parse(json()) as Tree);
    assert.equal(JSON.parse(after), { ...expected, metadata });
  });
}

test('several objects of JSON are several documents', () => {
  const two = `${json(2)}\n${json()}\n`;
  assert.is(text(two), `${text(json(2))}\n${text(json())}\n`);
  const tricky = `{"apiVersion":"metal3.io/v1alpha1","kind":"DataImage","metadata":{"name":"}{\\"}"}}\n`;
  assert.is(text(tricky + tricky), tricky.replace('v1alpha1', 'v1beta1').repeat(2));
  const { problems } = convertManifests(`${json(2)}\n\n{"apiVersion":"metal3.io/v1alpha1","kind":"Machine"}`);
  assert.is(problems[0]?.document, 2);
  assert.is(problems[0]?.line, json(2).split('\n').length + 2);
});

test('digits that a JavaScript number does not hold stay', () => {
  const anew =
    'apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nspec:\n  hardwareProfile: dell\nother: 12345678901234567890\n';
  assert.match(text(anew), 'other: 12345678901234567890\n');
  const before = json().replace('"checksum"', '"size":12345678901234567890,"ratio":1.0,"checksum"');
  assert.match(text(before), '"size":12345678901234567890,"ratio":1.0,');
});

// What edits of the text cannot say.

test('aliases and merges come to what they stand for', () => {
  const before = `x-common: &common
  online: true
  hardwareProfile: empty
apiVersion: metal3.io/v1alpha1
kind: BareMetalHost
spec:
  <<: *common
  bmc: &bmc {address: a}
  raid:
    hardwareRAIDVolumes:
    - sizeGibibytes: 12345678901234567890
`;
  assert.equal(parse(text(before), { intAsBigInt: true }), {
    'x-common': { online: true, hardwareProfile: 'empty' },
    apiVersion: 'metal3.io/v1beta1',
    kind: 'BareMetalHost',
    spec: {
      poweredOn: true,
      bmc: { address: 'a' },
      raid: { hardwareRAIDVolumes: [{ sizeGibibytes: 12345678901234567890n }] },
    },
  });
});

test('a merge in flow style comes to what it stands for, too', () => {
  const before = `x: &x {online: true, hardwareProfile: empty, raid: {size: 12345678901234567890}}
apiVersion: metal3.io/v1alpha1
kind: BareMetalHost
spec: {description: d, <<: *x}
`;
  const { spec } = parse(text(before), { intAsBigInt: true });
  assert.equal(spec, { description: 'd', poweredOn: true, raid: { size: 12345678901234567890n } });
});

const HARD: readonly string[] = [
  'apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nspec:\n  hardwareProfile: dell\n',
  'apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nspec: {hardwareProfile: dell}\n',
  'apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nspec: {}\n',
  '{"kind": "BareMetalHost", "spec": {"hardwareProfile": "dell"}, "apiVersion": "metal3.io/v1alpha1"}',
  '{"status": {}, "kind": "BareMetalHost", "apiVersion": "metal3.io/v1alpha1", "spec": {"hardwareProfile": ""}}',
  '? apiVersion\n: metal3.io/v1alpha1\n? kind\n: BareMetalHost\n? spec\n: hardwareProfile: dell\n  online: true\n',
  'kind: List\napiVersion: v1\nitems:\n- status: {}\n  kind: BareMetalHost\n  apiVersion: metal3.io/v1alpha1\n  spec: {online: true}\n',
  'kind: BareMetalHost\napiVersion: !!str metal3.io/v1alpha1\nspec:\n  online: true\n  image: &i\n    url: u\n    checksum: c\n    checksumType:\n',
  'kind: BareMetalHost\napiVersion: >-\n  metal3.io/v1alpha1\nspec:\n  online: true\n  description: >\n    long\n    text\n',
];
for (const before of HARD) {
  test(`whatever the text is made of, its data is converted: ${JSON.stringify(before).slice(0, 60)}`, () => {
    const expected = (object: Tree): Tree => {
      if (object['kind'] === 'List') return { ...object, items: (object['items'] as Tree[]).map(expected) };
      const { metadata: _, status: __, ...manifest } = toBeta(object);
      return manifest;
    };
    const after = text(before);
    assert.equal(parse(after, { version: '1.1' }), expected(parse(before, { version: '1.1' }) as Tree));
    if (before.startsWith('{')) JSON.parse(after);
  });
}

test('random hosts mean the same in any style of text', () => {
  const fields = fieldsOf([...HOST_ROWS, ...HARDWARE_ROWS], 'v1alpha1');
  const random = mulberry32(3);
  for (let run = 0; run < 100; run++) {
    const object = randomObject('BareMetalHost', 'v1alpha1', fields, random);
    const { status: _, ...expected } = toBeta(object);
    expected['metadata'] = object['metadata'];
    for (const indent of [0, 2]) {
      assert.equal(JSON.parse(text(JSON.stringify(object, null, indent))), JSON.parse(JSON.stringify(expected)));
    }
  }
});

// Problems.

test('problems are told with document and line, and the rest is converted', () => {
  const good = host('  hardwareProfile: empty\n  online: true\n');
  const before = `${good}---
apiVersion: metal3.io/v1alpha2
kind: BareMetalHost
metadata: {name: node-1, namespace: metal3}
---
password: [s3cret
---
apiVersion: v1
kind: List
items:
- apiVersion: metal3.io/v1alpha1
  kind: DataImage
- apiVersion: metal3.io/v1alpha1
  kind: Rack
  metadata: {name: r}
---
a: s3cret
a: twice
---
*unknown
---
${good}`;
  const { text: after, problems } = convertManifests(before);
  assert.equal(
    problems.map(({ document, line }) => [document, line]),
    [
      [2, 9],
      [3, 14],
      [4, 20],
      [5, 25],
      [6, 27],
    ],
  );
  const messages = problems.map(({ message }) => message);
  assert.match(messages[0] ?? '', /^BareMetalHost "metal3\/node-1": .+ "metal3\.io\/v1alpha2"$/);
  assert.match(messages[2] ?? '', /^Rack "r": /);
  assert.not.match(messages.join(), /s3cret/);
  assert.is(
    after,
    before
      .replaceAll(good, converted('  poweredOn: true\n'))
      .replace(
        '- apiVersion: metal3.io/v1alpha1\n  kind: DataImage',
        '- apiVersion: metal3.io/v1beta1\n  kind: DataImage',
      ),
  );
});

test('a text that is meant to fill the memory is a problem', () => {
  const levels = Array.from({ length: 12 }, (_, at) => `l${at}: &l${at} [${`*l${at - 1},`.repeat(10)}]`);
  const bomb = `l0: &l0 [x]\n${levels.slice(1).join('\n')}\napiVersion: metal3.io/v1alpha1\nkind: DataImage\n`;
  const { text: after, problems } = convertManifests(bomb);
  assert.is(problems.length, 1);
  assert.is(after, bomb);
  assert.is(convertManifests('['.repeat(50_000)).problems.length, 1);
});

test.run();
