// Decisions on nodes take whatever the API server or Ironic may tell: each comes to a step, and none throws.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { IronicNode } from '../../../../adapters/ironic/client/node-answer.ts';
import { Feature } from '../../../../adapters/ironic/client/versions.ts';
import { adopt } from '../../../../adapters/ironic/steps/adoption.ts';
import { deprovision } from '../../../../adapters/ironic/steps/deprovisioning.ts';
import { type Fact, type Facts, gathered } from '../../../../adapters/ironic/steps/facts.ts';
import { inspect } from '../../../../adapters/ironic/steps/inspection.ts';
import { powerOff, powerOffBeforeDelete, powerOn } from '../../../../adapters/ironic/steps/power.ts';
import { prepare } from '../../../../adapters/ironic/steps/preparation.ts';
import { provision } from '../../../../adapters/ironic/steps/provisioning.ts';
import { register } from '../../../../adapters/ironic/steps/registration.ts';
import { remove } from '../../../../adapters/ironic/steps/removal.ts';
import { service } from '../../../../adapters/ironic/steps/servicing.ts';
import { ProvisionState } from '../../../../adapters/ironic/steps/states.ts';
import type { Step } from '../../../../adapters/ironic/steps/step.ts';
import type { Host } from '../../../../adapters/ironic/steps/step-host.ts';
import type { Json } from '../../../../bus/bus.ts';
import { CREDENTIALS, driverNamed, hostIn, nodeIn, UUID } from './builders.ts';

const test = suite('odd input of decisions on nodes');

const driver = driverNamed('redfish');
const STEP = { interface: '', step: '' };

/** Every decision on this host and node. */
function decisions(host: Host, node: IronicNode, facts: Facts = {}): readonly Step[] {
  const plan = { cleanSteps: [STEP], logicalDisks: [{ size_gb: 1, raid_level: '' }], raidInterface: 'agent' };
  const features = Object.values(Feature);
  return [
    register({
      host,
      driver,
      facts: { byId: node, byName: node, ...facts },
      nics: [null, {}, { mac: '__proto__', pxe: null }],
      driverInfo: {},
      credentials: CREDENTIALS,
      architecture: '',
      features,
      ramdisk: { kind: 'untouched' },
      networkData: { __proto__: null },
      hasFirmwareComponents: false,
    }),
    inspect({ host, node, facts, driver, architecture: '' }),
    prepare({ host, node, isUnprepared: true, plan }),
    provision({ host, node, facts, imageProblems: [], isSameImage: true, instanceData: { patch: [] } }),
    adopt({ host, node }),
    deprovision({ host, node }),
    powerOn({ host, node }),
    powerOff({ host, node, mode: 'soft' }),
    powerOffBeforeDelete({ host, node }),
    remove({ node, isForced: true, features }),
    service({ host, node, hasChanges: true, isEmptied: false, serviceSteps: [STEP] }),
  ];
}

const ODD: readonly Json[] = [null, '', 'odd', 0, -1, true, [], [null], {}, { __proto__: null }];
const STATES = [...Object.values(ProvisionState), 'rescue', ''];

function isStep(step: Step): boolean {
  return typeof step.step === 'string';
}

test('any member of a node may be anything, in any state', () => {
  const host = hostIn('available', { status: { operationalStatus: 'servicing' } });
  for (const state of STATES) {
    const node = nodeIn(state);
    for (const member of Object.keys(node)) {
      for (const value of ODD)
        assert.ok(decisions(host, { ...node, [member]: value }).every(isStep), `${state} ${member}`);
    }
    assert.ok(decisions(host, { uuid: UUID, provision_state: state }).every(isStep));
    assert.ok(decisions(host, {}).every(isStep));
  }
});

test('any answer may be anything', () => {
  const asked: readonly Fact[] = [
    'portsByMac',
    'ports',
    'owners',
    'made',
    'firmware',
    'inventory',
    'validation',
    'history',
  ];
  const memory = nodeIn('manageable');
  for (const fact of asked) {
    for (const body of [...ODD, { ports: [null, {}, { address: 1 }] }, { boot: [], deploy: null }]) {
      assert.ok(decisions(hostIn('inspecting'), memory, gathered({}, fact, body)).every(isStep), fact);
    }
  }
});

test('any part of a host may be missing or null', () => {
  const hosts: readonly Host[] = [
    {},
    { metadata: null, spec: null, status: null },
    { metadata: { name: null, namespace: null, annotations: null }, spec: {}, status: {} },
    {
      metadata: {},
      spec: { image: null, bootMACAddress: null },
      status: { provisioning: null, operationHistory: null },
    },
    {
      metadata: {},
      spec: {},
      status: { provisioning: { ID: null, state: null }, errorType: 'unknown', poweredOn: null },
    },
    {
      metadata: { annotations: { 'reboot.metal3.io': 'odd', constructor: '{}' } },
      status: { operationHistory: { inspect: null } },
    },
  ];
  for (const host of hosts) {
    for (const state of STATES) assert.ok(decisions(host, nodeIn(state)).every(isStep), state);
  }
});

test.run();
