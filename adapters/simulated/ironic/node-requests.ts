// Resources below a node: its states, maintenance, validation, inventory, BIOS, firmware, media, subscriptions, history.
import type { Json, JsonObject } from '../../../bus/json.ts';
import type { Conductor } from './conductor.ts';
import { deployProblem } from './deploying.ts';
import { asObject, frameworkRefusal, objectOf, type Reply, refusal, type SimulatedRequest } from './exchange.ts';
import type { Machine } from './machines.ts';
import { linksOf } from './node-fields.ts';
import { refuseIdent } from './nodes.ts';
import { listPorts } from './ports.ts';
import { changePowerState, changeProvisionState } from './provisioning.ts';
import type { Item, NodeRecord, Records } from './records.ts';

export interface NodeRequestsDeps {
  readonly records: Records;
  readonly conductor: Conductor;
  readonly maxLimit: number;
}

type Handler = (record: NodeRecord, request: SimulatedRequest, deps: NodeRequestsDeps) => Reply;

/** Keyed by method and path below a node, with the microversion that brought it. */
const ROUTES: Readonly<Record<string, readonly [since: number, handler: Handler]>> = {
  'GET states': [1, (record) => ok(stateOf(record.item))],
  'PUT states/provision': [1, (record, request, { conductor }) => changeProvisionState(record, request, conductor)],
  'PUT states/power': [1, (record, request, { conductor }) => changePowerState(record, request, conductor)],
  'PUT states/raid': [12, setRaid],
  'PUT maintenance': [1, (record, request, deps) => maintain(record, deps, objectOf(request)['reason'] ?? null)],
  'DELETE maintenance': [1, (record, _request, deps) => maintain(record, deps)],
  'GET validate': [1, (record) => ok(validate(record))],
  'GET ports': [1, listOwnPorts],
  'GET inventory': [81, (record) => ok(inventoryOf(record))],
  'GET bios': [40, listBios],
  'GET firmware': [86, (record) => ok({ firmware: record.firmware.map((each) => ({ ...each })) })],
  'GET vmedia': [93, showMedia],
  'POST vmedia': [89, attachMedia],
  'DELETE vmedia': [89, detachMedia],
  'GET history': [78, listHistory],
  'POST vendor_passthru': [1, subscribe],
  'DELETE vendor_passthru': [1, unsubscribe],
  'GET vendor_passthru': [1, showSubscriptions],
};

/** Requests to `/nodes/<id>/...`. */
export function nodeRequests(request: SimulatedRequest, deps: NodeRequestsDeps): Reply {
  const [, ident = '', ...below] = request.segments;
  refuseIdent(ident);
  const path = below.join('/');
  const key = `${request.method} ${path}`;
  const [since, handler] = (Object.hasOwn(ROUTES, key) ? ROUTES[key] : undefined) ?? [];
  if (handler === undefined || since === undefined) {
    if (Object.keys(ROUTES).some((route) => route.endsWith(` ${path}`))) throw frameworkRefusal(405);
    throw refusal(400, `Field ${path} is not a valid field.`);
  }
  if (request.minor < since)
    throw path === 'vmedia' ? refusal(404, 'The resource could not be found.') : frameworkRefusal(404);
  return handler(deps.records.node(ident, request.minor), request, deps);
}

function ok(body: Json): Reply {
  return { status: 200, body };
}

const STATES = [
  'console_enabled',
  'last_error',
  'power_state',
  'provision_state',
  'target_power_state',
  'target_provision_state',
  'provision_updated_at',
  'raid_config',
  'target_raid_config',
  'boot_mode',
  'secure_boot',
];

function stateOf(item: Item): JsonObject {
  return Object.fromEntries(STATES.map((name) => [name, item[name] ?? null]));
}

function setRaid(record: NodeRecord, request: SimulatedRequest, { conductor }: NodeRequestsDeps): Reply {
  const body = objectOf(request);
  const { item } = record;
  if (item['raid_interface'] === 'no-raid') {
    throw refusal(400, `Driver ${item['driver']} does not support raid (disabled or not implemented).`);
  }
  const disks = body['logical_disks'] ?? [];
  for (const disk of Array.isArray(disks) ? disks : []) {
    const { size_gb: size } = asObject(disk) ?? {};
    if (typeof size === 'number' || size === 'MAX') continue;
    const shown = typeof size === 'string' ? `'${size}'` : String(size);
    throw refusal(400, `RAID config validation error: ${shown} is not one of ['MAX']`);
  }
  conductor.refuseLocked(record);
  item['target_raid_config'] = body;
  return { status: 204 };
}

/** @param reason  undefined: it leaves maintenance */
function maintain(record: NodeRecord, { conductor }: NodeRequestsDeps, reason?: Json): Reply {
  conductor.refuseLocked(record);
  const { item } = record;
  item['maintenance'] = reason !== undefined;
  item['maintenance_reason'] = reason ?? null;
  if (reason === undefined) item['fault'] = null;
  return { status: 202 };
}

function validate({ item }: NodeRecord): JsonObject {
  const good = { result: true };
  const missing = (kind: string): JsonObject => ({
    result: false,
    reason: `Driver ${item['driver']} does not support ${kind} (disabled or not implemented).`,
  });
  const ofKind = (kind: string): JsonObject =>
    String(item[`${kind}_interface`]).startsWith('no-') ? missing(kind) : good;
  const problem = deployProblem(item);
  const power = missingInfo(item);
  const bmc = power === undefined ? good : { result: false, reason: power };
  const kinds = ['network', 'bios', 'console', 'firmware', 'inspect', 'raid', 'rescue', 'storage'];
  return {
    boot: bmc,
    deploy: problem === undefined ? good : { result: false, reason: problem },
    management: bmc,
    power: bmc,
    ...Object.fromEntries(kinds.map((kind) => [kind, ofKind(kind)])),
  };
}

/** Fields that a driver requires. */
function missingInfo(item: Item): string | undefined {
  const info = asObject(item['driver_info']) ?? {};
  const name = { ipmi: 'ipmi_address', redfish: 'redfish_address', idrac: 'redfish_address' }[String(item['driver'])];
  if (name === undefined || info[name] !== undefined) return undefined;
  return `Missing ${item['driver']} properties in driver_info: ['${name}']`;
}

function listOwnPorts({ item }: NodeRecord, request: SimulatedRequest, deps: NodeRequestsDeps): Reply {
  // Ironic searches a port group by name, and finds none.
  if (request.segments[1] !== item['uuid']) throw refusal(404, 'Portgroup None could not be found.');
  return ok(listPorts(request, deps.records.portsOf(item['uuid']), deps));
}

function inventoryOf({ inventory, row }: NodeRecord): JsonObject {
  if (inventory === undefined) throw refusal(404, `Node inventory record for node ${row} could not be found.`);
  return inventory;
}

const BIOS_SUMMARY = ['created_at', 'updated_at', 'name', 'value'];

function listBios({ bios, item }: NodeRecord, { query, origin }: SimulatedRequest): Reply {
  const isDetailed = /^true$/i.test(query.get('detail') ?? '');
  const shown = bios.map((setting) => {
    const names = isDetailed ? Object.keys(setting) : BIOS_SUMMARY;
    const fields = names.map((name): [string, Json] => [name, setting[name] ?? null]);
    return { ...Object.fromEntries(fields), links: linksOf(origin, `nodes/${item['uuid']}/bios/${setting['name']}`) };
  });
  return ok({ bios: shown });
}

function listHistory({ history, item }: NodeRecord, { query, origin }: SimulatedRequest): Reply {
  const isDetailed = /^true$/i.test(query.get('detail') ?? '');
  const shown = history.map(({ event_type: type = null, conductor = null, user = null, ...summary }) => ({
    ...summary,
    ...(isDetailed ? { event_type: type, conductor, user } : {}),
    links: linksOf(origin, `nodes/${item['uuid']}/history/${summary['uuid']}`).slice(0, 1),
  }));
  return ok({ history: shown });
}

/** @throws {Refusal} 400 of fake hardware, 500 of a BMC that does not answer */
function bmcOf({ item }: NodeRecord, conductor: Conductor, what: string): Machine {
  const { machine, error } = conductor.machines.reach(item);
  if (machine !== undefined) return machine;
  if (error !== undefined) throw refusal(500, error);
  throw refusal(400, `Driver ${item['driver']} does not support ${what} (disabled or not implemented).`);
}

function showMedia(record: NodeRecord, _request: SimulatedRequest, { conductor }: NodeRequestsDeps): Reply {
  const { media } = bmcOf(record, conductor, 'get_virtual_media');
  return ok([
    { media_types: ['CD', 'DVD'], inserted: media !== null, image: media ?? '' },
    { media_types: ['Floppy', 'USBStick'], inserted: false, image: '' },
  ]);
}

const DEVICES = ['disk', 'cdrom', 'floppy'];

function attachMedia(record: NodeRecord, request: SimulatedRequest, { conductor, records }: NodeRequestsDeps): Reply {
  const { device_type: device, image_url: url } = objectOf(request);
  const invalid = (message: string): Error => refusal(400, `Schema error for vmedia: ${message}`);
  if (device === undefined) throw invalid("'device_type' is a required property");
  if (!DEVICES.includes(String(device))) throw invalid(`'${device}' is not one of ['disk', 'cdrom', 'floppy']`);
  if (url === undefined) throw invalid("'image_url' is a required property");
  const { item } = record;
  conductor.refuseLocked(record);
  item['last_error'] = null;
  const { machine, error } = conductor.machines.reach(item);
  // The answer comes before the work: an error is recorded.
  const failed = (why: string): void => {
    records.fail(record, `Could not attach device ${device} to node ${item['uuid']}: ${why}`, 'UNKNOWN');
  };
  if (machine === undefined) failed(error ?? `Publishing images is not supported for driver ${item['driver']}`);
  else if (conductor.image(String(url)) === 'missing') failed(`Validation of image href ${url} failed`);
  else machine.media = String(url);
  return { status: 204 };
}

function detachMedia(record: NodeRecord, _request: SimulatedRequest, { conductor }: NodeRequestsDeps): Reply {
  conductor.refuseLocked(record);
  record.item['last_error'] = null;
  const machine = conductor.machineOf(record);
  if (machine !== undefined) machine.media = null;
  return { status: 204 };
}

const SUBSCRIPTIONS = '/redfish/v1/EventService/Subscriptions';

function subscriptionsOf(
  record: NodeRecord,
  { query }: SimulatedRequest,
  conductor: Conductor,
  method: string,
): Machine {
  const asked = query.get('method') ?? '';
  if (asked !== method || record.item['vendor_interface'] === 'fake')
    throw refusal(400, `No handler for method ${asked}`);
  return bmcOf(record, conductor, 'vendor');
}

function subscribe(record: NodeRecord, request: SimulatedRequest, { conductor, records }: NodeRequestsDeps): Reply {
  const machine = subscriptionsOf(record, request, conductor, 'create_subscription');
  const { Destination: destination, Context: context = '', Protocol: protocol = 'Redfish' } = objectOf(request);
  if (destination === undefined) throw refusal(400, "'Destination' is a required property");
  const id = String(Math.max(0, ...[...machine.subscriptions.keys()].map(Number)) + 1);
  const subscription = {
    Id: id,
    Destination: destination,
    Protocol: protocol,
    Context: context,
    EventTypes: ['Alert'],
  };
  machine.subscriptions.set(id, subscription);
  record.item['updated_at'] = records.now();
  return ok(subscription);
}

function unsubscribe(record: NodeRecord, request: SimulatedRequest, { conductor }: NodeRequestsDeps): Reply {
  const machine = subscriptionsOf(record, request, conductor, 'delete_subscription');
  const id = String(objectOf(request)['id'] ?? '');
  if (machine.subscriptions.delete(id)) return { status: 204 };
  throw noSubscription(id);
}

/** A collection of links, or one of them, as the method says. */
function showSubscriptions(record: NodeRecord, request: SimulatedRequest, { conductor }: NodeRequestsDeps): Reply {
  const isOne = request.query.get('method') === 'get_subscription';
  const machine = subscriptionsOf(record, request, conductor, isOne ? 'get_subscription' : 'get_all_subscriptions');
  if (!isOne) {
    const links = [...machine.subscriptions.keys()].map((id) => ({ '@odata.id': `${SUBSCRIPTIONS}/${id}` }));
    return ok({ '@odata.id': SUBSCRIPTIONS, 'Members@odata.count': links.length, Members: links });
  }
  const id = String(objectOf(request)['id'] ?? '');
  const subscription = machine.subscriptions.get(id);
  if (subscription === undefined) throw noSubscription(id);
  return ok(subscription);
}

function noSubscription(id: string): Error {
  return refusal(500, `Redfish exception occurred. Error: Resource ${SUBSCRIPTIONS}/${id} not found`);
}
