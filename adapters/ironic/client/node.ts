// Nodes, and what else Ironic answers, as far as it is read: parsed once, whatever comes.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { UnknownOutcomeError } from '../../../bus/errors.ts';
import { Feature } from './versions.ts';

/**
 * A node as Ironic tells it, under Ironic's own names. What is not told, or is of another type, is null.
 * (No interface, as that would be no `JsonObject`.)
 */
export type Node = {
  readonly uuid: string;
  readonly name: string | null;
  readonly driver: string | null;
  readonly provision_state: string | null;
  readonly target_provision_state: string | null;
  /** When the last transition began or ended, ISO 8601. */
  readonly provision_updated_at: string | null;
  readonly power_state: string | null;
  readonly target_power_state: string | null;
  readonly last_error: string | null;
  readonly maintenance: boolean | null;
  readonly fault: string | null;
  /** The conductor that holds the node: until it is null, the node is at work. */
  readonly reservation: string | null;
  readonly instance_uuid: string | null;
  readonly instance_info: JsonObject | null;
  /** Secrets in it are `******`. */
  readonly driver_info: JsonObject | null;
  readonly properties: JsonObject | null;
  readonly network_data: JsonObject | null;
  readonly raid_config: JsonObject | null;
  readonly automated_clean: boolean | null;
  readonly disable_power_off: boolean | null;
  readonly inspection_finished_at: string | null;
  readonly bios_interface: string | null;
  readonly boot_interface: string | null;
  readonly deploy_interface: string | null;
  readonly firmware_interface: string | null;
  readonly inspect_interface: string | null;
  readonly management_interface: string | null;
  readonly power_interface: string | null;
  readonly raid_interface: string | null;
  readonly vendor_interface: string | null;
  readonly health: string | null;
};

export type NodeField = keyof Node;

type Type = 'text' | 'flag' | 'object';

const TYPES = {
  uuid: 'text',
  name: 'text',
  driver: 'text',
  provision_state: 'text',
  target_provision_state: 'text',
  provision_updated_at: 'text',
  power_state: 'text',
  target_power_state: 'text',
  last_error: 'text',
  maintenance: 'flag',
  fault: 'text',
  reservation: 'text',
  instance_uuid: 'text',
  instance_info: 'object',
  driver_info: 'object',
  properties: 'object',
  network_data: 'object',
  raid_config: 'object',
  automated_clean: 'flag',
  disable_power_off: 'flag',
  inspection_finished_at: 'text',
  bios_interface: 'text',
  boot_interface: 'text',
  deploy_interface: 'text',
  firmware_interface: 'text',
  inspect_interface: 'text',
  management_interface: 'text',
  power_interface: 'text',
  raid_interface: 'text',
  vendor_interface: 'text',
  health: 'text',
} as const satisfies Record<NodeField, Type>;

const FIELDS = Object.keys(TYPES) as readonly NodeField[];

/** Fields that only Ironics with a feature have; others refuse to be asked for them. */
const NEEDS: Partial<Record<NodeField, Feature>> = {
  firmware_interface: Feature.FirmwareComponents,
  disable_power_off: Feature.DisablePowerOff,
  health: Feature.Health,
};

/** All that is read of a node by an Ironic with these features. */
export function nodeFields(features: readonly Feature[]): readonly NodeField[] {
  return FIELDS.filter((field) => {
    const feature = NEEDS[field];
    return feature === undefined || features.includes(feature);
  });
}

/** @throws {UnknownOutcomeError} it is no node: the response is not from Ironic */
export function nodeIn(value: Json | undefined): Node {
  if (!isObject(value) || typeof value['uuid'] !== 'string' || value['uuid'] === '') {
    throw new UnknownOutcomeError('the answer holds no node with a uuid');
  }
  return Object.fromEntries(FIELDS.map((field) => [field, typed(value[field], TYPES[field])])) as unknown as Node;
}

/** `GET .../validate`, by interface: `boot` and `deploy` are what a deployment needs. */
export type Validation = Readonly<
  Record<string, { readonly result?: boolean | null; readonly reason?: string | null }>
>;

/** `GET .../inventory`. */
export type Inventory = {
  readonly inventory: JsonObject;
  readonly plugin_data: JsonObject;
};

export type Port = {
  readonly uuid: string;
  readonly address: string;
  readonly node_uuid: string | null;
};

/** One device of `GET .../vmedia`. */
export type VirtualMedium = {
  readonly image: string | null;
  readonly inserted: boolean | null;
  readonly media_types: readonly string[];
};

/** One operation of a JSON patch (RFC 6902), of those that Ironic is asked for. */
export interface PatchOperation {
  readonly op: 'add' | 'remove';
  readonly path: string;
  readonly value?: Json;
}

/** Objects of a list; other values are left out. */
export function objectsIn(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function portIn(value: JsonObject): Port {
  return {
    uuid: typed(value['uuid'], 'text') ?? '',
    address: typed(value['address'], 'text') ?? '',
    node_uuid: typed(value['node_uuid'], 'text'),
  };
}

export function virtualMediumIn(value: JsonObject): VirtualMedium {
  const types = value['media_types'];
  return {
    image: typed(value['image'], 'text'),
    inserted: typed(value['inserted'], 'flag'),
    media_types: Array.isArray(types) ? types.filter((type) => typeof type === 'string') : [],
  };
}

export function inventoryIn(value: JsonObject): Inventory {
  return {
    inventory: typed(value['inventory'], 'object') ?? {},
    plugin_data: typed(value['plugin_data'], 'object') ?? {},
  };
}

export function validationIn(value: JsonObject): Validation {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, reported]) =>
      isObject(reported)
        ? [[name, { result: typed(reported['result'], 'flag'), reason: typed(reported['reason'], 'text') }] as const]
        : [],
    ),
  );
}

function typed(value: Json | undefined, type: 'text'): string | null;
function typed(value: Json | undefined, type: 'flag'): boolean | null;
function typed(value: Json | undefined, type: 'object'): JsonObject | null;
function typed(value: Json | undefined, type: Type): string | boolean | JsonObject | null;
function typed(value: Json | undefined, type: Type): string | boolean | JsonObject | null {
  if (type === 'text') return typeof value === 'string' ? value : null;
  if (type === 'flag') return typeof value === 'boolean' ? value : null;
  return isObject(value) ? value : null;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
