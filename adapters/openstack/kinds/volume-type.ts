// VolumeType: what volumes of Cinder have in common, where they are kept among it.
import { boolean } from '../../api/contract/contract.ts';
import { compared, named, observed, queried, sent, sentAs } from '../base/fields.ts';
import { labels, mapOf, observedLabels } from '../base/labels.ts';
import { CINDER } from '../base/services.ts';
import { openstackName, prose, text } from '../base/values.ts';
import { extraSpecsStep } from '../steps/extra-specs.ts';
import { defineKind } from './kind.ts';

export const volumeType = defineKind({
  kind: 'VolumeType',
  description: 'VolumeType is a type of volumes of Cinder.',
  service: CINDER,
  collection: 'types',
  member: 'volume_type',
  members: 'volume_types',
  // Cinder lists only those that are public unless it is asked for both.
  listing: { query: [['is_public', 'None']] },
  resource: {
    name: named(openstackName('name is what Cinder calls the type; the name of the object unless stated.')),
    description: sent('description', prose('description is free text about the type.'), { unset: '' }),
    extraSpecs: sentAs(
      labels(
        'extraSpecs are what the back ends are told of volumes of the type; others are taken off if there is one.',
      ),
      { extra_specs: mapOf },
      { update: 'step' },
    ),
    isPublic: sent('is_public', boolean('isPublic is whether all projects may use the type; true unless stated.'), {
      unset: true,
      createdAs: { is_public: 'os-volume-type-access:is_public' },
    }),
  },
  filter: {
    name: compared('name', openstackName('name of the type.')),
    description: compared('description', prose('description of the type.')),
    isPublic: queried('is_public', boolean('isPublic is whether all projects may use the type.')),
  },
  status: {
    name: observed('name', text('name in Cinder.')),
    description: observed('description', text('description in Cinder.'), { omitEmpty: true }),
    extraSpecs: observedLabels('extra_specs', 'extraSpecs are what the back ends are told of volumes of the type.'),
    isPublic: observed('is_public', boolean('isPublic is whether all projects may use the type.')),
  },
  // A name is given once, and Cinder knows no filter by it. All else may be edited while a create is not answered yet.
  adoption: { query: [], check: ['name'] },
  steps: [extraSpecsStep],
});
