// The definitions on an API server: accepted in every phase, and objects judged by them. Who converts is not here, so
// kinds whose versions differ are written in the stored version.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CustomResourceDefinition, Phase, Version } from '../../../../adapters/ironic/api/definitions.ts';
import {
  DEFINITIONS as CRDS,
  type Harness,
  listAt,
  MERGE,
  serverChecks,
  withServer,
} from '../../../world/api-calls.ts';
import { DEFINITIONS, definitionOf, KINDS } from './schemas.ts';

const test = suite('ironic: definitions on an API server');
const onServer = serverChecks(test);

const STRICT = 'fieldValidation=Strict';
const MAC = '00:5c:52:31:3a:9c';
const SWITCH = { address: 's', deviceType: 'netmiko_cisco_ios', macAddress: MAC };

/** The least that a spec of v1alpha1 needs; that of a kind which is not here needs nothing. */
const MINIMAL: Readonly<Record<string, object>> = {
  BareMetalHost: { online: true },
  HostFirmwareSettings: { settings: {} },
  FirmwareSchema: { schema: {} },
  HostFirmwareComponents: { updates: [] },
  DataImage: { url: 'http://example.org/a.iso' },
  HostClaim: { poweredOn: true },
  HostNetworkAttachment: { nativeVLAN: 1 },
  BareMetalSwitch: SWITCH,
};

/** Specs with one thing wrong: the kind, what is added to the least, and what the API server says of it. */
const WRONG: readonly (readonly [string, object, string])[] = [
  ['BareMetalHost', { automatedCleaningMode: 'full' }, 'spec.automatedCleaningMode: Unsupported value: "full"'],
  ['BareMetalHost', { bootMode: 'uefi' }, 'spec.bootMode: Unsupported value: "uefi"'],
  ['BareMetalHost', { image: { url: 'u', checksumType: 'sha1' } }, 'spec.image.checksumType: Unsupported value'],
  ['BareMetalHost', { firmware: { sriovEnabled: 'yes' } }, 'spec.firmware.sriovEnabled: Invalid value: "string"'],
  ['BareMetalHost', { bootMACAddress: '00-5c-52-31-3a-9c' }, 'spec.bootMACAddress: Invalid value'],
  [
    'BareMetalHost',
    { networkInterfaces: [{ macAddress: `x${MAC}` }] },
    'spec.networkInterfaces[0].macAddress: Invalid',
  ],
  ['BareMetalHost', { networkInterfaces: [{ name: 'a b' }] }, 'spec.networkInterfaces[0].name: Invalid value'],
  ['BareMetalHost', { bmc: { address: 'a' } }, 'spec.bmc.credentialsName: Required value'],
  ['BareMetalHost', { raid: { hardwareRAIDVolumes: [{ level: '4' }] } }, 'hardwareRAIDVolumes[0].level: Unsupported'],
  [
    'BareMetalHost',
    { raid: { softwareRAIDVolumes: [{ level: '1', physicalDisks: [{}] }] } },
    'spec.raid.softwareRAIDVolumes[0].physicalDisks: Invalid value: 1: ',
  ],
  ['HardwareData', { hardware: { storage: [{ type: 'tape' }] } }, 'spec.hardware.storage[0].type: Unsupported value'],
  ['HardwareData', { hardware: { nics: [{ mac: 'm' }] } }, 'spec.hardware.nics[0].mac: Invalid value'],
  ['HardwareData', { hardware: { nics: [{ vlanId: 4095 }] } }, 'spec.hardware.nics[0].vlanId: Invalid value'],
  ['HostFirmwareSettings', { settings: { a: true } }, 'spec.settings.a: Invalid value: "boolean"'],
  ['FirmwareSchema', { schema: { a: { attribute_type: 'Float' } } }, 'spec.schema.a.attribute_type: Unsupported'],
  ['HostFirmwareComponents', { updates: [{ component: 'bmc' }] }, 'spec.updates[0].url: Required value'],
  ['HostUpdatePolicy', { firmwareSettings: 'always' }, 'spec.firmwareSettings: Unsupported value: "always"'],
  ['PreprovisioningImage', { acceptFormats: ['qcow2'] }, 'spec.acceptFormats[0]: Unsupported value: "qcow2"'],
  ['DataImage', { url: null }, 'spec.url: Required value'],
  ['BMCEventSubscription', { hostName: 1 }, 'spec.hostName: Invalid value: "integer"'],
  ['HostClaim', { image: { url: 'u', format: 'iso' } }, 'spec.image.format: Unsupported value: "iso"'],
  ['HostClaim', { image: {} }, 'spec.image.url: Required value'],
  ['HostDeployPolicy', { hostClaimNamespaces: { hasLabels: [{}] } }, 'hasLabels[0].name: Required value'],
  ['HostNetworkAttachment', { mode: 'both' }, 'spec.mode: Unsupported value: "both"'],
  ['HostNetworkAttachment', { allowedVLANs: ['1', '2-'] }, 'spec.allowedVLANs[1]: Invalid value: "2-"'],
  ['HostNetworkAttachment', { nativeVLAN: 4095 }, 'spec.nativeVLAN: Invalid value: 4095'],
  ['BareMetalSwitch', { driver: 'sonic' }, 'spec.driver: Unsupported value: "sonic"'],
  ['BareMetalSwitch', { macAddress: `${MAC}:00` }, 'spec.macAddress: Invalid value'],
];

const PHASES = [0, 1, 2, 3] as const;

for (const phase of PHASES) {
  test(
    `phase ${phase} is accepted, objects are created, and what is wrong is refused`,
    withServer(async ({ call }) => {
      await define(call, phase);
      for (const kind of KINDS) {
        for (const version of writableVersions(phase, kind)) {
          const create = (spec: object, name: string): ReturnType<typeof call> =>
            call('POST', `${path(kind, version)}?${STRICT}`, { body: object(kind, version, spec, name) });
          const created = await create({}, version);
          assert.is(created.code, 201, `${kind} ${version}: ${created.text}`);
          for (const [, spec, message] of WRONG.filter(([name]) => name === kind)) {
            const refused = await create(spec, 'wrong');
            assert.is(refused.code, 422, `${kind} ${version}: ${message}: ${refused.text}`);
            assert.ok((refused.body['message'] ?? '').includes(message), `${message}: ${refused.body['message']}`);
          }
        }
      }
    }),
  );
}

onServer(
  'a server that has phase 0 goes on to phase 4, and what it has can be read in both versions',
  async ({ call }) => {
    await define(call, 0);
    assert.is((await call('POST', path('DataImage', 'v1alpha1'), { body: object('DataImage', 'v1alpha1') })).code, 201);
    const specIn = async (version: Version): Promise<unknown> =>
      (await call('GET', `${path('DataImage', version)}/minimal`)).body['spec'];
    for (const phase of [1, 2] as const) {
      await redefine(call, phase);
      for (const version of ['v1alpha1', 'v1beta1'] as const) {
        assert.equal(await specIn(version), MINIMAL['DataImage'], `${version} in phase ${phase}`);
      }
    }
    const { headers } = await call('GET', `${path('DataImage', 'v1alpha1')}/minimal`);
    assert.match(String(headers['warning']), 'metal3.io/v1alpha1 DataImage is deprecated; use metal3.io/v1beta1');
    await redefine(call, 3);
    assert.is((await call('GET', `${path('DataImage', 'v1alpha1')}/minimal`)).code, 404);
    const early = await put(call, definitionOf(4, 'DataImage'));
    assert.is(early.code, 422, 'what may be stored in v1alpha1 has to be written anew first');
    for (const { metadata } of DEFINITIONS[4]) {
      const { code, text } = await call('PATCH', `${CRDS}/${metadata.name}/status`, {
        type: MERGE,
        body: { status: { storedVersions: ['v1beta1'] } },
      });
      assert.is(code, 200, text);
    }
    await redefine(call, 4);
    assert.equal(await specIn('v1beta1'), MINIMAL['DataImage']);
  },
);

onServer('fields are what they are called in the version, with its defaults', async ({ call }) => {
  await define(call, 2);
  const hosts = path('BareMetalHost', 'v1beta1');
  const spec = {
    rootDeviceHints: { devicePath: '/dev/sda', modelContains: 'm', vendorContains: 'v' },
    image: { url: 'http://example.org/a.qcow2' },
  };
  const created = await call('POST', `${hosts}?${STRICT}`, { body: object('BareMetalHost', 'v1beta1', spec) });
  assert.equal(created.body['spec'], {
    poweredOn: true,
    automatedCleaningMode: 'metadata',
    ...spec,
    image: { ...spec.image, checksumType: 'auto' },
  });
  for (const old of [{ online: true }, { hardwareProfile: 'empty' }, { rootDeviceHints: { deviceName: '/dev/sda' } }]) {
    const body = object('BareMetalHost', 'v1beta1', old, 'old');
    const { code, text } = await call('POST', `${hosts}?${STRICT}`, { body });
    assert.is(code, 400, text);
    assert.match(text, 'unknown field');
  }
});

onServer(
  'an error may be told without its type, as that of detaching has to be: the schema does not know it',
  async ({ call }) => {
    await define(call, 0);
    const hosts = path('BareMetalHost', 'v1alpha1');
    await call('POST', hosts, { body: object('BareMetalHost', 'v1alpha1') });
    const status = {
      operationalStatus: 'error',
      errorMessage: 'host cannot be detached',
      poweredOn: true,
      provisioning: { ID: '', state: 'available', image: { url: '' } },
    };
    const write = (more: object): ReturnType<typeof call> =>
      call('PATCH', `${hosts}/minimal/status`, { type: MERGE, body: { status: { ...status, ...more } } });
    const refused = await write({ errorType: 'detach error' });
    assert.is(refused.code, 422);
    assert.match(refused.text, 'status.errorType: Unsupported value');
    const written = await write({});
    assert.is(written.code, 200, written.text);
    assert.equal(written.body['status'], { ...status, errorCount: 0, provisioningFailCount: 0 });
  },
);

function path(kind: string, version: Version): string {
  return `/apis/metal3.io/${version}/namespaces/default/${definitionOf(1, kind).spec.names.plural}`;
}

function object(kind: string, version: Version, spec: object = {}, name = 'minimal'): object {
  const least = kind === 'BareMetalHost' && version === 'v1beta1' ? { poweredOn: true } : MINIMAL[kind];
  return { apiVersion: `metal3.io/${version}`, kind, metadata: { name }, spec: { ...least, ...spec } };
}

/** All that are served, where nothing has to be converted; else the stored one. */
function writableVersions(phase: Phase, kind: string): readonly Version[] {
  const { conversion, versions } = definitionOf(phase, kind).spec;
  const isConverted = conversion?.['strategy'] === 'Webhook';
  return versions.filter(({ served, storage }) => (isConverted ? storage : served)).map(({ name }) => name);
}

async function define(call: Harness['call'], phase: Phase): Promise<void> {
  for (const body of DEFINITIONS[phase]) {
    const { code, text } = await call('POST', `${CRDS}?${STRICT}`, { body });
    assert.is(code, 201, `${body.metadata.name}: ${text}`);
  }
  for (const { metadata } of DEFINITIONS[phase]) {
    const { body } = await call('GET', `${CRDS}/${metadata.name}`);
    const conditions = listAt(body['status']?.['conditions']).map(({ type, status }) => [type, status]);
    const expected = { NamesAccepted: 'True', Established: 'True' };
    assert.equal(Object.fromEntries(conditions), expected, metadata.name);
  }
}

async function redefine(call: Harness['call'], phase: Phase): Promise<void> {
  for (const definition of DEFINITIONS[phase]) {
    const { code, text } = await put(call, definition);
    assert.is(code, 200, `${definition.metadata.name}: ${text}`);
  }
}

async function put(call: Harness['call'], definition: CustomResourceDefinition): ReturnType<typeof call> {
  const place = `${CRDS}/${definition.metadata.name}`;
  const { body } = await call('GET', place);
  const resourceVersion = body['metadata']?.['resourceVersion'];
  return call('PUT', place, { body: { ...definition, metadata: { ...definition.metadata, resourceVersion } } });
}

test.run();
