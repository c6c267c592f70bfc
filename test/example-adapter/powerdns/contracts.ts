// What users write of PowerDNS: zones, records in them, and aliases.
import {
  immutable,
  integer,
  type KindContract,
  list,
  object,
  ref,
  required,
  type Shape,
  secretRef,
  standardColumns,
  standardStatus,
  string,
} from 'troupe/adapter';

export const GROUP = 'powerdns.example.org';

const serverRef = secretRef('serverRef is the Secret of this namespace whose key `api-key` is sent with each call.');
const ttl = integer('ttl in seconds.', { minimum: 1, maximum: 2_147_483_647, default: 3_600 });
const name = (description: string) =>
  required(
    immutable(string(description, { minLength: 1, maxLength: 253, pattern: '^[a-z0-9_*]([a-z0-9_.-]*[a-z0-9])?$' })),
  );
const zoneRef = required(immutable(ref('Zone', 'zoneRef is the Zone that it is in.', { guarded: true })));

function contract(kind: string, plural: string, description: string, spec: Shape, resource: Shape = {}): KindContract {
  return {
    group: GROUP,
    version: 'v1',
    kind,
    plural,
    description,
    categories: ['powerdns'],
    columns: [...standardColumns],
    spec: object(`spec of the ${kind}.`, { serverRef, ...spec }),
    status: standardStatus(resource),
  };
}

export const zoneContract = contract(
  'Zone',
  'zones',
  'Zone is a zone that PowerDNS is the master of.',
  {
    name: name('name of the zone, without the dot at the end.'),
    nameservers: required(
      list('nameservers of the zone, by their names.', string('name of a server.', { minLength: 1, maxLength: 253 }), {
        type: 'set',
        maxItems: 16,
      }),
    ),
  },
  { serial: integer('serial of the zone.', { format: 'int64' }) },
);

export const recordContract = contract('RecordSet', 'recordsets', 'RecordSet is all records of one name and type.', {
  zoneRef,
  name: name('name below the zone; the zone itself is `_`.'),
  type: required(immutable(string('type of the records.', { enum: ['A', 'AAAA', 'MX', 'NS', 'SRV', 'TXT'] }))),
  ttl,
  content: required(
    list('content of each record, as PowerDNS writes it.', string('one record.', { minLength: 1, maxLength: 4_096 }), {
      type: 'set',
      maxItems: 64,
    }),
  ),
});

export const aliasContract = contract('Alias', 'aliases', 'Alias is a name that stands for another one: a CNAME.', {
  zoneRef,
  name: name('name below the zone.'),
  target: required(string('target of the alias, without the dot at the end.', { minLength: 1, maxLength: 253 })),
  ttl,
});
