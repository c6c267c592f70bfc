// Trunk: a port of Neutron that carries the traffic of others, each under a segmentation of its own.
import { boolean, immutable, integer, list, object, ref, required, string } from '../../api/contract/contract.ts';
import { named, observed, observedList, queried, sent, sentAs, tagged } from '../base/fields.ts';
import { NEUTRON } from '../base/services.ts';
import { instant, neutronTags, observedTags, openstackName, prose, tagFilter, text } from '../base/values.ts';
import { subportsStep } from '../steps/trunk-subports.ts';
import { defineKind, namesOf } from './kind.ts';

const subports = list(
  'subports are the ports whose traffic the trunk carries; others are taken off.',
  object('A port.', {
    portRef: required(
      ref('Port', 'portRef is the Port.', {
        guarded: true,
        finalizer: `${namesOf('Trunk').finalizer}-subport`,
        shownBy: 'subports',
      }),
    ),
    segmentationID: required(
      integer('segmentationID tells its traffic from that of the others.', { minimum: 1, maximum: 4094 }),
    ),
    segmentationType: required(
      string('segmentationType is `vlan`, or `inherit` for that of the network of the port.', {
        minLength: 1,
        maxLength: 32,
        enum: ['inherit', 'vlan'],
      }),
    ),
  }),
  { type: 'atomic', maxItems: 1024 },
);

export const trunk = defineKind({
  kind: 'Trunk',
  description: 'Trunk is a port of Neutron that carries the traffic of other ports.',
  service: NEUTRON,
  collection: 'trunks',
  member: 'trunk',
  resource: {
    name: named(openstackName('name is what Neutron calls the trunk; the name of the object unless stated.')),
    description: sent('description', prose('description is free text about the trunk.'), { unset: '' }),
    adminStateUp: sent(
      'admin_state_up',
      boolean('adminStateUp is whether the trunk carries traffic; true unless stated.'),
      { unset: true },
    ),
    portRef: sent(
      'port_id',
      required(
        immutable(ref('Port', 'portRef is the Port that carries the others.', { guarded: true, shownBy: 'portID' })),
      ),
    ),
    projectRef: sent(
      'project_id',
      immutable(
        ref('Project', 'projectRef is the Project that owns the trunk; that of the credentials unless stated.', {
          guarded: true,
          shownBy: 'projectID',
        }),
      ),
    ),
    subports: sentAs(
      subports,
      {
        sub_ports: (ports) =>
          ports.map(({ portRef, segmentationID, segmentationType }) => ({
            port_id: portRef,
            segmentation_id: segmentationID,
            segmentation_type: segmentationType,
          })),
      },
      { update: 'step', initial: { sub_ports: [] } },
    ),
    tags: tagged(neutronTags('tags of the trunk; others are taken off.')),
  },
  filter: {
    name: queried('name', openstackName('name of the trunk.')),
    description: queried('description', prose('description of the trunk.')),
    portRef: queried('port_id', ref('Port', 'portRef is the Port that carries the others.')),
    projectRef: queried('project_id', ref('Project', 'projectRef is the Project that owns the trunk.')),
    adminStateUp: queried('admin_state_up', boolean('adminStateUp is whether the trunk carries traffic.')),
    ...tagFilter(neutronTags),
  },
  status: {
    name: observed('name', text('name in Neutron.')),
    description: observed('description', text('description in Neutron.'), { omitEmpty: true }),
    portID: observed('port_id', text('portID is the id of the port that carries the others.')),
    projectID: observed('project_id', text('projectID is the id of the owning project.')),
    tenantID: observed('tenant_id', text('tenantID is the id of the owning project, under its old name.'), {
      omitEmpty: true,
    }),
    status: observed('status', text('status is the operational state in Neutron: `ACTIVE`, `DOWN`, `BUILD`.'), {
      omitEmpty: true,
    }),
    adminStateUp: observed('admin_state_up', boolean('adminStateUp is whether the trunk carries traffic.')),
    tags: observedTags('Neutron', { maxItems: 64, omitEmpty: true }),
    subports: observedList('sub_ports', 'subports are the ports whose traffic the trunk carries.', {
      items: 'A port.',
      maxItems: 1024,
      fields: {
        portID: observed('port_id', text('portID is the id of the port.')),
        segmentationID: observed('segmentation_id', integer('segmentationID tells its traffic from that of others.')),
        segmentationType: observed('segmentation_type', text('segmentationType is the kind of segmentation.')),
      },
    }),
    createdAt: observed('created_at', instant('createdAt is when it was created.')),
    updatedAt: observed('updated_at', instant('updatedAt is when it was changed last.')),
    revisionNumber: observed('revision_number', integer('revisionNumber grows with each change.', { format: 'int64' })),
  },
  // A port carries one trunk at most.
  adoption: { query: ['name', 'portRef', 'projectRef'] },
  // Neutron removes none that is down.
  removable: {
    refusal: 409,
    type: 'TrunkDisabled',
    attributes: { admin_state_up: true },
    otherwise: { admin_state_up: false },
  },
  steps: [subportsStep],
});
