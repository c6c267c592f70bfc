// Trunks of the simulated Neutron. Like the real control plane without agents: one that is not plugged in is ACTIVE.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { neutronRefusal, pythonRepr } from './exchange.ts';
import {
  type AttributeTable,
  asGiven,
  type Convert,
  invalid,
  invalidInput,
  toBoolean,
  toText,
  toUuid,
} from './neutron-attributes.ts';
import { bump, type NeutronDeps, type NeutronResource, notFound } from './neutron-resource.ts';
import { CollectionName, type Item, type Store } from './store.ts';
import { asObject } from './tokens.ts';

const NEVER = { convert: asGiven, preset: 'unset', allowed: 'never' } as const;
const SUBPORT_OWNER = 'trunk:subport';
const HIGHEST_VLAN = 4094;

/** The port, and its segmentation as far as it is stated. */
const toSubports: Convert = (value, name) => {
  if (!Array.isArray(value)) throw invalid(name, `Invalid data format for subports: '${pythonRepr(value)}'`);
  const seen = new Set<Json>();
  for (const each of value) {
    const subport = asObject(each) ?? {};
    const port = toUuid(subport['port_id'] ?? null, name);
    if (seen.has(port)) throw invalid(name, `Non unique UUID for subport: '${port}'.`);
    seen.add(port);
    const [id, type] = [subport['segmentation_id'], subport['segmentation_type']];
    if (type === 'inherit' || (id === undefined) === (type === undefined)) continue;
    const why = 'missing segmentation information. Must specify both segmentation_id and segmentation_type.';
    throw invalid(name, `Invalid subport details '${pythonRepr(subport)}': ${why}`);
  }
  return value;
};

const ATTRIBUTES: AttributeTable = {
  id: NEVER,
  admin_state_up: { convert: toBoolean, preset: true, allowed: 'always' },
  tenant_id: { convert: toText, preset: '', allowed: 'creation' },
  name: { convert: toText, preset: '', allowed: 'always' },
  port_id: { convert: toUuid, allowed: 'creation' },
  status: NEVER,
  sub_ports: { convert: toSubports, preset: [], allowed: 'creation' },
  description: { convert: toText, preset: '', allowed: 'always' },
  tags: NEVER,
  created_at: NEVER,
  updated_at: NEVER,
  revision_number: NEVER,
};

export function trunks({ store }: NeutronDeps): NeutronResource {
  return {
    collection: CollectionName.Trunks,
    singular: 'trunk',
    attributes: ATTRIBUTES,
    filters: ['name', 'port_id', 'admin_state_up', 'status', 'description'],
    sortKeys: ['name', 'port_id', 'admin_state_up', 'status'],
    create(item) {
      const parentId = String(item['port_id']);
      if (!store.collection(CollectionName.Ports).has(parentId)) throw notFound({ singular: 'port' }, parentId);
      refuseCarried(parentId, store);
      if (parentOf(parentId, store) !== undefined) throw ineligible(parentId);
      const wanted = item['sub_ports'] as readonly JsonObject[];
      item['sub_ports'] = [];
      Object.assign(item, { status: 'ACTIVE', revision_number: 2 });
      item['sub_ports'] = checked(item, wanted, store);
      take(item, store);
    },
    update(item, change) {
      Object.assign(item, change);
      bump(item, store);
    },
    remove(item) {
      refuseDisabled(item);
      const parent = store.collection(CollectionName.Ports).get(String(item['port_id']));
      if (parent?.['binding:host_id'] !== undefined && parent['binding:host_id'] !== '') {
        throw neutronRefusal(409, 'TrunkInUse', `Trunk ${item['id']} is currently in use.`);
      }
      for (const { port_id: id } of subportsOf(item)) release(String(id), store);
    },
    show: (item) => ({ ...item }),
    actions: {
      add_subports(item, body) {
        const wanted = body['sub_ports'];
        if (wanted === undefined) {
          const message = 'Request Failed: internal server error while processing your request.';
          throw neutronRefusal(500, 'HTTPInternalServerError', message);
        }
        toSubports(wanted, 'sub_ports');
        refuseDisabled(item);
        item['sub_ports'] = [...subportsOf(item), ...checked(item, wanted as readonly JsonObject[], store)];
        take(item, store);
        bump(item, store);
        return { ...item };
      },
      remove_subports(item, body) {
        refuseDisabled(item);
        const gone = (Array.isArray(body['sub_ports']) ? body['sub_ports'] : []).map((each) =>
          String(asObject(each)?.['port_id']),
        );
        for (const id of gone) {
          if (subportsOf(item).some(({ port_id: own }) => own === id)) continue;
          const message = `SubPort ${id} on trunk ${item['id']} could not be found.`;
          throw neutronRefusal(404, 'SubPortNotFound', message);
        }
        item['sub_ports'] = subportsOf(item).filter(({ port_id: id }) => !gone.includes(String(id)));
        for (const id of gone) release(id, store);
        bump(item, store);
        return { ...item };
      },
    },
  };
}

/** Refuses to remove a port that a trunk stands on or carries. */
export function refuseTrunked(portId: string, store: Store): void {
  const parent = parentOf(portId, store);
  if (parent !== undefined) {
    const message = `Port ${portId} is currently a parent port for trunk ${parent['id']}.`;
    throw neutronRefusal(409, 'PortInUseAsTrunkParent', message);
  }
  const carrier = carrierOf(portId, store);
  if (carrier === undefined) return;
  const message = `Port ${portId} is currently a subport for trunk ${carrier['id']}.`;
  throw neutronRefusal(409, 'PortInUseAsSubPort', message);
}

function subportsOf(trunk: JsonObject): readonly JsonObject[] {
  return (trunk['sub_ports'] ?? []) as readonly JsonObject[];
}

/** New subports as they are kept. @throws what Neutron says to them */
function checked(trunk: Item, wanted: readonly JsonObject[], store: Store): readonly JsonObject[] {
  const kept: JsonObject[] = [];
  for (const { port_id: portId, segmentation_id: id, segmentation_type: type } of wanted) {
    const port = store.collection(CollectionName.Ports).get(String(portId));
    if (port === undefined) throw notFound({ singular: 'port' }, String(portId));
    const network = store.collection(CollectionName.Networks).get(String(port['network_id']));
    const kind = type === 'inherit' ? network?.['provider:network_type'] : type;
    if (kind !== 'vlan') throw invalidInput(`Unknown segmentation_type '${kind}'`);
    const number = type === 'inherit' ? network?.['provider:segmentation_id'] : id;
    if (!/^-?\d+$/.test(String(number)))
      throw invalidInput(`Invalid subport details: segmentation_id '${number}' is not an integer`);
    if (Number(number) < 1 || Number(number) > HIGHEST_VLAN)
      throw invalidInput(`Segmentation ID '${number}' is not in range`);
    if (parentOf(String(portId), store) !== undefined || trunk['port_id'] === portId) throw ineligible(String(portId));
    refuseCarried(String(portId), store);
    const all = [...subportsOf(trunk), ...kept];
    if (all.some(({ segmentation_id: other }) => other === Number(number))) {
      const what = `segmentation_type ${kind} and segmentation_id ${number}`;
      throw neutronRefusal(409, 'DuplicateSubPort', `${what} already in use on trunk ${trunk['id']}.`);
    }
    kept.push({ port_id: portId ?? null, segmentation_type: kind, segmentation_id: Number(number) });
  }
  return kept;
}

function take(trunk: Item, store: Store): void {
  for (const { port_id: id } of subportsOf(trunk)) {
    const port = store.collection(CollectionName.Ports).get(String(id));
    if (port === undefined || port['device_owner'] === SUBPORT_OWNER) continue;
    Object.assign(port, { device_owner: SUBPORT_OWNER });
    bump(port, store);
  }
}

function release(portId: string, store: Store): void {
  const port: Item | undefined = store.collection(CollectionName.Ports).get(portId);
  if (port === undefined) return;
  Object.assign(port, { device_owner: '' });
  bump(port, store);
}

function parentOf(portId: string, store: Store): Item | undefined {
  return store.sorted(CollectionName.Trunks).find((trunk) => trunk['port_id'] === portId);
}

function carrierOf(portId: Json, store: Store): Item | undefined {
  return store
    .sorted(CollectionName.Trunks)
    .find((trunk) => subportsOf(trunk).some(({ port_id: id }) => id === portId));
}

function refuseCarried(portId: string, store: Store): void {
  if (carrierOf(portId, store) === undefined) return;
  throw neutronRefusal(409, 'TrunkPortInUse', `Port ${portId} is in use by another trunk.`);
}

function ineligible(portId: string): Error {
  const message = `Port ${portId} is currently in use and is not eligible for use as a parent port.`;
  return neutronRefusal(409, 'ParentPortInUse', message);
}

function refuseDisabled(trunk: Item): void {
  if (trunk['admin_state_up'] === false)
    throw neutronRefusal(409, 'TrunkDisabled', `Trunk ${trunk['id']} is currently disabled.`);
}
