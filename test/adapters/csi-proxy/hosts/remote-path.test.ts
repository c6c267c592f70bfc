// What is mapped, and where a link to it leads.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseRemotePath } from '../../../../adapters/csi-proxy/hosts/remote-path.ts';

const test = suite('remote paths');

for (const [given, root, full] of [
  ['//Host/Share/a/b', '\\\\host\\share', '\\\\Host\\Share\\a\\b\\'],
  ['\\\\host\\share', '\\\\host\\share', '\\\\host\\share\\'],
  ['\\\\host\\share\\', '\\\\host\\share', '\\\\host\\share\\'],
  ['host/share', '\\\\host\\share', '\\\\host\\share\\'],
  ['\\\\10.0.0.5\\c$\\Größe 1', '\\\\10.0.0.5\\c$', '\\\\10.0.0.5\\c$\\Größe 1\\'],
  ["//host/it's $(x) `y` [z]", "\\\\host\\it's $(x) `y` [z]", "\\\\host\\it's $(x) `y` [z]\\"],
] as const) {
  test(given, () => {
    assert.equal(parseRemotePath(given), { root, full });
  });
}

test.run();
