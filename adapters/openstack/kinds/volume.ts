// Volume: a block device of Cinder.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { boolean, immutable, integer, ref, required, string } from '../../api/contract/contract.ts';
import { compared, named, observed, observedAs, observedList, queried, sent, sentAs } from '../base/fields.ts';
import { labels, mapOf, observedLabels } from '../base/labels.ts';
import { plain } from '../base/projection.ts';
import { CINDER } from '../base/services.ts';
import { Decision, judgedBy, stateOf, VOLUME_STATES } from '../base/states.ts';
import { instant, openstackName, prose, text } from '../base/values.ts';
import { unrecoverable } from '../client/call-errors.ts';
import type { UpdateStep } from '../resource/table.ts';
import { publishedUsers, serversStep, showsServer } from '../steps/volume-servers.ts';
import { defineKind } from './kind.ts';

/** A failed volume stays so until Cinder's administrator repairs it. */
const stateStep: UpdateStep = async ({ request: { observation } }) => {
  const { status } = observation.attributes;
  if (stateOf(VOLUME_STATES, status).decision === Decision.Broken) throw unrecoverable(`Volume is in ${status} status`);
  return { changed: false };
};

/** Cinder takes off white space at both ends. */
const stripped = (text: string): string => text.trim();

const zone = (description: string) => string(description, { maxLength: 255 });
const gibibytes = (description: string) => integer(description, { minimum: 1 });

export const volume = defineKind({
  kind: 'Volume',
  description: 'Volume is a block device of Cinder.',
  service: CINDER,
  collection: 'volumes',
  member: 'volume',
  listing: { path: 'detail' },
  resource: {
    name: named(openstackName('name is what Cinder calls the volume; the name of the object unless stated.'), {
      as: stripped,
    }),
    description: sentAs(
      prose('description is free text about the volume.'),
      { description: stripped },
      { unset: { description: '' } },
    ),
    size: sent('size', required(immutable(gibibytes('size of the volume in GiB.')))),
    volumeTypeRef: sent(
      'volume_type',
      immutable(
        ref('VolumeType', "volumeTypeRef is the VolumeType of the volume; Cinder's default unless stated.", {
          guarded: true,
        }),
      ),
      // Cinder returns the name of the type, and its administrator can change it.
      { moves: true },
    ),
    availabilityZone: sent(
      'availability_zone',
      immutable(zone('availabilityZone is where the volume is kept; where Cinder chooses unless stated.')),
    ),
    imageRef: sent('imageRef', immutable(ref('Image', 'imageRef is the Image that is copied to the volume.'))),
    metadata: sentAs(immutable(labels('metadata of the volume.')), { metadata: mapOf }),
  },
  filter: {
    name: queried('name', openstackName('name of the volume.')),
    description: compared('description', prose('description of the volume.')),
    size: compared('size', gibibytes('size of the volume in GiB.')),
    availabilityZone: compared('availability_zone', zone('availabilityZone is where the volume is kept.')),
  },
  status: {
    name: observed('name', text('name in Cinder.')),
    description: observed('description', text('description in Cinder.'), { omitEmpty: true }),
    size: observed('size', integer('size of the volume in GiB.')),
    status: observed('status', text('status in Cinder: `creating`, `available`, `in-use`, `error` and others.')),
    availabilityZone: observed('availability_zone', text('availabilityZone is where the volume is kept.'), {
      omitEmpty: true,
    }),
    attachments: observedList('attachments', 'attachments are the servers that use the volume.', {
      items: 'A use of it.',
      maxItems: 32,
      fields: {
        attachmentID: observed('attachment_id', text('attachmentID is the id of the use.')),
        serverID: observed('server_id', text('serverID is the id of the server.')),
        device: observed('device', text('device is what the server calls it.')),
        attachedAt: observed('attached_at', instant('attachedAt is when it began.')),
      },
    }),
    volumeType: observed('volume_type', text('volumeType is the name of the type of the volume.')),
    snapshotID: observed('snapshot_id', text('snapshotID is the id of the snapshot that it was made from.'), {
      omitEmpty: true,
    }),
    sourceVolID: observed('source_volid', text('sourceVolID is the id of the volume that it was made from.'), {
      omitEmpty: true,
    }),
    backupID: observed('backup_id', text('backupID is the id of the backup that it was restored from.'), {
      omitEmpty: true,
    }),
    metadata: observedLabels('metadata', 'metadata in Cinder.'),
    userID: observed('user_id', text('userID is the id of the user who made it.')),
    bootable: observedAs(plain('bootable'), boolean('bootable is whether a server can boot from it.'), ({ bootable }) =>
      truthOf(bootable),
    ),
    encrypted: observed('encrypted', boolean('encrypted is whether what is on it is encrypted.')),
    replicationStatus: observed('replication_status', text('replicationStatus is the state of its replication.'), {
      omitEmpty: true,
    }),
    consistencyGroupID: observed(
      'consistencygroup_id',
      text('consistencyGroupID is the id of its consistency group.'),
      {
        omitEmpty: true,
      },
    ),
    multiattach: observed('multiattach', boolean('multiattach is whether several servers may use it at a time.')),
    imageID: observedAs(
      { volume_image_metadata: plain('image_id') },
      text('imageID is the id of the image that was copied to it.'),
      ({ volume_image_metadata: image }) => idIn(image),
    ),
    host: observed('os-vol-host-attr:host', text('host is where it is kept, as Cinder names it.'), { omitEmpty: true }),
    tenantID: observed('os-vol-tenant-attr:tenant_id', text('tenantID is the id of the owning project.'), {
      omitEmpty: true,
    }),
    createdAt: observed('created_at', instant('createdAt is when it was created.')),
    updatedAt: observed('updated_at', instant('updatedAt is when it was changed last.')),
  },
  // Any number of names and values are too long for a query. A description may be edited while a create is not answered yet.
  adoption: { query: ['name'], check: ['metadata', 'size', 'availabilityZone'] },
  ...judgedBy(VOLUME_STATES),
  leaving: ({ status }) => status === 'deleting',
  steps: [stateStep, serversStep],
  isReflected: showsServer,
  published: publishedUsers,
});

/** Cinder writes it as a word. */
function truthOf(value: Json | undefined): boolean | undefined {
  if (value === true || value === 'true') return true;
  return value === false || value === 'false' ? false : undefined;
}

function idIn(image: Json | undefined): string | undefined {
  const id = (image as JsonObject | null | undefined)?.['image_id'];
  return typeof id === 'string' ? id : undefined;
}
