// What an image must say.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { imageProblems, imageUrlProblem } from '../../../../adapters/ironic/host/image-rules.ts';

const test = suite('image rules');

const URL = 'https://images.example.org/os.qcow2';
const NO_CHECKSUM = 'checksum is required for normal images';
const OCI_CHECKSUM = 'spec.image.checksum must be empty for OCI images';

test('an image that can be deployed has no problem', () => {
  const images: readonly unknown[] = [
    { url: URL, checksum: 'd41d8cd98f00b204e9800998ecf8427e' },
    { url: URL, checksum: 'https://images.example.org/SUMS', checksumType: 'auto', format: 'raw' },
    ...['', 'auto', 'md5', 'sha256', 'sha512'].map((checksumType) => ({ url: URL, checksum: 'x', checksumType })),
    { url: URL, format: 'live-iso' },
    { url: URL, format: 'live-iso', checksum: 'x' },
    { url: 'oci://registry.example.org:5000/os@sha256:0123' },
    { url: 'oci://registry.example.org/os:latest', checksum: '', format: 'raw' },
    undefined,
    null,
  ];
  for (const image of images) assert.equal(imageProblems(image), [], JSON.stringify(image));
});

test('a checksum is required unless the image is a live ISO or comes by OCI', () => {
  assert.equal(imageProblems({ url: URL }), [NO_CHECKSUM]);
  assert.equal(imageProblems({ url: URL, checksum: '' }), [NO_CHECKSUM]);
  assert.equal(imageProblems({ url: URL, checksum: null, format: 'qcow2' }), [NO_CHECKSUM]);
  assert.equal(imageProblems({ url: URL, checksumType: 'sha256' }), [NO_CHECKSUM]);
  // Not a scheme of its own.
  assert.equal(imageProblems({ url: 'https://oci://x' }).length, 1);
});

test('an image that comes by OCI has no checksum', () => {
  assert.equal(imageProblems({ url: 'oci://r/os', checksum: 'x' }), [OCI_CHECKSUM]);
  assert.equal(imageProblems({ url: 'oci://r/os', checksum: 'x', format: 'live-iso' }), [OCI_CHECKSUM]);
});

test('an unknown type of checksum is refused', () => {
  for (const checksumType of ['sha1', 'MD5', 'constructor']) {
    const problem = `unknown checksumType ${checksumType}`;
    assert.equal(imageProblems({ url: URL, checksum: 'x', checksumType }), [problem]);
    assert.equal(imageProblems({ url: URL, format: 'live-iso', checksumType }), [problem]);
  }
});

test('all problems are told', () => {
  assert.equal(imageProblems({ url: 'file:///os', checksumType: 'crc' }).length, 3);
});

test('a URL has one of the schemes', () => {
  for (const scheme of ['http', 'https', 'ftp', 'gopher', 'oci', 'HTTPS']) {
    assert.is(imageUrlProblem(`${scheme}://host/x`), undefined, scheme);
  }
  for (const url of ['file:///srv/os', 's3://b/k', 'test1', '/os', '//host/os', 'host:80/x', '']) {
    const problem = imageUrlProblem(url) ?? '';
    assert.ok(problem.startsWith(`image URL ${url} is invalid: invalid scheme in URL`), problem);
  }
});

test('a URL names a host, and is well-formed', () => {
  for (const url of [
    'http:///os',
    'http:os',
    'http://',
    'http://h:port/x',
    'http://[::1/x',
    'http://h/%zz',
    'http://h/\t',
  ]) {
    const problem = imageUrlProblem(url) ?? '';
    assert.ok(problem.startsWith(`image URL ${url} is invalid: `), problem);
    assert.not.match(problem, 'scheme');
  }
  for (const url of ['http://[::1]:8080/x', 'http://h:80', 'http://h/a b?c=%zz#d', 'http://user@h/x']) {
    assert.is(imageUrlProblem(url), undefined, url);
  }
});

test('a password in a URL is not told', () => {
  assert.is(
    imageUrlProblem('sftp://user:s3cr3t@host/os')?.startsWith('image URL sftp://host/os is invalid: invalid scheme'),
    true,
  );
});

test('what is no URL at all is a problem, not an accident', () => {
  for (const url of [undefined, null, 7, {}, []]) assert.match(imageUrlProblem(url) ?? '', 'is invalid');
  for (const image of [7, 'x', []]) assert.ok(imageProblems(image).length > 0);
});

test.run();
