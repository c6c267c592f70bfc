// What Ironic is asked, as a table: each method and path, and how success is answered.
//
// Invariants:
//   IRONIC-ENDPOINTS-1. Nothing is sent that is not in the table, and no part of a path leads elsewhere.
import { TerminalError } from '../../../bus/errors.ts';
import type { Extent } from '../../http/response.ts';
import { Feature } from './versions.ts';

export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path template; `{}` is replaced by a uuid or a name. */
  readonly path: string;
  readonly success: readonly number[];
  /** Maximum size of a response; that of one usual resource by default. */
  readonly extent?: Extent;
  /** Shape of a successful response; an object, or nothing, by default. */
  readonly shape?: 'object' | 'list';
  /** Member of each page that holds the list; only for paged lists. */
  readonly pages?: string;
  /** Without it Ironic does not know the path. */
  readonly feature?: Feature;
}

export const ENDPOINTS = {
  createNode: { method: 'POST', path: '/v1/nodes', success: [201] },
  listNodes: { method: 'GET', path: '/v1/nodes', success: [200], extent: 'page', pages: 'nodes' },
  getNode: { method: 'GET', path: '/v1/nodes/{}', success: [200] },
  patchNode: { method: 'PATCH', path: '/v1/nodes/{}', success: [200] },
  deleteNode: { method: 'DELETE', path: '/v1/nodes/{}', success: [204] },
  validateNode: { method: 'GET', path: '/v1/nodes/{}/validate', success: [200] },
  setProvisionState: { method: 'PUT', path: '/v1/nodes/{}/states/provision', success: [202] },
  setPowerState: { method: 'PUT', path: '/v1/nodes/{}/states/power', success: [202] },
  setRaid: { method: 'PUT', path: '/v1/nodes/{}/states/raid', success: [204] },
  setMaintenance: { method: 'PUT', path: '/v1/nodes/{}/maintenance', success: [202] },
  clearMaintenance: { method: 'DELETE', path: '/v1/nodes/{}/maintenance', success: [202] },
  // The responses about a machine with hundreds of disks and ports are longer than any other response about one node.
  getInventory: { method: 'GET', path: '/v1/nodes/{}/inventory', success: [200], extent: 'page' },
  listBiosSettings: { method: 'GET', path: '/v1/nodes/{}/bios', success: [200], extent: 'page' },
  listHistory: { method: 'GET', path: '/v1/nodes/{}/history', success: [200], extent: 'page' },
  listFirmware: {
    method: 'GET',
    path: '/v1/nodes/{}/firmware',
    success: [200],
    feature: Feature.FirmwareComponents,
  },
  listVirtualMedia: {
    method: 'GET',
    path: '/v1/nodes/{}/vmedia',
    success: [200],
    shape: 'list',
    feature: Feature.VirtualMediaQuery,
  },
  attachVirtualMedia: { method: 'POST', path: '/v1/nodes/{}/vmedia', success: [204], feature: Feature.VirtualMedia },
  detachVirtualMedia: { method: 'DELETE', path: '/v1/nodes/{}/vmedia', success: [204], feature: Feature.VirtualMedia },
  createSubscription: { method: 'POST', path: '/v1/nodes/{}/vendor_passthru', success: [200] },
  listSubscriptions: { method: 'GET', path: '/v1/nodes/{}/vendor_passthru', success: [200], extent: 'page' },
  getSubscription: { method: 'GET', path: '/v1/nodes/{}/vendor_passthru', success: [200] },
  deleteSubscription: { method: 'DELETE', path: '/v1/nodes/{}/vendor_passthru', success: [200, 202, 204] },
  listPorts: { method: 'GET', path: '/v1/ports', success: [200], extent: 'page', pages: 'ports' },
  createPort: { method: 'POST', path: '/v1/ports', success: [201] },
  listDrivers: { method: 'GET', path: '/v1/drivers', success: [200] },
} as const satisfies Record<string, Endpoint>;

/** Which `{}` is filled with: UUIDs and names, all of unreserved characters. @see RFC 3986, 2.3 */
// mutant: ironic-ident-elsewhere / -> new RegExp($.source.replace(/\(.*?\)/, ''))
const IDENT = /^(?!\.{1,2}$)[A-Za-z0-9._~-]{1,255}$/;

export function isIdent(text: string): boolean {
  return IDENT.test(text);
}

/** As Ironic writes them. */
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** Ironic looks such a text up among UUIDs, never among names. @see oslo.utils: uuidutils.is_uuid_like */
export function isUuidLike(text: string): boolean {
  return /^[0-9a-f]{32}$/i.test(text.replaceAll('-', ''));
}

/** The path of an endpoint about a node. @param ident  uuid or name @throws {TerminalError} it is neither */
export function pathOf({ path }: Endpoint, ident: string): string {
  // Not quoted: it may be anything.
  if (!isIdent(ident)) throw new TerminalError('the uuid or name of a node holds characters that none has');
  return path.replace('{}', ident);
}

/** The endpoint that a method and a path without its query are of. @throws {TerminalError} there is none */
export function endpointOf(method: string, path: string): Endpoint {
  const found = Object.values<Endpoint>(ENDPOINTS).find(
    (endpoint) => endpoint.method === method && isOf(endpoint.path.split('/'), path.split('/')),
  );
  if (found === undefined) throw new TerminalError('Ironic has no such path, or a node no such uuid or name');
  return found;
}

function isOf(pattern: readonly string[], segments: readonly string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, index) => (part === '{}' ? isIdent(segments[index] ?? '') : part === segments[index]))
  );
}
