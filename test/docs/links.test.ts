// Every link from one document to another, or to a file, leads there, anchor and all.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { documents, ROOT } from './blocks.ts';
import { anchorsOf, linksOf } from './links.ts';

const test = suite('links of the documentation');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

test('each link leads somewhere', () => {
  const lost: string[] = [];
  let count = 0;
  for (const file of [...documents(), 'CHANGELOG.md']) {
    for (const { line, path, anchor } of linksOf(read(file))) {
      count++;
      const target = path === '' ? file : normalize(join(dirname(file), path));
      const place = `${file}:${line}: ${path}${anchor === undefined ? '' : `#${anchor}`}`;
      if (target.startsWith('..')) lost.push(`${place} leaves the checkout`);
      else if (!existsSync(join(ROOT, target))) lost.push(`${place} is not there`);
      else if (anchor !== undefined && target.endsWith('.md') && !anchorsOf(read(target)).has(anchor)) {
        lost.push(`${place} has no such heading`);
      }
    }
  }
  assert.equal(lost, []);
  assert.ok(count > 60, `only ${count} links were found`);
});

test('links are found where a reader finds them', () => {
  const text = 'See [a](b.md#c-d) and ![e](f.png).\n`[no](x)`\n```\n[no](y)\n```\n[g](https://h.example)\n[i]: ../j\n';
  assert.equal(linksOf(text), [
    { line: 1, path: 'b.md', anchor: 'c-d' },
    { line: 1, path: 'f.png', anchor: undefined },
    { line: 7, path: '../j', anchor: undefined },
  ]);
});

test('anchors are those of headings', () => {
  const text = '# What `it` does, and why\n## [Linked](x.md)\n## A\n## A\n```sh\n# none\n```\n<a id="own"></a>\n';
  assert.equal([...anchorsOf(text)], ['what-it-does-and-why', 'linked', 'a', 'a-1', 'own']);
});

test.run();
