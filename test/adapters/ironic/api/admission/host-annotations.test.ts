// What annotations of a host may say.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { created, host } from './samples.ts';

const test = suite('annotations of a BareMetalHost');

function problems(annotations: Readonly<Record<string, unknown>>, spec = {}, version = 'v1alpha1'): readonly string[] {
  return created('BareMetalHost', host(spec, annotations), { version });
}

/** There is one, and it contains this. */
function refused(text: string, annotations: Readonly<Record<string, unknown>>, spec = {}): void {
  const found = problems(annotations, spec);
  assert.is(found.length, 1, JSON.stringify(found));
  assert.ok(found[0]?.includes(text), found[0]);
}

const STATUS = 'baremetalhost.metal3.io/status';
const status = (value: unknown): Readonly<Record<string, string>> => ({ [STATUS]: JSON.stringify(value) });
const details = (value: unknown): Readonly<Record<string, string>> => ({
  'inspect.metal3.io/hardwaredetails': typeof value === 'string' ? value : JSON.stringify(value),
});

const ALPHA = {
  operationalStatus: 'OK',
  errorCount: 0,
  errorMessage: '',
  lastUpdated: '2026-08-20T10:00:00Z',
  hardwareProfile: 'dell',
  hardware: { cpu: { count: 2, clockMegahertz: 2100.5, flags: ['aes'] }, nics: [{ vlans: [{ id: 1 }], lldp: {} }] },
  poweredOn: true,
  operationHistory: { register: { start: '2026-08-20T10:00:00.123+02:00', end: null } },
  provisioning: {
    ID: 'x',
    state: 'provisioned',
    image: { url: '' },
    raid: {
      hardwareRAIDVolumes: null,
      softwareRAIDVolumes: [{ level: '1', physicalDisks: [{ deviceName: '/dev/sda' }] }],
    },
    rootDeviceHints: { deviceName: '/dev/sda', model: 'M', vendor: 'V' },
    firmware: {},
  },
  triedCredentials: { credentials: { name: 'a', namespace: 'b' }, credentialsVersion: '1' },
};
const BETA = { provisioning: { rootDeviceHints: { devicePath: '/dev/sda', modelContains: 'M', vendorContains: 'V' } } };

test('a status may be of either version, in either version', () => {
  for (const version of ['v1alpha1', 'v1beta1']) {
    const power = { online: true, poweredOn: true };
    assert.equal(problems(status(ALPHA), power, version), []);
    assert.equal(problems(status(BETA), power, version), []);
    assert.equal(problems({ [STATUS]: '' }, power, version), []);
    assert.equal(problems({ [STATUS]: 'null' }, power, version), []);
  }
});

test('every operational status and error type that occurs may be restored', () => {
  for (const value of ['', 'OK', 'discovered', 'error', 'delayed', 'detached', 'servicing', null]) {
    assert.equal(problems(status({ operationalStatus: value })), [], `${value}`);
  }
  const types = ['provisioned registration', 'registration', 'inspection', 'preparation', 'provisioning'];
  for (const value of ['', ...[...types, 'power management', 'servicing', 'detach'].map((type) => `${type} error`)]) {
    assert.equal(problems(status({ errorType: value })), [], value);
  }
});

test('a status must be one', () => {
  refused("invalid operationalStatus 'NotOK' in the status annotation", status({ operationalStatus: 'NotOK' }));
  refused("invalid errorType 'No error' in the status annotation", status({ errorType: 'No error' }));
  refused('status annotation', { [STATUS]: '{"operationalStatus": OK}' });
  refused('status annotation', { [STATUS]: '[]' });
  refused('status annotation', { [STATUS]: '"x"' });
  refused('status annotation: unknown field "InvalidField"', status({ InvalidField: 'x' }));
  refused(
    'unknown field "provisioning.rootDeviceHints.path"',
    status({ provisioning: { rootDeviceHints: { path: '' } } }),
  );
  refused('unknown field "hardware.nics[1].MAC"', status({ hardware: { nics: [{}, { MAC: 'x' }] } }));
  refused('errorCount must be an integer', status({ errorCount: '1' }));
  refused('errorCount must be an integer', status({ errorCount: 1.5 }));
  refused('poweredOn must be a boolean', status({ poweredOn: 'yes' }));
  refused('lastUpdated must be a time', status({ lastUpdated: 'yesterday' }));
  refused('lastUpdated must be a time', status({ lastUpdated: '2026-13-01T00:00:00Z' }));
  refused('hardware.nics must be a list', status({ hardware: { nics: {} } }));
  refused('hardware.cpu must be an object', status({ hardware: { cpu: [] } }));
  refused('hardware.cpu.clockMegahertz must be a number', status({ hardware: { cpu: { clockMegahertz: '1' } } }));
  refused('provisioning.state must be a string', status({ provisioning: { state: 1 } }));
});

test('names of fields that every object has are unknown ones too', () => {
  for (const name of ['__proto__', 'constructor', 'toString']) {
    refused(`unknown field "${name}"`, { [STATUS]: `{"${name}": {"x": 1}}` });
  }
});

test('what an annotation holds is not repeated', () => {
  const found = problems({ [STATUS]: '{"s3cr3t', 'reboot.metal3.io': 's3cr3t', ...status({ poweredOn: 's3cr3t' }) });
  assert.ok(found.length > 0);
  assert.not.match(found.join(), 's3cr3t');
});

test('a reboot may be asked for in a mode, by anybody', () => {
  const texts = [
    '',
    '{}',
    'null',
    '{"mode": ""}',
    '{"mode": "hard"}',
    '{"mode": "soft", "force": true}',
    '{"other": 1}',
  ];
  for (const text of texts) {
    assert.equal(problems({ 'reboot.metal3.io': text, 'reboot.metal3.io/me': text }), [], text);
  }
});

test('a reboot must be asked for in JSON, and in a mode that there is', () => {
  for (const key of ['reboot.metal3.io', 'reboot.metal3.io/me', 'reboot.metal3.io/']) {
    for (const text of ['x', '{', '[]', '"hard"', '1', '{"mode": 1}', '{"mode": "hard", "force": "yes"}']) {
      refused(`failed to unmarshal the data from the ${key} annotation`, { [key]: text });
    }
    refused(`invalid mode in the ${key} annotation`, { [key]: '{"mode": "medium"}' });
    refused('invalid mode', { [key]: '{"mode": "Hard"}' });
  }
  assert.is(problems({ 'reboot.metal3.io': 'x', 'reboot.metal3.io/me': '{"mode": "x"}' }).length, 2);
  assert.equal(problems({ 'reboot.metal3.iox': 'x', 'areboot.metal3.io/x': 'x' }), []);
});

test('inspection is asked for, or disabled', () => {
  for (const text of ['', 'disabled']) assert.equal(problems({ 'inspect.metal3.io': text }), []);
  for (const text of ['enabled', 'true', 'Disabled']) {
    refused('invalid value for the inspect.metal3.io annotation', { 'inspect.metal3.io': text });
  }
});

test('the annotation and the mode of inspection agree', () => {
  const disabled = { 'inspect.metal3.io': 'disabled' };
  for (const inspectionMode of ['', undefined, 'disabled']) assert.equal(problems(disabled, { inspectionMode }), []);
  for (const inspectionMode of ['agent', 'fast']) {
    refused('contradicting values', disabled, { inspectionMode });
    assert.equal(problems({ 'inspect.metal3.io': '' }, { inspectionMode }), []);
  }
});

test('hardware details are told only where inspection finds none', () => {
  const given = details({ hostname: 'h', cpu: { arch: 'x86_64' }, storage: [{ sizeBytes: 1 }] });
  assert.equal(problems({ ...given, 'inspect.metal3.io': 'disabled' }), []);
  assert.equal(problems(given, { inspectionMode: 'disabled' }), []);
  refused('when hardware details are provided, inspection must be disabled', given);
  refused('when hardware details are provided, inspection must be disabled', { ...given, 'inspect.metal3.io': '' });
  assert.equal(problems(details('')), []);
});

test('hardware details have no others', () => {
  const disabled = { inspectionMode: 'disabled' };
  refused('error decoding the inspect.metal3.io/hardwaredetails annotation', details('{"cpu"'), disabled);
  refused('unknown field "gpu"', details({ gpu: 1 }), disabled);
  refused('ramMebibytes must be an integer', details({ ramMebibytes: 'x' }), disabled);
  assert.is(problems(details('{')).length, 2);
});

test('annotations without rules may say anything', () => {
  const free = { 'baremetalhost.metal3.io/paused': 'x', 'baremetalhost.metal3.io/detached': '{"x', a: '' };
  assert.equal(problems(free), []);
});

test.run();
