// What can be told of the worker's script without running it: that it knows every operation, and makes code of nothing.
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ANSWERS } from '../../../../adapters/csi-proxy/hosts/windows/operations.ts';
import { powerShellCommand } from '../../../../adapters/csi-proxy/hosts/windows/worker-process.ts';

const test = suite('script of the worker');

const path = powerShellCommand('C:\\Windows').environment['TROUPE_CSI_PROXY_WORKER'] ?? '';
const script = readFileSync(path, 'utf8');
const lines = script.split('\n').filter((line) => !line.trimStart().startsWith('#'));

test('where there is one executable the script is a variable, and no file that others could replace', () => {
  const { arguments: args, environment } = powerShellCommand('C:\\Windows', script);
  assert.is(environment['TROUPE_CSI_PROXY_WORKER'], script);
  assert.is(args.at(-1), '& ([scriptblock]::Create($env:TROUPE_CSI_PROXY_WORKER))');
  // Windows takes no longer variable, name included.
  assert.ok(script.length < 32_000);
});

test('it has every operation that is asked for, and no other', () => {
  const known = [...script.matchAll(/^function Troupe-Do-(\w+)/gm)].map((match) => match[1]);
  assert.equal(known.sort(), Object.keys(ANSWERS).sort());
});

for (const word of [
  'Invoke-Expression',
  'iex',
  'Invoke-Command',
  'scriptblock',
  'AddScript',
  'Start-Process',
  'cmd',
  'ExpandString',
  'Invoke-WebRequest',
  '-Query',
  '-Filter',
  '-Name',
  '-like',
  '-match',
  '-replace',
  '-f',
]) {
  test(`nothing is made with ${word}`, () => {
    const found = lines.filter((line) => new RegExp(`(^|[^\\w-])${word}($|[^\\w])`, 'i').test(line));
    assert.equal(found, []);
  });
}

test('what is called by a name is one of its own functions', () => {
  const calls = lines.filter((line) => /(^|[\s(=])&\s/.test(line)).map((line) => line.trim());
  assert.equal(calls, ['$answer.value = & $known[0] $request.arguments']);
  assert.match(script, /\$_\.Name -ceq \$name/);
});

test('what was given has a type wherever it is used, or is part of a message', () => {
  for (const line of lines.filter((one) => /\$Given\.\w/.test(one) && !/Troupe-Absent/.test(one))) {
    for (const match of line.matchAll(/(.{0,12})\$Given\.(\w+)/g)) {
      const [, before = '', name] = match;
      const isTyped = /\[(string|bool|uint16|uint64)\]$/.test(before) || /^\s*\[(string|uint16|uint32)\]\$/.test(line);
      const isCompared = name === 'isOnline' && line.includes('$Given.isOnline -eq $true');
      const isList = name === 'mounts' && line.includes('($Given.mounts | ForEach-Object');
      assert.ok(isTyped || isCompared || isList, line);
    }
  }
});

test('what is in a list that was given has a type, too', () => {
  assert.is(script.split('($Given.mounts | ForEach-Object').length, 2);
  assert.match(script, /Troupe-Mount \(\[string\]\$_\.volumeId\) \(\[string\]\$_\.path\)/);
});

test('it is ASCII: without a byte order mark Windows PowerShell reads a file by its code page', () => {
  assert.match(script, /^[\n\x20-\x7e]+$/);
});

test.run();
