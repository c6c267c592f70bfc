// Preparations: what they have HostFirmwareComponents record, and the steps that they send after a failure.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ANYWHERE } from '../../../../adapters/http/egress-policy.ts';
import type { IronicNode } from '../../../../adapters/ironic/client/node-answer.ts';
import type { IronicPorts } from '../../../../adapters/ironic/serving.ts';
import type { HostReconciler } from '../../../../adapters/ironic/steps/host-reconciler.ts';
import { prepareHost, serviceHost } from '../../../../adapters/ironic/steps/prepare.ts';
import { type Applied, REGISTER, type Step } from '../../../../adapters/ironic/steps/step.ts';
import type { JsonObject } from '../../../../bus/json.ts';
import type { Outcome } from '../../../../machines/bare-metal-host/outcome.ts';
import { objectOf } from '../../../world/ironic.ts';

const test = suite('preparing');

const UPDATE = { component: 'bios', url: 'http://firmware/2' };
const CHANGED = { type: 'ChangeDetected', status: 'True', observedGeneration: 1 };
const SAME = { ...CHANGED, status: 'False' };
const VALID = { type: 'Valid', status: 'True', observedGeneration: 1 };

/** A preparation that began what is wanted, or found that it failed. */
async function recordedBy(
  { wanted, recorded }: { readonly wanted: readonly JsonObject[]; readonly recorded?: readonly JsonObject[] },
  does: 'record' | 'forget' = 'record',
): Promise<Outcome['firmwareUpdates']> {
  const conditions = [JSON.stringify(wanted) === JSON.stringify(recorded ?? []) ? SAME : CHANGED, VALID];
  const components = objectOf(
    'HostFirmwareComponents',
    { updates: wanted },
    { status: { conditions, ...(recorded && { updates: recorded }) } },
  );
  const all: readonly Applied[] = ['firmwareUpdates'];
  const passes = {
    onNode: async () => ({ last: { step: 'done' }, notes: [{ [does]: all }] }),
    outcome: () => ({ kind: 'done', at: 0 }),
  } as unknown as HostReconciler;
  const ports = { foreign: ANYWHERE, readObject: async () => components } as unknown as IronicPorts;
  const outcome = await prepareHost(ports, passes, {
    object: objectOf('BareMetalHost', { bmc: { address: 'redfish://10.0.0.1/redfish/v1/Systems/1' } }),
    dependencies: { 'HostFirmwareComponents/h': { id: 'h', ready: true } },
    deadlineAt: 0,
    traceparent: '',
  });
  return outcome.firmwareUpdates;
}

test('what is wanted is recorded when it is begun, and forgotten when that failed', async () => {
  assert.equal(await recordedBy({ wanted: [UPDATE] }), [UPDATE]);
  assert.equal(await recordedBy({ wanted: [], recorded: [UPDATE] }), []);
  assert.equal(await recordedBy({ wanted: [UPDATE], recorded: [UPDATE] }, 'forget'), []);
});

test('what is recorded so already is not recorded again', async () => {
  assert.is(await recordedBy({ wanted: [] }), undefined);
  assert.is(await recordedBy({ wanted: [], recorded: [] }), undefined);
  assert.is(await recordedBy({ wanted: [UPDATE], recorded: [UPDATE] }), undefined);
  assert.is(await recordedBy({ wanted: [UPDATE] }, 'forget'), undefined);
});

/** The clean steps that a pass sends for a new BIOS setting, of a host with a RAID on record whose preparation failed. */
async function stepsAfterFailure(spec: JsonObject, recorded: JsonObject | undefined): Promise<readonly string[]> {
  const settings = objectOf(
    'HostFirmwareSettings',
    { settings: { Turbo: 'On' } },
    { status: { conditions: [CHANGED, VALID], settings: { Turbo: 'Off' } } },
  );
  const sent: string[] = [];
  const passes = {
    onNode: async (
      _: unknown,
      decide: (node: IronicNode) => Step<object>,
      answer: (given: unknown, node: IronicNode) => Promise<void>,
    ) => {
      const node = { uuid: 'u', provision_state: 'manageable' } as IronicNode;
      assert.is(decide(node).step, 'ask');
      await answer(undefined, node);
      const step = decide(node);
      assert.is(step.step, 'send');
      const { requests } = step as unknown as { readonly requests: readonly { readonly body: JsonObject }[] };
      const steps = requests.at(-1)?.body['clean_steps'] as readonly JsonObject[];
      sent.push(...steps.map((each) => `${each['interface']}.${each['step']}`));
      return { last: { step: 'done' }, notes: [] };
    },
    outcome: () => ({ kind: 'done', at: 0 }),
  } as unknown as HostReconciler;
  const ironic = { biosSettings: async () => [{ name: 'Turbo', value: 'Off' }] };
  const ports = {
    foreign: ANYWHERE,
    readObject: async () => settings,
    ironic,
    clock: { now: () => 0 },
  } as unknown as IronicPorts;
  await prepareHost(ports, passes, {
    object: objectOf(
      'BareMetalHost',
      { bmc: { address: 'redfish://10.0.0.1/redfish/v1/Systems/1' }, automatedCleaningMode: 'disabled', ...spec },
      { status: { errorType: 'preparation error', provisioning: { ...(recorded && { raid: recorded }) } } },
    ),
    dependencies: { 'HostFirmwareSettings/h': { id: 'h', ready: true } },
    deadlineAt: 0,
    traceparent: '',
  });
  return sent;
}

test('a failed BIOS setting deletes no RAID that the spec does not ask to delete (33.A3)', async () => {
  const bios = 'bios.apply_configuration';
  const volumes = [{ level: '1' }];
  for (const recorded of [
    undefined,
    {},
    { hardwareRAIDVolumes: null, softwareRAIDVolumes: [] },
    { hardwareRAIDVolumes: [], softwareRAIDVolumes: [] },
    { hardwareRAIDVolumes: [] },
    { hardwareRAIDVolumes: volumes },
  ]) {
    for (const spec of [{}, { raid: {} }, { raid: { softwareRAIDVolumes: [] } }]) {
      assert.equal(await stepsAfterFailure(spec, recorded), [bios], JSON.stringify({ spec, recorded }));
    }
  }
  const asked = { raid: { hardwareRAIDVolumes: volumes } };
  const built = ['raid.delete_configuration', 'raid.create_configuration', bios];
  assert.equal(await stepsAfterFailure(asked, asked.raid), built);
});

test('firmware that is not read yet is waited for, unless Ironic lost the node: then the host registers it (13.6)', async () => {
  const unread = objectOf('HostFirmwareSettings', {}, { status: { conditions: [] } });
  const policy = objectOf('HostUpdatePolicy', { firmwareSettings: 'onReboot' });
  const ports = {
    foreign: ANYWHERE,
    readObject: async ({ kind }: { readonly kind: string }) => (kind === 'HostUpdatePolicy' ? policy : unread),
    clock: { now: () => 0 },
  } as unknown as IronicPorts;
  const request = {
    object: objectOf('BareMetalHost', { bmc: { address: 'redfish://10.0.0.1/redfish/v1/Systems/1' } }),
    dependencies: { 'HostFirmwareSettings/h': { id: 'h', ready: true } },
    deadlineAt: 0,
    traceparent: '',
  };
  const stepWith = async (node: IronicNode | null, isServicing: boolean): Promise<string> => {
    const steps: string[] = [];
    const passes = {
      onNode: async (_: unknown, decide: (node: IronicNode | null) => Step<object>) => {
        const step = decide(node);
        steps.push(step.step === 'wait' ? `wait ${step.pace}` : step.step);
      },
      outcome: () => ({ kind: 'pausing', at: 0, afterMs: 0 }),
    } as unknown as HostReconciler;
    await (isServicing
      ? serviceHost(ports, passes, { ...request, isBegun: true })
      : prepareHost(ports, passes, request));
    return steps.join();
  };
  const node = { uuid: 'u', provision_state: 'manageable' } as IronicNode;
  for (const isServicing of [false, true]) {
    assert.is(await stepWith(node, isServicing), 'wait firmwareNotReady');
    assert.is(await stepWith(null, isServicing), REGISTER.step);
  }
});

test.run();
