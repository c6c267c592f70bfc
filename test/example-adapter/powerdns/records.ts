// RecordSet and Alias: a set of records in a zone. The id is `<zone> <name> <type>`; a set has no owner at PowerDNS.
import {
  AbsentError,
  type KubeObject,
  type Observation,
  type StandardOperations,
  standardKind,
  TransientError,
} from 'troupe/adapter';
import type { PowerDns, RecordSet, Request } from './client.ts';
import { aliasContract, recordContract } from './contracts.ts';
import { dotted, RESYNC_MS } from './zones.ts';

const declared = { realm: 'powerdns', resyncMs: RESYNC_MS };
export const recordSet = standardKind({ contract: recordContract, ...declared });
export const alias = standardKind({ contract: aliasContract, ...declared });

/** What an object asks for. */
interface Wanted {
  readonly type: string;
  readonly ttl: number;
  readonly content: readonly string[];
}

interface Place {
  readonly zone: string;
  readonly name: string;
  readonly type: string;
}

export function recordOperations(dns: PowerDns, wantedOf: (object: KubeObject) => Wanted): StandardOperations {
  const placeOf = ({ object, dependencies }: Parameters<StandardOperations['create']>[0]): Place => {
    const { zoneRef, name } = object.spec as { readonly zoneRef: string; readonly name: string };
    const zone = dependencies[`Zone/${zoneRef}`]?.id;
    if (zone === undefined) throw new TransientError(`Zone/${zoneRef} has no id yet`);
    return { zone, name: name === '_' ? zone : `${name}.${zone}`, type: wantedOf(object).type };
  };
  const look = async (request: Request, { zone, name, type }: Place): Promise<Observation | undefined> => {
    const found = (await dns.zone(request, zone))?.rrsets.find((set) => set.name === name && set.type === type);
    return found === undefined ? undefined : observed(found, zone);
  };
  const write = async (request: Request, { zone, name, type }: Place): Promise<void> => {
    const { ttl, content } = wantedOf(request.object);
    const records = content.map((each) => ({ content: each, disabled: false }));
    await dns.change(request, zone, [{ name, type, ttl, changetype: 'REPLACE', records }]);
  };
  return {
    async find(request) {
      const found = await look(request, placeOf(request));
      return { matches: found === undefined ? [] : [found], exact: true };
    },
    async create(request) {
      const place = placeOf(request);
      await write(request, place);
      const made = await look(request, place);
      if (made === undefined) throw new TransientError(`${place.name} was written and is not there`);
      return made;
    },
    observe: (request) => look(request, placed(request.id)),
    async update(request) {
      const { ttl, content } = wantedOf(request.object);
      const { attributes, id } = request.observation;
      const fields = [
        ...(attributes['ttl'] === ttl ? [] : ['ttl']),
        ...(JSON.stringify(attributes['content']) === JSON.stringify([...content].sort()) ? [] : ['content']),
      ];
      if (fields.length > 0) await write(request, placed(id));
      return { changed: fields.length > 0, fields };
    },
    async remove(request) {
      const { zone, name, type } = placed(request.id);
      try {
        await dns.change(request, zone, [{ name, type, changetype: 'DELETE', records: [] }]);
      } catch (error) {
        // With the zone its records have gone.
        if (!(error instanceof AbsentError)) throw error;
      }
    },
  };
}

export const ofRecordSet = ({ spec }: KubeObject): Wanted => spec as unknown as Wanted;
export function ofAlias({ spec }: KubeObject): Wanted {
  const { target, ttl } = spec as { readonly target: string; readonly ttl: number };
  return { type: 'CNAME', ttl, content: [dotted(target)] };
}

function placed(id: string): Place {
  const [zone = '', name = '', type = ''] = id.split(' ');
  return { zone, name, type };
}

function observed({ name, type, ttl, records }: RecordSet, zone: string): Observation {
  const content = records.map((each) => each.content).sort();
  return { id: `${zone} ${name} ${type}`, attributes: { ttl, content }, resource: {}, available: true };
}
