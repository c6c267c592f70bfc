// What clouds, files and objects say, as a terminal and a log get it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openLog } from '../../../actors/base/log.ts';
import { plain, plainData, plainJson, plainLines } from '../../../actors/base/printable.ts';
import { written } from '../../world/written.ts';

const test = suite('printable');

/** Clears the screen, in 7 and in 8 bits, writes to the clipboard, turns the direction, hides a tag. */
const HOSTILE = '\u001b[2J\u009b2J\u001b]52;c;eA==\u0007\u202eabc\u{e0041}\r\u007f';
const UNSEEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

test('33.C5: nothing that a terminal obeys is left, and nothing else is lost', () => {
  assert.is(plain('a\u001b[2Jb\nc'), 'a\\u{1b}[2Jb\\u{a}c');
  assert.is(plainLines('a\u009b\n\tb'), 'a\\u{9b}\n\tb');
  for (const text of [plain(HOSTILE), plainLines(HOSTILE), plainJson(JSON.stringify(HOSTILE))])
    assert.not.match(text, UNSEEN);
  assert.equal(JSON.parse(plainJson(JSON.stringify({ [HOSTILE]: [HOSTILE] }))), { [HOSTILE]: [HOSTILE] });
  assert.not.match(JSON.stringify(plainData({ [HOSTILE]: [HOSTILE, 1, null, true] })), /\\u00|\u202e/);
  assert.is(plain('Größe 7 µm, 東京 ✓'), 'Größe 7 µm, 東京 ✓');
});

test('33.C5: lines of the log have no escape sequences of others, whoever reads them', async () => {
  for (const readable of [false, true]) {
    let text = '';
    const destination = written((part) => {
      text += part;
    });
    const log = openLog({ level: 'info', readable, destination });
    log.info({ from: HOSTILE, nested: { name: HOSTILE }, err: new Error(HOSTILE) }, `the cloud says ${HOSTILE}`);
    await new Promise((resolve) => setImmediate(resolve));
    assert.match(text, 'the cloud says', String(readable));
    // Colors are the log's own.
    const color = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, 'g');
    const rest = readable ? text.replaceAll(color, '') : text;
    assert.not.match(rest, UNSEEN, JSON.stringify(rest));
  }
});

test.run();
