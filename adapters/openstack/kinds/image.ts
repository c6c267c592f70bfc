// Image: what Glance keeps for servers and volumes to be made from. It is made empty, and its content brought to it.
import { boolean, immutable, integer, list, required, string } from '../../api/contract/contract.ts';
import { eachTag } from '../base/criteria.ts';
import {
  named,
  observed,
  observedObject,
  queried,
  queriedAs,
  sent,
  sentAs,
  sentTags,
  unwritten,
} from '../base/fields.ts';
import { GLANCE } from '../base/services.ts';
import { IMAGE_STATES, judgedBy } from '../base/states.ts';
import { observedTags, openstackName, text } from '../base/values.ts';
import { DOWNLOAD_FIELDS, downloading } from '../images/download.ts';
import { downloadHint } from '../images/download-hints.ts';
import { delegateDownload, imageDataStep } from '../images/image-data.ts';
import { uploadImage } from '../images/image-upload.ts';
import { content, properties, propertyAttributes } from './image-properties.ts';
import { defineKind } from './kind.ts';

const visibility = (description: string) => string(description, { enum: ['public', 'private', 'shared', 'community'] });

const tags = (description: string) =>
  list(description, string('A tag: one character or more.', { minLength: 1, maxLength: 255 }), {
    type: 'set',
    maxItems: 64,
  });

export const image = defineKind({
  kind: 'Image',
  description: 'Image is what Glance keeps for servers and volumes to be made from.',
  service: GLANCE,
  collection: 'images',
  member: 'image',
  words: { creating: 'creating image' },
  resource: {
    name: named(openstackName('name is what Glance calls the image; the name of the object unless stated.')),
    protected: sent('protected', boolean('protected is whether Glance refuses to delete it; false unless stated.'), {
      unset: false,
    }),
    tags: sentTags(tags('tags of the image; others are taken off.')),
    visibility: sent('visibility', visibility('visibility is who sees the image; Glance decides unless stated.'), {
      update: 'whenSet',
    }),
    properties: sentAs(immutable(properties), propertyAttributes),
    content: sentAs(immutable(content), {
      container_format: ({ containerFormat = 'bare' }) => containerFormat,
      disk_format: ({ diskFormat }) => diskFormat,
    }),
  },
  specRules: [
    {
      message: 'resource content must be specified when not importing',
      rule: '!has(self.__import__) ? has(self.resource.content) : true',
    },
  ],
  filter: {
    name: queried('name', openstackName('name of the image.')),
    visibility: queried('visibility', visibility('visibility of the image.')),
    tags: queriedAs(tags('tags selects images that carry every one of these tags.'), (wanted) =>
      eachTag('tag', wanted),
    ),
  },
  status: {
    name: observed('name', text('name in Glance.')),
    status: observed(
      'status',
      text('status in Glance: `queued`, `saving`, `importing`, `active`, `killed` and others.'),
    ),
    protected: observed('protected', boolean('protected is whether Glance refuses to delete it.')),
    visibility: observed('visibility', text('visibility in Glance.')),
    hash: observedObject('os_hash_value', 'hash is the checksum that Glance has of the content.', {
      algorithm: observed(
        'os_hash_algo',
        required(string('algorithm is what the value was made with.', { enum: ['md5', 'sha1', 'sha256', 'sha512'] })),
      ),
      value: observed(
        'os_hash_value',
        required(
          string('value is the checksum, in hexadecimal digits.', {
            minLength: 1,
            maxLength: 1024,
            pattern: '^[0-9a-f]+$',
          }),
        ),
      ),
    }),
    sizeB: observed('size', integer('sizeB is the size of the content, in bytes.', { format: 'int64' })),
    virtualSizeB: unwritten(
      integer('virtualSizeB is the size of the disk in the content, in bytes.', { format: 'int64' }),
    ),
    tags: observedTags('Glance', { maxItems: 64 }),
  },
  adoption: { query: ['name', 'visibility', 'tags'] },
  // Glance removes none that is protected.
  removable: { refusal: 403, attributes: { protected: false }, askedBy: { field: 'protected', value: false } },
  ...judgedBy(IMAGE_STATES),
  steps: [imageDataStep],
  content: {
    fields: DOWNLOAD_FIELDS,
    telling: downloading,
    hintFor: downloadHint,
    delegate: delegateDownload,
    fill: uploadImage,
  },
});
