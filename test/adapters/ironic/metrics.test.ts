// What is counted of hosts: all that the contract names, and whose fault it was that a pass came to nothing.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ANYWHERE } from '../../../adapters/http/egress-policy.ts';
import { NotReadyError } from '../../../adapters/ironic/client/errors.ts';
import { failureMeasures } from '../../../adapters/ironic/kinds/host-effects.ts';
import { METRICS } from '../../../adapters/ironic/metrics.ts';
import type { IronicPorts } from '../../../adapters/ironic/serving.ts';
import type { HostReconciler } from '../../../adapters/ironic/steps/host-reconciler.ts';
import { registerHost } from '../../../adapters/ironic/steps/register.ts';
import { fromErrorData, TerminalError, TransientError, toAnswerData, toErrorData } from '../../../bus/errors.ts';
import { objectOf } from '../../world/ironic.ts';

const test = suite('metrics of hosts');

/** What dashboards of the baremetal-operator read. */
const CONTRACT = [
  ...['reconcile', 'reconcile_error', 'host_error', 'operation_power_change'],
  ...['missing', 'invalid', 'unhandled_error', 'updated', 'no_management_access'].map((of) => `credentials_${of}`),
  ...['host_config_data_error', 'delayed__provisioning', 'delayed__deprovisioning', 'provisioning_state_change'],
  ...['host_registration_required', 'host_unmanaged', 'delete_without_deprovisioning'],
  ...['delete_without_powering_off', 'delete_delayed_for_detached', 'provisioner_not_ready'],
  'waiting_for_preprov_image',
].map((name) => `metal3_${name}_total`);

test('every metric of the contract is declared, and none beside them', () => {
  const durations = ['register', 'inspect', 'provision', 'deprovision'];
  assert.equal(
    METRICS.map(({ name }) => name).sort(),
    [...CONTRACT, ...durations.map((name) => `metal3_operation_${name}_duration_seconds`)].sort(),
  );
});

/** What is counted of a registration that fails so, as it comes over the bus. */
async function counted(ports: Partial<IronicPorts>, operation = 'register'): Promise<readonly string[]> {
  const spec = { bmc: { address: 'redfish://10.0.0.1/redfish/v1/Systems/1', credentialsName: 'bmc' } };
  const request = { object: objectOf('BareMetalHost', spec), dependencies: {}, deadlineAt: 0, traceparent: '' };
  try {
    await registerHost({ foreign: ANYWHERE, ...ports } as IronicPorts, {} as HostReconciler, request);
  } catch (error) {
    const traveled = fromErrorData(JSON.parse(JSON.stringify(toAnswerData(error))));
    return failureMeasures(operation, toErrorData(traveled)).map(({ name }) => name);
  }
  throw new Error('it was registered');
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const secret = { uid: 'u', resourceVersion: '1', data: { username: base64('admin'), password: base64('secret') } };
const throwing = (error: Error) => async (): Promise<never> => {
  throw error;
};
const ironic = (error: Error): IronicPorts['ironic'] =>
  ({ ready: throwing(error) }) as unknown as IronicPorts['ironic'];

test('a Secret that cannot be read is no Secret that is missing', async () => {
  const readSecret = throwing(new TransientError('the API server does not answer'));
  assert.equal(await counted({ readSecret }), ['metal3_credentials_unhandled_error_total']);
});

test('an Ironic that is not ready is counted, and no BMC is blamed for it', async () => {
  const ports = { readSecret: async () => secret, ironic: ironic(new NotReadyError('it does not answer')) };
  assert.equal(await counted(ports), ['metal3_provisioner_not_ready_total']);
  assert.equal(await counted(ports, 'remove'), ['metal3_provisioner_not_ready_total']);
});

test('a registration that Ironic refuses before it tries the BMC is counted, and other passes are not', async () => {
  for (const error of [new TransientError('a call failed'), new TerminalError('a call was refused')]) {
    const ports = { readSecret: async () => secret, ironic: ironic(error) };
    assert.equal(await counted(ports), ['metal3_credentials_no_management_access_total']);
    assert.equal(await counted(ports, 'power'), []);
  }
  assert.equal(failureMeasures('register', { waiting: true }), [], 'what waits has not failed');
});

test.run();
