// Which paths may be named.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Code, StatusError } from '../../../../adapters/csi-proxy/base/status.ts';
import { PathRules } from '../../../../adapters/csi-proxy/server/path-rules.ts';
import { fc } from '../../../world/properties.ts';

const test = suite('path-rules');

const KUBELET = 'C:\\var\\lib\\kubelet';
const rules = new PathRules(['D:\\data\\', KUBELET]);
const LIST = '[D:\\data\\ C:\\var\\lib\\kubelet]';

function refusal(path: string): string {
  try {
    rules.check(path);
  } catch (error) {
    assert.instance(error, StatusError);
    assert.is((error as StatusError).code, Code.InvalidArgument);
    return (error as StatusError).message;
  }
  return '';
}

for (const path of [
  KUBELET,
  `${KUBELET}\\`,
  `${KUBELET}\\pv1`,
  'c:\\VAR\\lib\\Kubelet\\x',
  'D:\\data',
  'd:\\DATA\\größe',
  `${KUBELET}\\pv 1\\.hidden\\a.b`,
  `${KUBELET}\\a\\\\b`,
  `${KUBELET}\\$(calc)`,
  `${KUBELET}\\\`calc\``,
  `${KUBELET}\\it's`,
  `${KUBELET}\\’”`,
  `${KUBELET}\\console\\com10\\nullable\\comx`,
  `${KUBELET}\\${'x'.repeat(260 - KUBELET.length - 1)}`,
]) {
  test(`allowed: ${path.slice(0, 60)}`, () => {
    assert.is(refusal(path), '');
  });
}

const outside = (path: string) => `path: ${path} is not within the working directories: ${LIST}`;
const invalid = (path: string) => `path contains invalid characters: ${path}`;
const slash = (path: string) => `invalid character \\ at beginning of path: ${path}`;

for (const [path, message] of [
  [`${KUBELET}\\${'x'.repeat(260 - KUBELET.length)}`, 'path length 261 exceeds maximum characters: 260'],
  [`${KUBELET}\\${'ä'.repeat(121)}`, 'path length 261 exceeds maximum characters: 260'],
  ['\\var\\lib\\kubelet', slash('\\var\\lib\\kubelet')],
  ['\\\\server\\share', slash('\\\\server\\share')],
  ['\\\\?\\C:\\var\\lib\\kubelet\\x', slash('\\\\?\\C:\\var\\lib\\kubelet\\x')],
  ['C:/var/lib/kubelet/x', invalid('C:/var/lib/kubelet/x')],
  [`${KUBELET}\\a/b`, invalid(`${KUBELET}\\a/b`)],
  [`${KUBELET}\\a..b`, invalid(`${KUBELET}\\a..b`)],
  [`${KUBELET}\\..\\..\\windows`, invalid(`${KUBELET}\\..\\..\\windows`)],
  [`${KUBELET}\\x:stream`, invalid(`${KUBELET}\\x:stream`)],
  [`${KUBELET}\\x::$DATA`, invalid(`${KUBELET}\\x::$DATA`)],
  [`${KUBELET}\\"; calc; "`, invalid(`${KUBELET}\\"; calc; "`)],
  [`${KUBELET}\\a|b`, invalid(`${KUBELET}\\a|b`)],
  [`${KUBELET}\\*`, invalid(`${KUBELET}\\*`)],
  [`${KUBELET}\\?`, invalid(`${KUBELET}\\?`)],
  ['pv1\\foo', 'not an absolute Windows path: pv1\\foo'],
  ['', 'not an absolute Windows path: '],
  ['C:', 'path contains invalid characters: C:'],
  ['1:\\x', 'path contains invalid characters: 1:\\x'],
  ['C:\\', outside('C:\\')],
  ['C:\\windows', outside('C:\\windows')],
  ['E:\\data\\x', outside('E:\\data\\x')],
  [`${KUBELET}-other\\x`, outside(`${KUBELET}-other\\x`)],
  // The Kelvin sign and the long s are a k and an s for Unicode, and other letters for NTFS.
  ['C:\\var\\lib\\\u212Aubelet\\x', outside('C:\\var\\lib\\\u212Aubelet\\x')],
  ['D:\\data\u017F', outside('D:\\data\u017F')],
  [`${KUBELET}\\a\0b`, invalid(`${KUBELET}\\a\0b`)],
  [`${KUBELET}\\a\nb`, invalid(`${KUBELET}\\a\nb`)],
  [`${KUBELET}\\a\r`, invalid(`${KUBELET}\\a\r`)],
  [`${KUBELET}\\a\u0085`, invalid(`${KUBELET}\\a\u0085`)],
  [`${KUBELET}\\a<b`, invalid(`${KUBELET}\\a<b`)],
  [`${KUBELET}\\a>b`, invalid(`${KUBELET}\\a>b`)],
  [`${KUBELET}\\.\\x`, `path contains a name that ends in a dot or a blank: ${KUBELET}\\.\\x`],
  [`${KUBELET}\\x.`, `path contains a name that ends in a dot or a blank: ${KUBELET}\\x.`],
  [`${KUBELET}\\x \\y`, `path contains a name that ends in a dot or a blank: ${KUBELET}\\x \\y`],
] as const) {
  test(`refused: ${JSON.stringify(path.slice(0, 60))}`, () => {
    assert.is(refusal(path), message);
  });
}

for (const name of [
  'CON',
  'nul',
  'Aux',
  'PRN',
  'COM1',
  'lpt9',
  'NUL.txt',
  'com1.tar.gz',
  'NUL .txt',
  'COM¹',
  'CONIN$',
]) {
  test(`refused: the device ${name}`, () => {
    const path = `${KUBELET}\\${name}\\x`;
    assert.is(refusal(path), `path contains the reserved name of a device: ${path}`);
  });
}

test('an allowed directory is one of a drive', () => {
  assert.throws(() => new PathRules(['/var/lib/kubelet']), /must start with a drive such as C:\\; got '\/var/);
});

test('whatever is made of, a path that passes lies in an allowed directory as Windows reads it (CSI-PATH-RULES-2)', () => {
  const piece = fc.constantFrom(...'aK.: \\/*?"|<>\0\n\u212A'.split(''), '..', KUBELET, 'C:\\', 'nul', '\\\\');
  const path = fc.oneof(
    fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
    fc.array(piece, { maxLength: 8 }).map((pieces) => `${KUBELET}\\${pieces.join('')}`),
  );
  let passed = 0;
  fc.assert(
    fc.property(path, (candidate) => {
      if (refusal(candidate) !== '') return;
      passed++;
      assert.match(candidate, /^c:\\var\\lib\\kubelet(\\|$)/i);
      assert.not.match(candidate.slice(3), /[\p{Cc}"*/:<>?|]/u);
      for (const segment of candidate.slice(3).split('\\')) {
        // Windows drops dots and blanks at the end of a name; nothing may be left of it that is another name.
        assert.is(segment.replace(/[. ]+$/, ''), segment);
      }
    }),
    { numRuns: 2_000 },
  );
  assert.ok(passed > 20);
});

test.run();
