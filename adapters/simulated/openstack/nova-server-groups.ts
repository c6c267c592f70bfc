// Server groups of the simulated Nova.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import type { Reply, SimulatedRequest, TokenRecord } from './exchange.ts';
import {
  checkChoice,
  checkMembers,
  checkName,
  checkNumber,
  invalid,
  member,
  notAllowed,
  novaRefusal,
} from './nova-answers.ts';
import type { NovaCollection, NovaDeps } from './nova-resource.ts';
import { CollectionName, type Item } from './store.ts';
import { asObject } from './tokens.ts';

const POLICIES = ['anti-affinity', 'affinity', 'soft-anti-affinity', 'soft-affinity'];

export function serverGroups({ store, maxPageSize }: NovaDeps): NovaCollection {
  const all = store.collection(CollectionName.ServerGroups);
  const show = (group: Item): JsonObject => {
    const members = [...store.collection(CollectionName.Servers).values()].flatMap(
      ({ id = null, server_groups: of }) => (Array.isArray(of) && of.includes(group['id'] ?? null) ? [id] : []),
    );
    return { ...group, members };
  };
  return (request, speaker) => {
    const [, id] = request.segments;
    if (id === undefined) {
      if (request.method === 'POST') return create(request, speaker);
      if (request.method !== 'GET') throw notAllowed();
      const own = [...all.values()].filter((group) => group['project_id'] === speaker.projectId);
      const [offset, limit] = ['offset', 'limit'].map((key) => Number(request.query.get(key) ?? 0));
      const size = Math.min(limit || maxPageSize, maxPageSize);
      // These lists are cut and name no next page.
      return { status: 200, body: { server_groups: own.slice(offset, Number(offset) + size).map(show) } };
    }
    const group = all.get(id);
    if (group === undefined) throw novaRefusal(404, `Instance group ${id} could not be found.`);
    if (request.method === 'GET') return { status: 200, body: { server_group: show(group) } };
    if (request.method !== 'DELETE') throw notAllowed();
    all.delete(id);
    return { status: 204 };
  };

  function create(request: SimulatedRequest, speaker: TokenRecord): Reply {
    const given = member(request, 'server_group');
    checkMembers('server_group', given, { required: ['name', 'policy'], allowed: ['name', 'policy', 'rules'] });
    const name = checkName('name', given['name']);
    const policy = checkChoice('policy', given['policy'], POLICIES);
    const rules = rulesOf(given['rules']);
    if (policy !== 'anti-affinity' && Object.keys(rules).length > 0)
      throw novaRefusal(400, 'Only anti-affinity policy supports rules.');
    const id = store.newUuid();
    const group: Item = { id, name, policy, rules, project_id: speaker.projectId ?? '', user_id: speaker.userId };
    all.set(id, group);
    return { status: 200, body: { server_group: show(group) } };
  }
}

function rulesOf(value: Json | undefined): JsonObject {
  if (value === undefined) return {};
  const rules = asObject(value);
  if (rules === undefined) throw invalid('rules', value, 'it is no object');
  checkMembers('rules', rules, { required: [], allowed: ['max_server_per_host'] });
  const { max_server_per_host: most } = rules;
  return most === undefined ? {} : { max_server_per_host: checkNumber('max_server_per_host', most, 1) };
}
