// Words of command lines as a POSIX shell reads them.
import { execFileSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { shellWord } from '../../../adapters/text/shell-word.ts';

const test = suite('words for a shell');

test('a path without anything special stays as it is', () => {
  assert.is(shellWord('/home/ada/.kube/config'), '/home/ada/.kube/config');
});

test('a shell reads every word back as it was, also within a command of a quoted string', () => {
  for (const word of ['/tmp/a b/token', "it's", '$HOME', '`id`', '"', '~/x', '*', '!', 'a;b', '', '\\', 'a\nb']) {
    const read = (script: string): string => execFileSync('sh', ['-c', script], { encoding: 'utf8' });
    assert.is(read(`printf %s ${shellWord(word)}`), word);
    assert.is(read(`printf %s "$(printf %s ${shellWord(word)})"`), word);
  }
});

test.run();
