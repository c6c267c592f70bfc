// long
// The contracts of all kinds keep the rules of contracts, and kinds on trial show what they do not do.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checkContracts, complaintText } from '../../../adapters/api/contract/check/check.ts';
import { ContractRule, FILTER, fieldsOf, isIn, isLeaf, RESOURCE } from '../../../adapters/api/contract/check/fields.ts';
import { boolean, integer, list, object, type Schema, string } from '../../../adapters/api/contract/contract.ts';
import { equalTo } from '../../../adapters/openstack/base/criteria.ts';
import {
  named,
  observed,
  observedAs,
  observedObject,
  queried,
  queriedAs,
  type ResourceField,
  type StatusField,
  sent,
  sentAs,
  unwritten,
} from '../../../adapters/openstack/base/fields.ts';
import { plain } from '../../../adapters/openstack/base/projection.ts';
import { NEUTRON } from '../../../adapters/openstack/base/services.ts';
import { openstackName, text, texts } from '../../../adapters/openstack/base/values.ts';
import { EXEMPTIONS } from '../../../adapters/openstack/contract-check/exemptions.ts';
import { contractTrial } from '../../../adapters/openstack/contract-check/trial.ts';
import { defineKind } from '../../../adapters/openstack/kinds/kind.ts';
import { KINDS } from '../../../adapters/openstack/kinds/registry.ts';
import type { FilterFields, OpenStackKind, TableKind } from '../../../adapters/openstack/resource/table.ts';
import { isTableKind } from '../../world/attentive.ts';

const test = suite('contracts');

const COMMON = EXEMPTIONS.filter(({ kind }) => kind === '*');

interface Parts {
  readonly resource?: Readonly<Record<string, ResourceField>>;
  readonly filter?: FilterFields;
  readonly status?: Readonly<Record<string, StatusField>>;
  readonly check?: readonly string[];
}

function plugWith({ resource = {}, filter = {}, status = {}, check = [] }: Parts): OpenStackKind {
  return defineKind<Readonly<Record<string, ResourceField>>>({
    kind: 'Plug',
    description: 'Plug is a thing.',
    service: NEUTRON,
    collection: 'plugs',
    member: 'plug',
    resource: { name: named(openstackName('name is what it is called.')), ...resource },
    filter: { name: queried('name', openstackName('name of it.')), ...filter },
    status: { name: observed('name', text('name in Neutron.')), ...status },
    adoption: { query: ['name'], check },
  });
}

async function complaintsAbout(...kinds: readonly OpenStackKind[]): Promise<readonly string[]> {
  const checked = kinds.map((kind) => ({ contract: kind.contract, trial: contractTrial(kind) }));
  return (await checkContracts(checked, COMMON)).map(complaintText);
}

const isString = (value: unknown): value is string => typeof value === 'string';
const size = string('size of it.', { minLength: 1, maxLength: 9 });

test('every kind keeps the rules', async () => {
  const kinds = KINDS.map((kind) => ({ contract: kind.contract, trial: contractTrial(kind) }));
  assert.equal((await checkContracts(kinds, EXEMPTIONS)).map(complaintText), []);
});

test('what tables say is seen on trial', async () => {
  const plug = plugWith({
    resource: {
      size: sent('size', size, { update: 'ignored' }),
      weight: sent('weight', integer('weight in grams.', { minimum: 0 }), { unset: 0 }),
      lit: sent('lit', boolean('lit or not.'), { update: 'whenSet' }),
    },
    filter: { size: queriedAs(size, (value) => [{ ...equalTo('size', value), key: undefined }]) },
    status: {
      tags: observed('tags', texts('tags in Neutron.', { maxItems: 3 })),
      maker: observedObject('maker_name', 'maker of it.', {
        name: observed('maker_name', text('name of the maker.')),
        since: observed('maker_since', string('since when.', { format: 'date-time' })),
        plants: observed('maker_plants', integer('plants of the maker.')),
      }),
    },
    check: ['size'],
  });
  assert.equal(await complaintsAbout(plug), []);
});

test('a field that a table names and nobody sends, asks for or writes', async () => {
  const plug = plugWith({
    resource: { size: sentAs(size, {}, { update: 'whenSet' }) },
    filter: { size: queriedAs(size, () => []) },
    status: { size: unwritten(text('size of it.')) },
  });
  assert.equal(await complaintsAbout(plug), [
    'Plug spec.resource.size changes nothing that is done: implement or remove it (implemented)',
    'Plug spec.import.filter.size changes nothing that is done: implement or remove it (implemented)',
    'Plug status.resource.size is never written: read it from an answer, or remove it (implemented)',
  ]);
});

test('no row of any table is overlooked', async () => {
  const tables = [RESOURCE, FILTER, 'status.resource'];
  for (const kind of KINDS.filter(isTableKind)) {
    const checked = [{ contract: kind.contract, trial: contractTrial(idle(kind)) }];
    const complaints = (await checkContracts(checked, [])).filter(({ rule }) => rule === ContractRule.Implemented);
    const leaves = fieldsOf(kind.contract).filter(({ name, schema }) => name !== undefined && isLeaf(schema));
    assert.equal(
      complaints.map(({ path }) => path).filter((path) => tables.some((table) => isIn(path, table))),
      leaves.map(({ path }) => path).filter((path) => tables.some((table) => isIn(path, table))),
      kind.kind,
    );
  }
});

/** A kind whose tables name their fields and do nothing with them. */
function idle({
  resource,
  filter,
  status,
  kind,
  description,
  service,
  collection,
  member,
  ...rest
}: TableKind): TableKind {
  const each = <Row>(rows: Readonly<Record<string, Row>>, change: (row: Row) => Row): Readonly<Record<string, Row>> =>
    Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, change(row)]));
  return defineKind({
    kind,
    description,
    service,
    collection,
    member,
    adoption: { ...rest.adoption, mark: () => ({}) },
    resource: each(resource, (row) => ({
      ...row,
      role: 'attribute',
      encode: () => ({}),
      initial: {},
      applied: undefined,
    })),
    filter: each(filter, (row) => ({ ...row, criteria: () => [] })),
    status: each(status, (row) => ({ ...row, read: () => undefined })),
  });
}

test('a part of a field that is left out of what is sent', async () => {
  const part = object('A part.', { size, color: string('color of it.', { maxLength: 9 }) });
  const parts = list('parts of it.', part, { type: 'atomic', maxItems: 3 });
  const side = (description: string): Schema<string> => string(description, { maxLength: 9 });
  const sides = { left: side('left one.'), right: side('right one.') };
  const pair = object('pair of colors.', sides, { minProperties: 1 });
  const plug = plugWith({
    resource: {
      pair: sentAs(pair, { left: ({ left = '' }) => left }, { update: 'whenSet' }),
      parts: sentAs(
        parts,
        { parts: (values) => values.map(({ color }) => ({ color: color ?? '' })) },
        { update: 'whenSet' },
      ),
    },
  });
  assert.equal(await complaintsAbout(plug), [
    'Plug spec.resource.pair.right changes nothing that is done: implement or remove it (implemented)',
    'Plug spec.resource.parts[].size changes nothing that is done: implement or remove it (implemented)',
  ]);
});

test('constants of its own, sent and shown', async () => {
  const policy = string('policy of it.', { enum: ['Soft', 'Hard'] });
  const plug = plugWith({
    resource: { policy: sentAs(policy, { policy: (value) => value.toLowerCase() }, { update: 'whenSet' }) },
    filter: { policy: queriedAs(policy, (value) => [equalTo('policy', value.toLowerCase())]) },
    status: {
      policy: observedAs(plain('policy'), text('policy in Neutron.'), ({ policy: value }) =>
        typeof value === 'string' ? `The ${value}` : undefined,
      ),
    },
  });
  const complaints = await complaintsAbout(plug);
  const expected = ['resource', 'import.filter'].flatMap((part) =>
    ['Soft', 'Hard'].map(
      (value) =>
        `Plug spec.${part}.policy offers '${value}', which is sent as something else: offer the constant that is sent (verbatim)`,
    ),
  );
  assert.equal(complaints.slice(0, 4), expected);
  assert.match(complaints[4] ?? '', /^Plug status\.resource\.policy is written as 'The .*', which nobody answered/);
  assert.is(complaints.length, 5);
});

test('what the cloud left empty is left out', async () => {
  const tags = texts('tags in Neutron.', { maxItems: 3 });
  const status = {
    size: {
      schema: text('size of it.'),
      projection: plain('size'),
      read: ({ size: value = null }) => (typeof value === 'string' ? value : null),
    },
    tags: {
      schema: tags,
      projection: plain('tags'),
      read: ({ tags: value }) => (Array.isArray(value) ? value.filter(isString) : undefined),
    },
  } satisfies Record<string, StatusField>;
  assert.equal(await complaintsAbout(plugWith({ status })), [
    'Plug status.resource.size is written empty: leave it out, its absence says so (omitted)',
    'Plug status.resource.tags is written empty: leave it out, its absence says so (omitted)',
  ]);
});

test('a name that is sent only where it is given', async () => {
  const name = sent('name', openstackName('name is what it is called.'), { update: 'whenSet' });
  assert.equal(await complaintsAbout(plugWith({ resource: { name } })), [
    'Plug spec.resource.name has nothing in its place when it is unset: send the name of the object then (name)',
  ]);
});

test.run();
