// Zone: what is done at PowerDNS for its objects. The id of a zone is its name with a dot.
import {
  ConflictError,
  type KubeObject,
  type Observation,
  type StandardOperations,
  standardKind,
} from 'troupe/adapter';
import type { PowerDns, Zone } from './client.ts';
import { zoneContract } from './contracts.ts';

export const RESYNC_MS = 60_000;

export const zone = standardKind({ contract: zoneContract, realm: 'powerdns', resyncMs: RESYNC_MS });

interface ZoneSpec {
  readonly name: string;
  readonly nameservers: readonly string[];
}

const specOf = ({ spec }: KubeObject): ZoneSpec => spec as unknown as ZoneSpec;
export const dotted = (name: string): string => `${name}.`;

export function zoneOperations(dns: PowerDns): StandardOperations {
  return {
    // PowerDNS has one account field, which says whose it is: a zone of somebody else is never taken.
    async find(request) {
      const found = await dns.zone(request, dotted(specOf(request.object).name));
      if (found !== undefined && !isOurs(found, request.object))
        throw new ConflictError(`zone '${found.id}' is there already, and is not of this object`);
      return { matches: found === undefined ? [] : [observed(found)], exact: true };
    },
    async create(request) {
      const { name, nameservers } = specOf(request.object);
      const body = {
        name: dotted(name),
        kind: 'Native',
        account: accountOf(request.object),
        nameservers: nameservers.map(dotted),
      };
      return observed(await dns.create(request, body));
    },
    async observe(request) {
      const found = await dns.zone(request, request.id);
      return found === undefined ? undefined : observed(found);
    },
    async update(request) {
      const wanted = specOf(request.object).nameservers.map(dotted).sort();
      if (JSON.stringify(request.observation.attributes['nameservers']) === JSON.stringify(wanted))
        return { changed: false };
      const { id } = request.observation;
      const records = wanted.map((content) => ({ content, disabled: false }));
      await dns.change(request, id, [{ name: id, type: 'NS', ttl: 3_600, changetype: 'REPLACE', records }]);
      return { changed: true, fields: ['nameservers'] };
    },
    remove: (request) => dns.remove(request, request.id),
  };
}

/** 40 characters at most. */
function accountOf({ metadata }: KubeObject): string {
  return metadata.uid;
}

function isOurs(found: Zone, object: KubeObject): boolean {
  return (found as Zone & { readonly account?: string }).account === accountOf(object);
}

function observed({ id, serial, rrsets }: Zone): Observation {
  const servers = rrsets.find(({ name, type }) => name === id && type === 'NS')?.records ?? [];
  const nameservers = servers.map(({ content }) => content).sort();
  return { id, attributes: { nameservers }, resource: { serial }, available: true };
}
