// Steps of cleaning, service and deployment: which there are, who does them, and what each does to a machine.
import type { Json, JsonObject } from '../../../bus/json.ts';
import type { Conductor } from './conductor.ts';
import { asObject, pythonRepr, refusal } from './exchange.ts';
import { Deed } from './machines.ts';
import type { NodeRecord } from './records.ts';

export interface Step {
  readonly interface: string;
  readonly step: string;
  readonly args: JsonObject;
  /** Abortable while it is done. */
  readonly isAbortable: boolean;
}

/** Whose steps the conductor does itself, by way of the BMC, and which restart the machine. */
const OUT_OF_BAND: Readonly<Record<string, readonly string[]>> = {
  bios: ['apply_configuration', 'factory_reset'],
  firmware: ['update'],
};
/** Steps that an agent knows. */
const IN_BAND: Readonly<Record<string, readonly string[]>> = {
  deploy: ['erase_devices', 'erase_devices_metadata', 'burnin_memory', 'update_firmware'],
  raid: ['create_configuration', 'delete_configuration'],
};

/** Steps of automated cleaning. */
export const AUTOMATED: readonly Step[] = [
  { interface: 'deploy', step: 'erase_devices_metadata', args: {}, isAbortable: true },
];

/** As a request has them. @throws {Refusal} what Ironic says of a list that is none of steps */
export function parseSteps(value: Json | undefined, type: 'clean' | 'deploy' | 'service'): readonly Step[] {
  if (!Array.isArray(value)) throw refusal(400, `Expected list for ${type}_steps: ${pythonRepr(value)}`);
  return value.map((each: Json) => {
    const { interface: kind, step, args, priority } = asObject(each) ?? {};
    for (const [name, given] of Object.entries({ interface: kind, step })) {
      if (typeof given !== 'string') throw refusal(400, `Invalid ${type}_steps: '${name}' is a required property`);
    }
    for (const [name, given] of Object.entries(type === 'deploy' ? { args, priority } : {})) {
      if (given === undefined) throw refusal(400, `Invalid deploy_steps: '${name}' is a required property`);
    }
    const isAbortable = kind === 'deploy' && step !== 'update_firmware';
    return { interface: String(kind), step: String(step), args: asObject(args) ?? {}, isAbortable };
  });
}

export function stepId({ interface: kind, step }: Step): string {
  return `${kind}.${step}`;
}

/** As a node shows it while it is done. */
export function shownStep({ interface: kind, step, args, isAbortable }: Step): JsonObject {
  return { interface: kind, step, args, abortable: isAbortable, priority: 0 };
}

export function isOutOfBand({ interface: kind, step }: Step): boolean {
  return includes(OUT_OF_BAND, kind, step);
}

/** The first that the node does not know. */
export function unknownStep(steps: readonly Step[]): Step | undefined {
  return steps.find(
    ({ interface: kind, step }) => !includes(OUT_OF_BAND, kind, step) && !includes(IN_BAND, kind, step),
  );
}

function includes(table: Readonly<Record<string, readonly string[]>>, kind: string, step: string): boolean {
  return Object.hasOwn(table, kind) && (table[kind] as readonly string[]).includes(step);
}

/** Does a step. @returns why it failed */
export function doStep(record: NodeRecord, step: Step, conductor: Conductor): string | undefined {
  const { item } = record;
  const machine = conductor.machineOf(record);
  const failing = machine?.behavior.failingSteps ?? {};
  if (Object.hasOwn(failing, step.step)) return failing[step.step];
  if (step.step.startsWith('erase_devices')) {
    if (machine !== undefined) machine.disk = null;
    machine?.note(Deed.Wiped, item['uuid'], stepId(step));
    return undefined;
  }
  machine?.note(Deed.Configured, item['uuid'], stepId(step));
  if (step.interface === 'raid') {
    const isMade = step.step === 'create_configuration';
    item['raid_config'] = isMade
      ? { ...asObject(item['target_raid_config']), last_updated: conductor.records.now() }
      : {};
  }
  if (machine === undefined) return undefined;
  const settings = (Array.isArray(step.args['settings']) ? step.args['settings'] : []) as readonly JsonObject[];
  if (step.interface === 'bios') {
    for (const { name, value } of settings) {
      if (!machine.bios.has(String(name))) return `unknown attribute ${String(name)}`;
      machine.bios.set(String(name), value ?? null);
    }
  }
  if (step.interface === 'firmware') {
    for (const { component, url } of settings) machine.firmware.set(String(component), versionOf(String(url)));
  }
  conductor.readBmc(record);
  return undefined;
}

/** A version that tells one file from another: its name. */
function versionOf(url: string): string {
  return url.split('/').at(-1) ?? url;
}
