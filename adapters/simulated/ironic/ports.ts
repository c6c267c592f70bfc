// The collection of ports, by which a ramdisk finds its node.
import type { JsonObject } from '../../../bus/json.ts';
import { frameworkRefusal, MAC, objectOf, pythonRepr, type Reply, refusal, type SimulatedRequest } from './exchange.ts';
import { page, refuseUnknown } from './lists.ts';
import { linksOf } from './node-fields.ts';
import { type Item, isUuid, type Records } from './records.ts';

export interface PortsDeps {
  readonly records: Records;
  readonly maxLimit: number;
}

const SUMMARY: readonly string[] = ['uuid', 'address'];

/** Requests to `/ports` and `/ports/<id>`. */
export function ports(request: SimulatedRequest, deps: PortsDeps): Reply {
  const { method, segments } = request;
  const [, id] = segments;
  const { records } = deps;
  if (id === undefined) {
    if (method === 'GET') return { status: 200, body: listPorts(request, filtered(request, records), deps) };
    if (method === 'POST') return create(request, records);
    throw frameworkRefusal(405);
  }
  const port = records.ports.get(id);
  if (port === undefined) throw refusal(404, `Port ${id} could not be found.`);
  if (method === 'GET') return { status: 200, body: show(port, undefined, request) };
  if (method !== 'DELETE') throw frameworkRefusal(405);
  records.ports.delete(id);
  return { status: 204 };
}

/** @throws {Refusal} 400 */
export function listPorts(request: SimulatedRequest, items: readonly Item[], { maxLimit }: PortsDeps): JsonObject {
  refuseUnknown(request, ['node', 'node_uuid', 'address']);
  const { query } = request;
  const asked = query.get('fields')?.split(',');
  const isDetailed = /^true$/i.test(query.get('detail') ?? '');
  if (asked !== undefined && isDetailed) {
    throw refusal(400, 'Can not specify ?detail=True and fields in the same request.');
  }
  const fields = isDetailed ? undefined : (asked ?? SUMMARY);
  const named = fields === undefined ? '&detail=True' : `&fields=${fields.join(',')}`;
  return page(request, { name: 'ports', items, fields: named, maxLimit, show: (item) => show(item, fields, request) });
}

function filtered({ query }: SimulatedRequest, records: Records): readonly Item[] {
  const address = query.get('address');
  if (address !== null && !MAC.test(address)) throw refusal(400, `Expected valid MAC address for address: ${address}`);
  const uuid = query.get('node_uuid');
  if (uuid !== null && !isUuid(uuid)) throw refusal(400, `Expected UUID for node_uuid: ${uuid}`);
  const ident = uuid ?? query.get('node');
  const of = ident === null ? undefined : records.node(ident).item['uuid'];
  return [...records.ports.values()].filter(
    (port) =>
      (address === null || port['address'] === address.toLowerCase()) && (of === undefined || port['node_uuid'] === of),
  );
}

function show(port: Item, fields: readonly string[] | undefined, { origin }: SimulatedRequest): JsonObject {
  const names = fields ?? Object.keys(port);
  for (const name of names) if (!Object.hasOwn(port, name)) throw refusal(400, `Field(s) "${name}" are not valid`);
  const shown = Object.fromEntries(names.map((name) => [name, port[name] ?? null]));
  return { ...shown, links: linksOf(origin, `ports/${port['uuid']}`) };
}

function create(request: SimulatedRequest, records: Records): Reply {
  const body = objectOf(request);
  const { address, node_uuid: node, pxe_enabled: pxe = true } = body;
  if (address === undefined) throw refusal(400, "Schema error for port: 'address' is a required property");
  if (node === undefined) {
    const cause = "Possible root cause: 'node_ident' is a required property";
    const what = `${pythonRepr(body)} is not valid under any of the given schemas`;
    throw refusal(400, `Schema error for port: ${what}. ${cause}`);
  }
  if (typeof address !== 'string' || !MAC.test(address)) {
    throw refusal(
      400,
      `Expected valid MAC address for address: ${typeof address === 'string' ? address : pythonRepr(address)}`,
    );
  }
  const record = records.nodes.get(String(node));
  if (record === undefined) throw refusal(400, `Node ${String(node)} could not be found.`);
  if ([...records.ports.values()].some((port) => port['address'] === address.toLowerCase())) {
    throw refusal(409, `A port with MAC address ${address.toLowerCase()} already exists.`);
  }
  const port = records.addPort(record.item['uuid'] ?? null, address, pxe === true);
  const headers = { Location: `${request.origin}/v1/ports/${port['uuid']}` };
  return { status: 201, body: show(port, undefined, request), headers };
}
