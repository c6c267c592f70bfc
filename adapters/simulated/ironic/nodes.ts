// The collection of nodes: POST, GET, PATCH, DELETE.
import type { Json, JsonObject } from '../../../bus/json.ts';
import type { Conductor } from './conductor.ts';
import {
  asObject,
  frameworkRefusal,
  notAcceptable,
  objectOf,
  pythonRepr,
  type Reply,
  refusal,
  type SimulatedRequest,
} from './exchange.ts';
import { chooseInterfaces, INTERFACE_KINDS, refuseDriver } from './hardware-types.ts';
import { applyPatch, parsePatch, schemaError } from './json-patch.ts';
import { page, refuseUnknown } from './lists.ts';
import { BOOLEAN_FIELDS, newNode, OBJECT_FIELDS, PATCHABLE, showNode, shownBy } from './node-fields.ts';
import { type Item, isUuid, type NodeRecord, type Records } from './records.ts';
import { CHANGEABLE, DELETABLE, INTERFACES_CHANGEABLE, TRANSITIONS } from './states.ts';
import { hasField } from './versions.ts';

export interface NodesDeps {
  readonly records: Records;
  readonly conductor: Conductor;
  readonly drivers: readonly string[];
  readonly maxLimit: number;
}

const FILTERS: readonly string[] = [
  'driver',
  'provision_state',
  'fault',
  'resource_class',
  'maintenance',
  'associated',
  'instance_uuid',
  'shard',
];
const NAME = /^[a-zA-Z0-9\-._~]+$/;
const SAMPLE = newNode('', '');

/** Requests to `/nodes` and `/nodes/<id>`. */
export function nodes(request: SimulatedRequest, deps: NodesDeps): Reply {
  const { method, segments, minor } = request;
  const [, ident] = segments;
  if (ident === undefined) {
    if (method === 'GET') return list(request, deps);
    if (method === 'POST') return create(request, deps);
    if (method === 'DELETE' || method === 'PATCH') throw refusal(400, 'Missing mandatory parameter: node_ident');
    throw frameworkRefusal(405);
  }
  refuseIdent(ident);
  if (method === 'GET') {
    const { item } = deps.records.node(ident, minor);
    return { status: 200, body: showNode(item, shownBy(request, 'all', SAMPLE), request) };
  }
  if (method === 'PATCH') return patch(ident, request, deps);
  if (method === 'DELETE') return remove(deps.records.node(ident, minor), deps);
  throw frameworkRefusal(405);
}

/** @throws {Refusal} 400: no UUID and no name */
export function refuseIdent(ident: string): void {
  if (!isUuid(ident) && !NAME.test(ident)) throw frameworkRefusal(400, `Expected UUID or name for node: ${ident}`);
}

function list(request: SimulatedRequest, { records, maxLimit }: NodesDeps): Reply {
  refuseUnknown(request, FILTERS);
  const { query } = request;
  const shown = shownBy(request, 'summary', SAMPLE);
  const state = query.get('provision_state');
  if (state !== null && !Object.hasOwn(TRANSITIONS, state)) {
    throw refusal(400, `Provision state "${state}" is not valid`);
  }
  const items = [...records.nodes.values()].map(({ item }) => item).filter((item) => matches(item, query));
  const fields = shown === 'all' ? '&detail=True' : `&fields=${shown.join(',')}`;
  const show = (item: Item): JsonObject => showNode(item, shown, request);
  return { status: 200, body: page(request, { name: 'nodes', items, fields, maxLimit, show }) };
}

function matches(item: Item, query: URLSearchParams): boolean {
  return FILTERS.every((name) => {
    const wanted = query.get(name);
    if (wanted === null) return true;
    const isTrue = /^(1|t|true|on|y|yes)$/i.test(wanted);
    if (name === 'maintenance') return item['maintenance'] === isTrue;
    if (name === 'associated') return (item['instance_uuid'] !== null) === isTrue;
    return item[name] === wanted;
  });
}

function create(request: SimulatedRequest, { records, drivers }: NodesDeps): Reply {
  const body = objectOf(request);
  const now = records.now();
  const invalid = (message: string): Error => refusal(400, `Schema error for node: ${message}`);
  if (!Object.hasOwn(body, 'driver')) throw invalid("'driver' is a required property");
  for (const [name, value] of Object.entries(body)) {
    if (name !== 'uuid' && !PATCHABLE.includes(name)) {
      throw invalid(`Additional properties are not allowed ('${name}' was unexpected)`);
    }
    refuseType(name, value, invalid);
    if (!hasField(name, request.minor)) throw notAcceptable();
  }
  const { uuid = null, name = null } = body;
  const id = uuid === null ? records.newUuid() : String(uuid);
  const item: Item = { ...newNode(id, now), ...normalized(body), uuid: id };
  if (name !== null && !NAME.test(String(name))) throw refusal(400, `Cannot create node with invalid name '${name}'`);
  if (request.minor < 11) item['provision_state'] = 'available';
  refuseDriver(item['driver'], drivers);
  chooseInterfaces(item);
  if (records.nodes.has(id)) throw refusal(409, `A node with UUID ${id} already exists.`);
  refuseTaken(item, undefined, records);
  records.addNode(item);
  const headers = { Location: `${request.origin}/v1/nodes/${id}` };
  return { status: 201, body: showNode(item, 'all', request), headers };
}

/** Null is an empty object, or the default. */
function normalized(body: Readonly<Record<string, Json>>): Record<string, Json> {
  const entries = Object.entries(body).map(([name, value]): [string, Json] => {
    if (value !== null) return [name, value];
    return [name, OBJECT_FIELDS.includes(name) ? {} : BOOLEAN_FIELDS.includes(name) ? false : null];
  });
  return Object.fromEntries(entries);
}

function refuseType(name: string, value: Json, invalid: (message: string) => Error): void {
  if (value === null) return;
  const isObject = asObject(value) !== undefined;
  if (OBJECT_FIELDS.includes(name) && !isObject) throw invalid(`${pythonRepr(value)} is not of type 'object', 'null'`);
  if (name === 'name' && typeof value !== 'string')
    throw invalid(`${pythonRepr(value)} is not of type 'string', 'null'`);
  if (name === 'instance_uuid' && (typeof value !== 'string' || !isUuid(value))) {
    throw refusal(400, `Expected UUID for instance_uuid: ${typeof value === 'string' ? value : pythonRepr(value)}`);
  }
}

/** Names and instances belong to one node each. @throws {Refusal} 409 */
function refuseTaken(item: Item, self: NodeRecord | undefined, records: Records): void {
  for (const other of records.nodes.values()) {
    if (other === self) continue;
    if (item['name'] !== null && other.item['name'] === item['name']) {
      throw refusal(409, `A node with name ${item['name']} already exists.`);
    }
    if (item['instance_uuid'] !== null && other.item['instance_uuid'] === item['instance_uuid']) {
      const what = `Instance ${item['instance_uuid']} is already associated with a node`;
      throw refusal(409, `${what}, it cannot be associated with this other node ${item['uuid']}`);
    }
  }
}

function patch(ident: string, request: SimulatedRequest, deps: NodesDeps): Reply {
  const { records, conductor, drivers } = deps;
  if (request.unreadable !== undefined) throw refusal(500, request.unreadable);
  const operations = parsePatch(request.body, PATCHABLE);
  if (operations.some(({ keys: [name = ''] }) => !hasField(name, request.minor))) throw notAcceptable();
  const record = records.node(ident, request.minor);
  const { item } = record;
  const isFreed =
    operations.length === 1 && operations[0]?.op === 'remove' && operations[0].keys[0] === 'instance_uuid';
  if (item['maintenance'] !== true || !isFreed) refuseState(ident, record);
  for (const { keys, value, op } of operations) {
    if (keys[0] === 'name' && op !== 'remove' && value !== null && !NAME.test(String(value))) {
      throw refusal(400, `Node ${ident}: Cannot change name to invalid name '${value}'`);
    }
  }
  const known = Object.fromEntries(PATCHABLE.map((name) => [name, item[name] ?? null]));
  const patched = applyPatch(known, operations);
  if (!Object.hasOwn(patched, 'driver')) throw schemaError("'driver' is a required property");
  const removed = PATCHABLE.filter((name) => !Object.hasOwn(patched, name));
  const defaults = Object.fromEntries(removed.map((name) => [name, SAMPLE[name] ?? null]));
  for (const [name, value] of Object.entries(patched)) refuseType(name, value, schemaError);
  const next: Item = { ...item, ...normalized(patched), ...defaults };
  refuseDriver(next['driver'], drivers);
  const changed = PATCHABLE.filter((name) => JSON.stringify(next[name]) !== JSON.stringify(item[name]));
  refuseInterfaces(changed, item);
  chooseInterfaces(next);
  conductor.refuseLocked(record);
  if (changed.includes('instance_uuid') && next['instance_uuid'] !== null && item['instance_uuid'] !== null) {
    throw refusal(409, `Node ${item['uuid']} is associated with instance ${item['instance_uuid']}.`);
  }
  refuseTaken(next, record, records);
  Object.assign(item, next, { updated_at: records.now() });
  if (changed.includes('maintenance') && item['maintenance'] === false) {
    Object.assign(item, { maintenance_reason: null, fault: null });
  }
  // The answer is made while the conductor still holds the node.
  const held = { ...item, reservation: item['conductor'] ?? null };
  return { status: 200, body: showNode(held, 'all', request) };
}

function refuseState(ident: string, { item }: NodeRecord): void {
  const state = String(item['provision_state']);
  if (item['target_provision_state'] !== null && !CHANGEABLE.has(state)) {
    throw refusal(409, `Node ${ident} can not be updated while a state transition is in progress.`);
  }
  if (state === 'inspecting') {
    throw refusal(409, `Cannot update node "${item['uuid']}" while it is in state "${state}".`);
  }
}

function refuseInterfaces(changed: readonly string[], item: Item): void {
  const state = String(item['provision_state']);
  if (item['maintenance'] === true || INTERFACES_CHANGEABLE.includes(state)) return;
  const field = INTERFACE_KINDS.map((kind) => `${kind}_interface`).find((name) => changed.includes(name));
  if (field === undefined) return;
  const allowed = `one of allowed (${INTERFACES_CHANGEABLE.join(', ')}) states or in maintenance mode`;
  const what = `Node ${item['uuid']} can not have ${field} updated unless it is in ${allowed}.`;
  throw refusal(409, `${what} Current state is '${state}'.`);
}

function remove(record: NodeRecord, { records, conductor }: NodesDeps): Reply {
  const { item } = record;
  conductor.refuseLocked(record);
  if (item['maintenance'] !== true) {
    const { uuid, instance_uuid: instance, provision_state: state } = item;
    if (instance !== null) throw refusal(409, `Node ${uuid} is associated with instance ${instance}.`);
    if (!DELETABLE.includes(String(state))) {
      const valid = `(${DELETABLE.map((each) => `'${each}'`).join(', ')})`;
      const what = `Can not delete node "${uuid}" while it is in provision state "${state}".`;
      const where = `Valid provision states to perform deletion are: "${valid}", or set the node into maintenance mode`;
      throw refusal(409, `${what} ${where}`);
    }
  }
  records.removeNode(record);
  return { status: 204 };
}
