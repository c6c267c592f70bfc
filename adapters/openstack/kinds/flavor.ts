// Flavor: the size of a server of Nova. Only its extra specs can be changed.
import type { JsonObject } from '../../../bus/bus.ts';
import { TerminalError } from '../../../bus/errors.ts';
import { boolean, immutable, integer, list, object, required, string } from '../../api/contract/contract.ts';
import { apart, compared, named, observed, observedMap, sent } from '../base/fields.ts';
import { NOVA } from '../base/services.ts';
import { openstackName, prose, text } from '../base/values.ts';
import { isId } from '../client/ids.ts';
import { extraSpecsStep } from '../steps/flavor-extra-specs.ts';
import { defineKind } from './kind.ts';

const LONG = { maxLength: 65535 };

const extraSpecs = list(
  'extraSpecs are what the flavor asks of hosts beyond its size; others are taken off.',
  object('An extra spec.', {
    name: required(string('name of the extra spec.', { maxLength: 255, pattern: '^[a-zA-Z0-9-_:. ]+$' })),
    value: required(string('value of the extra spec.', { maxLength: 255 })),
  }),
  { type: 'map', keys: ['name'], maxItems: 128 },
);

export const flavor = defineKind({
  kind: 'Flavor',
  description: 'Flavor is the size of a server of Nova.',
  service: NOVA,
  collection: 'flavors',
  member: 'flavor',
  // Without it only public ones are listed.
  listing: { path: 'detail', query: [['is_public', 'none']] },
  unwrapped: withSwap,
  resource: {
    id: sent(
      'id',
      immutable(
        string('id is the identifier of the flavor; one that Nova chooses unless stated.', {
          minLength: 1,
          maxLength: 255,
          pattern: '^[a-zA-Z0-9._-]([a-zA-Z0-9. _-]*[a-zA-Z0-9._-])?$',
        }),
      ),
    ),
    name: named(immutable(openstackName('name is what Nova calls the flavor; the name of the object unless stated.')), {
      update: 'ignored',
    }),
    description: sent('description', immutable(prose('description is free text about the flavor.', LONG))),
    ram: sent('ram', required(immutable(integer('ram is the memory in MiB.', { minimum: 1 })))),
    vcpus: sent('vcpus', required(immutable(integer('vcpus is the number of virtual processors.', { minimum: 1 })))),
    disk: sent('disk', required(immutable(integer('disk is the size of the root disk in GiB.', { minimum: 0 })))),
    swap: sent('swap', immutable(integer('swap is the size of the swap disk in MiB.', { minimum: 0 }))),
    isPublic: sent(
      'os-flavor-access:is_public',
      immutable(boolean('isPublic is whether all projects may use the flavor; true unless stated.')),
    ),
    ephemeral: sent(
      'OS-FLV-EXT-DATA:ephemeral',
      immutable(integer('ephemeral is the size of the second disk in GiB.', { minimum: 0 })),
    ),
    extraSpecs: apart(extraSpecs),
  },
  filter: {
    name: compared('name', openstackName('name of the flavor.')),
    ram: compared('ram', integer('ram is the memory in MiB.', { minimum: 1 })),
    vcpus: compared('vcpus', integer('vcpus is the number of virtual processors.', { minimum: 1 })),
    disk: compared('disk', integer('disk is the size of the root disk in GiB.', { minimum: 0 })),
  },
  status: {
    name: observed('name', text('name in Nova.')),
    description: observed('description', text('description in Nova.', LONG), { omitEmpty: true }),
    ram: observed('ram', integer('ram is the memory in MiB.')),
    vcpus: observed('vcpus', integer('vcpus is the number of virtual processors.')),
    disk: observed('disk', integer('disk is the size of the root disk in GiB.')),
    swap: observed('swap', integer('swap is the size of the swap disk in MiB.'), { omitEmpty: true }),
    isPublic: observed('os-flavor-access:is_public', boolean('isPublic is whether all projects may use the flavor.')),
    ephemeral: observed('OS-FLV-EXT-DATA:ephemeral', integer('ephemeral is the size of the second disk in GiB.'), {
      omitEmpty: true,
    }),
    extraSpecs: observedMap('extra_specs', 'extraSpecs are what the flavor asks of hosts beyond its size.', {
      item: 'An extra spec.',
      maxItems: 128,
      name: { name: text('name of the extra spec.', { maxLength: 255 }) },
      value: text('value of the extra spec.', { maxLength: 255 }),
    }),
  },
  adoption: {
    query: [],
    check: ['id', 'name', 'description', 'ram', 'vcpus', 'disk', 'swap', 'isPublic', 'ephemeral'],
  },
  complete: withPlainId,
  steps: [extraSpecsStep],
});

/** Up to microversion 2.74 zero is returned as an empty text. */
function withSwap(reported: JsonObject): JsonObject {
  return reported['swap'] === '' ? { ...reported, swap: 0 } : reported;
}

/** @throws {TerminalError} Nova would take the id, and no request could name the flavor then */
function withPlainId(attributes: JsonObject): JsonObject {
  const { id } = attributes;
  if (id === undefined || isId(id)) return attributes;
  throw new TerminalError('invalid configuration creating resource: id can be no part of a path');
}
