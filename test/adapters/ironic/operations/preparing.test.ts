// What a preparation has HostFirmwareComponents record: what is being applied from then on, and nothing that it says already.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Applied } from '../../../../adapters/ironic/nodes/step.ts';
import type { Passes } from '../../../../adapters/ironic/operations/passes.ts';
import { prepareHost } from '../../../../adapters/ironic/operations/preparing.ts';
import type { IronicPorts } from '../../../../adapters/ironic/serving.ts';
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
  } as unknown as Passes;
  const ports = { readObject: async () => components } as unknown as IronicPorts;
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

test.run();
