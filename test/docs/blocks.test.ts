// Every command of the documentation is typed by a test, or says why it is not; what it names is there.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { blocksOf, commandsOf, documents, REASONS, ROOT, reasonOf, TYPED_ELSEWHERE } from './blocks.ts';

const test = suite('commands of the documentation');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

test('what is not typed has a reason, and the reason is true of each command', () => {
  let count = 0;
  for (const file of documents()) {
    if (Object.hasOwn(TYPED_ELSEWHERE, file)) continue;
    for (const block of blocksOf(file, read(file))) {
      if (block.language !== 'sh') {
        assert.not(
          ['bash', 'shell', 'console', 'zsh'].includes(block.language),
          `${file}:${block.line}: fence it as sh`,
        );
        continue;
      }
      const place = `${file}:${block.line}`;
      for (const mark of block.marks) assert.match(mark, /^(stays|fails|needs=[a-z]+)$/, place);
      const reason = reasonOf(block);
      for (const command of commandsOf(block)) {
        count += 1;
        if (reason === undefined) continue;
        assert.ok(Object.hasOwn(REASONS, reason), `${place}: nobody knows the reason '${reason}'`);
        assert.ok(REASONS[reason]?.(command), `${place}: '${reason}' is no reason for '${command}': have it typed`);
      }
    }
  }
  assert.ok(count > 30, `only ${count} commands were found`);
});

test('documents that another test types are named there', () => {
  for (const [file, by] of Object.entries(TYPED_ELSEWHERE)) {
    assert.ok(existsSync(join(ROOT, file)), file);
    assert.match(read(by), file.split('/').join("', '"));
  }
});

test('every script that a document names is there', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Readonly<Record<string, string>> };
  for (const file of documents()) {
    for (const [text, script = ''] of read(file).matchAll(/\bnpm run (?:-s )?([a-z][a-z:-]*)/g)) {
      assert.ok(Object.hasOwn(scripts, script), `${file}: '${text}'`);
    }
  }
});

test('a command outside of a fence is found, and so is a fence without an end', () => {
  assert.throws(() => blocksOf('x.md', 'text\n\n    npm run demo\n'), /x.md:3: 'npm run demo' is a command/);
  assert.throws(() => blocksOf('x.md', '```\nkubectl get pods\n```\n'), /x.md:2: 'kubectl get pods' is a command/);
  assert.throws(() => blocksOf('x.md', '```sh\nls\n'), /x.md:1: the block has no end/);
  assert.throws(
    () => blocksOf('x.md', '1. This:\n\n   ```sh\n   ls\n   ```\n'),
    /x.md:3: a fence begins at the margin/,
  );
  const [block] = blocksOf('x.md', '```sh stays\na \\\n  b # c\n\n# d\ne\n```\n');
  assert.ok(block);
  assert.equal(block.marks, ['stays']);
  assert.equal(commandsOf(block), ['a    b # c', 'e']);
});

test.run();
