// The messages that the documentation explains are those of the source.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ROOT } from './blocks.ts';

const test = suite('messages of the documentation');

function sourcesIn(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(ROOT, folder, name), 'utf8'));
}

test('each message that troubleshooting explains is in one file of the source, part for part', () => {
  const sources = ['actors', 'adapters', 'bus', 'machines'].flatMap(sourcesIn);
  const text = readFileSync(join(ROOT, 'deploy/troubleshooting.md'), 'utf8');
  const messages = [...text.matchAll(/^\| `([^`]+)` \|/gm)].map(([, message = '']) => message);
  assert.ok(messages.length > 25, `only ${messages.length} messages were found`);
  assert.is(messages.length, [...text.matchAll(/^\| (?!message|---)/gm)].length, 'a row without a message');
  for (const message of messages) {
    const parts = message.split('…').filter((part) => part.length > 1);
    assert.ok(
      parts.some((part) => part.length >= 12),
      `'${message}' says too little`,
    );
    const found = sources.some((source) =>
      parts.every((part) => source.includes(part) || source.includes(part.replaceAll("'", "\\'"))),
    );
    assert.ok(found, `nothing says '${message}'`);
  }
});

test.run();
