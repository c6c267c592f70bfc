// What an image is.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isImage, isLiveIso, isOci } from '../../../../adapters/ironic/host/image.ts';

const test = suite('image');

test('an image names something', () => {
  assert.is(isImage({ url: 'http://x' }), true);
  for (const image of [undefined, null, {}, { url: '' }, { url: null, checksum: 'c' }])
    assert.is(isImage(image), false);
});

test('the format makes a live ISO', () => {
  assert.is(isLiveIso({ url: 'http://x', format: 'live-iso' }), true);
  for (const format of ['raw', 'qcow2', 'vdi', 'vmdk', 'LIVE-ISO', '', null, undefined]) {
    assert.is(isLiveIso({ url: 'http://x.iso', format }), false);
  }
  assert.is(isLiveIso(undefined), false);
});

test('the scheme makes an OCI image, in any case', () => {
  for (const url of ['oci://quay.io/a/b', 'OCI://quay.io/a/b']) assert.is(isOci({ url }), true, url);
  for (const url of ['http://oci://x', 'ocis://x', 'oci:x', '', null, undefined]) assert.is(isOci({ url }), false);
  assert.is(isOci(null), false);
});

test.run();
