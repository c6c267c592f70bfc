// Documentation: a page for everything, none in the place of another, and links that lead somewhere.
import { existsSync } from 'node:fs';
import { posix } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { documentation } from '../../../adapters/ocm/docs/mod.ts';
import { readModel, Severity, Workspace } from '../../../adapters/ocm/model/mod.ts';
import { OWN, REFERENCE } from './corpus.ts';

const test = suite('docs');

const MORE = `
  resource Root { locator AWS { target Aws variable ID } locator Plain { target Aws } }
  resource Aws { method Get { out Body AWSShard } method TurnOff { @deprecated in Why Why out Left [Why]AwsShard } }
  // Nobody.
  resource Lost { }
  class AWSShard { Why Why @json(name = "other thing") Other [Why]AwsShard } struct AwsShard { } @deprecated enum Why { @json(name = "Be cause") Because }`;

function pages(...roots: string[]): Map<string, string> {
  const workspace = new Workspace();
  for (const root of roots) readInto(workspace, root);
  workspace.set('more/v1/x.model', MORE);
  const errors = workspace.diagnostics().filter(({ severity }) => severity === Severity.Error);
  assert.equal(errors, []);
  return documentation(workspace.model());
}

/** Reading forgets what another root brought: each is read by itself. */
function readInto(workspace: Workspace, root: string): void {
  const one = new Workspace();
  readModel(one, [root]);
  for (const file of one.files()) workspace.set(file, one.syntax(file)?.text ?? '');
}

const anchorsOf = (text: string): Set<string> =>
  new Set(
    [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );

test('every resource and type has a page of its own, and all links lead to a page and a heading', () => {
  const made = pages(OWN, ...(existsSync(REFERENCE) ? [REFERENCE] : []));
  const lower = new Set([...made.keys()].map((file) => file.toLowerCase()));
  assert.is(lower.size, made.size);
  for (const file of [
    'index.md',
    'library_mgmt/v1/index.md',
    'library_mgmt/v1/book_type.md',
    'library_mgmt/v1/book_resource.md',
    'more/v1/aws_shard_type.md',
    'more/v1/aws_shard_2_type.md',
    'more/v1/lost_resource.md',
  ]) {
    assert.ok(made.has(file), file);
  }
  const reached = new Set(['index.md']);
  let links = 0;
  for (const [file, text] of made) {
    // What the model's own documentation links to is its own affair.
    for (const [, target = ''] of text.matchAll(/\]\(((?:\.\.\/|[a-z0-9_]+\/)*[a-z0-9_]*(?:\.md)?(?:#[^)]*)?)\)/g)) {
      const [path = '', heading] = target.split('#');
      const to = path === '' ? file : posix.join(posix.dirname(file), path);
      const page = made.get(to);
      assert.ok(page !== undefined, `${file} links to ${target}`);
      if (heading !== undefined) assert.ok(anchorsOf(page).has(heading), `${file} links to ${target}`);
      reached.add(to);
      links++;
    }
  }
  assert.ok(links > 100);
  assert.is(reached.size, made.size);
});

test('a page says what there is to know', () => {
  const made = pages(OWN);
  const resource = made.get('library_mgmt/v1/books_resource.md') ?? '';
  for (const line of [
    '- `/api/library_mgmt/v1/books`',
    '| [Add](#add) | `POST …` | Adds one. |',
    '| Book | `…/{book_id}` | [Book](book_resource.md) |  |',
    '- `POST /api/library_mgmt/v1/books`',
    'Status of success: 201',
    '| Body | [Book](book_type.md) | in out | whole request, whole response |  |  |',
    '| DryRun | Boolean | in | query `dryRun` | `false` |  |',
    '| Items | list of [Book](book_type.md) | out | response `items` |  |  |',
  ]) {
    assert.ok(resource.split('\n').includes(line), line);
  }
  const type = made.get('library_mgmt/v1/book_type.md') ?? '';
  for (const line of [
    'The `isbn` is unique.',
    '| `kind` | String | `Book`, or `BookLink` for a link. |',
    '| [`author`](#author) | link to [Author](author_type.md) | Author of the book. |',
    '| [`out_of_print`](#out_of_print) | Boolean |  |',
    '| [`extra`](#extra) | Interface | **Deprecated.** |',
    '| [`notes`](#notes) | map of String to String |  |',
    '- method [Books.Add](books_resource.md#add)',
    '- attribute [Book.Copies](book_type.md#copies)',
  ]) {
    assert.ok(type.split('\n').includes(line), line);
  }
  assert.match(made.get('more/v1/aws_resource.md') ?? '', '- `POST /api/more/v1/{aws_id}/turn_off`');
  assert.match(made.get('more/v1/lost_resource.md') ?? '', 'it has no URL');
  assert.match(made.get('more/v1/why_type.md') ?? '', '### `Be cause`');
  assert.match(
    made.get('loans_mgmt/v1_alpha1/index.md') ?? '',
    '| AlreadyLent | 17 | The copy is with somebody else. |',
  );
  assert.match(made.get('loans_mgmt/v1_alpha1/book_type.md') ?? '', '(../../library_mgmt/v1/book_type.md)');
});

test.run();
