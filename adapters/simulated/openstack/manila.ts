// The simulated Manila: share networks, as API version 2.0 shows them. Nothing is shared, so that none is in use.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { faultRefusal, type Reply, type SimulatedRequest, type TokenRecord } from './exchange.ts';
import { ACCEPTED, absent, member, pageOf, speakerOf } from './storage-lists.ts';
import { CollectionName, type Item, type Store } from './store.ts';
import type { Tokens } from './tokens.ts';

export interface ManilaDeps {
  readonly store: Store;
  readonly tokens: Tokens;
  /** Most items of one answer. */
  readonly maxPageSize: number;
}

/** Members that a network has once it is used. */
const UNUSED = { network_type: null, segmentation_id: null, cidr: null, ip_version: null } as const;
const NETWORK = ['neutron_net_id', 'neutron_subnet_id'] as const;
const UNSAID = faultRefusal(422, 'Unable to process the contained instructions');

/** Makes the handler of all requests below `/v2`. */
export function manila(deps: ManilaDeps): (request: SimulatedRequest) => Reply {
  const { store, tokens } = deps;
  return (request) => {
    const speaker = speakerOf(request, tokens);
    const [collection, id, part] = request.segments;
    if (collection !== 'share-networks' || part !== undefined) throw absent();
    if (id === undefined && request.method === 'POST') return create(request, speaker, store);
    if (id === undefined || (id === 'detail' && request.method === 'GET')) return list(request, speaker, deps);
    const networks = store.collection(CollectionName.ShareNetworks);
    const network = networks.get(id);
    if (network === undefined) throw faultRefusal(404, `Share network ${id} could not be found.`);
    switch (request.method) {
      case 'GET':
        return { status: 200, body: { share_network: shown(network) } };
      case 'PUT': {
        const given = member(request, 'share_network', UNSAID);
        Object.assign(network, given, { id, updated_at: store.nowWithoutZone() });
        return { status: 200, body: { share_network: shown(network) } };
      }
      case 'DELETE':
        networks.delete(id);
        return ACCEPTED;
      default:
        throw absent();
    }
  };
}

function create(request: SimulatedRequest, speaker: TokenRecord, store: Store): Reply {
  const given = member(request, 'share_network', UNSAID);
  const [net, subnet] = NETWORK.map((name) => given[name]);
  if ((net === undefined) !== (subnet === undefined)) {
    const what = 'both neutron_net_id and neutron_subnet_id or none of them';
    throw faultRefusal(400, `When creating a new share network subnet you need to specify ${what}.`);
  }
  const id = store.newUuid();
  const network: Item = {
    id,
    name: given['name'] ?? null,
    description: given['description'] ?? null,
    neutron_net_id: net ?? null,
    neutron_subnet_id: subnet ?? null,
    project_id: speaker.projectId ?? null,
    created_at: store.nowWithoutZone(),
    updated_at: null,
  };
  store.collection(CollectionName.ShareNetworks).set(id, network);
  return { status: 200, body: { share_network: shown(network) } };
}

function list(request: SimulatedRequest, speaker: TokenRecord, { store, maxPageSize }: ManilaDeps): Reply {
  if (request.method !== 'GET') throw absent();
  const { query, segments } = request;
  const everybody = /^(1|true)$/i.test(query.get('all_tenants') ?? '');
  const filters = [...query].filter(([key]) => !['all_tenants', 'limit', 'offset'].includes(key));
  const found = store
    .sorted(CollectionName.ShareNetworks)
    .filter((network) => everybody || network['project_id'] === speaker.projectId)
    .filter((network) => filters.every(([key, value]) => network[key] === value));
  const { page } = pageOf(request, found, maxPageSize);
  const brief = ({ id, name }: Item): JsonObject => ({ id: id ?? '', name: name ?? null });
  return { status: 200, body: { share_networks: page.map(segments[1] === 'detail' ? shown : brief) } };
}

function shown(network: Item): JsonObject {
  const given = (name: string): Json => network[name] ?? null;
  return {
    id: given('id'),
    name: given('name'),
    project_id: given('project_id'),
    created_at: given('created_at'),
    updated_at: given('updated_at'),
    description: given('description'),
    neutron_net_id: given('neutron_net_id'),
    neutron_subnet_id: given('neutron_subnet_id'),
    ...UNUSED,
    nova_net_id: null,
  };
}
