// Inspection of a node by its BMC, or by an agent on the machine.
import type { JsonObject } from '../../../bus/json.ts';
import type { Conductor } from './conductor.ts';
import { asObject } from './exchange.ts';
import { agentInventory, inspectedProperties, inspectionData } from './hardware.ts';
import { Deed } from './machines.ts';
import type { NodeRecord, Work } from './records.ts';

export const INSPECTION_ABORTED = 'Inspection was aborted by request.';

/** From inspecting to manageable, or to inspect failed. */
export function* inspect(record: NodeRecord, conductor: Conductor): Work {
  const { item } = record;
  const { times, records } = conductor;
  item['inspection_started_at'] = records.now();
  item['inspection_finished_at'] = null;
  if (item['inspect_interface'] === 'fake') yield times.fakeMs;
  else {
    const isByAgent = item['inspect_interface'] === 'agent';
    const error = isByAgent ? yield* byAgent(record, conductor) : yield* byBmc(record, conductor);
    if (error !== undefined) {
      // Out of band nothing was switched on.
      if (isByAgent) conductor.switch(record, 'power off');
      records.fail(record, error, 'inspecting');
      conductor.move(record, 'inspect failed');
      conductor.unlock(record);
      return;
    }
  }
  item['inspection_finished_at'] = records.now();
  conductor.move(record, 'manageable');
  conductor.unlock(record);
}

function* byBmc(record: NodeRecord, conductor: Conductor): Generator<number, string | undefined, void> {
  yield conductor.times.bmcMs;
  const { machine, error } = conductor.machines.reach(record.item);
  if (machine === undefined) return `Failed to inspect hardware. Reason: ${error ?? 'there is no machine'}`;
  const reported = machine.behavior.inspectionError;
  if (reported !== undefined) return `Failed to inspect hardware. Reason: ${reported}`;
  keep(record, conductor, agentInventory(machine));
  return undefined;
}

function* byAgent(record: NodeRecord, conductor: Conductor): Generator<number, string | undefined, void> {
  const { times } = conductor;
  const error = yield* conductor.bootRamdisk(record);
  if (error !== undefined) return `Failed to start inspection: ${error}`;
  conductor.move(record, 'inspect wait');
  conductor.unlock(record);
  if (!(yield* conductor.awaitAgent(record, false))) {
    const remedy = 'Please check if the ramdisk responsible for the inspection is running on the node.';
    return `Timeout reached while inspecting the node. ${remedy}`;
  }
  conductor.move(record, 'inspecting');
  const machine = conductor.machineOf(record);
  const reported = machine?.behavior.inspectionError;
  yield times.stepMs;
  if (reported !== undefined) {
    const failed = 'Failed to inspect hardware. Reason:';
    const hook = `Error in preprocess hook ramdisk-error: ${failed} Ramdisk reported error: ${reported}`;
    const hooks = `The following failures happened while running preprocess hooks for node ${record.item['uuid']}:`;
    const how = `${failed} failed to run inspection hooks: ${failed} ${hooks}\n${hook}`;
    return `Async execution of continue_inspection failed with error: ${how}`;
  }
  yield times.finishMs;
  if (machine !== undefined) keep(record, conductor, agentInventory(machine));
  conductor.switch(record, 'power off');
  return undefined;
}

function keep(record: NodeRecord, conductor: Conductor, inventory: JsonObject): void {
  const { records } = conductor;
  conductor.machineOf(record)?.note(Deed.Inspected, record.item['uuid']);
  const { item } = record;
  record.inventory = inspectionData(inventory);
  item['properties'] = inspectedProperties(asObject(item['properties']) ?? {}, inventory);
  item['boot_mode'] = 'uefi';
  const taken = new Set([...records.ports.values()].map(({ address }) => address));
  for (const { mac_address: mac } of (inventory['interfaces'] ?? []) as readonly JsonObject[]) {
    if (typeof mac === 'string' && !taken.has(mac.toLowerCase())) records.addPort(item['uuid'] ?? null, mac, true);
  }
}
