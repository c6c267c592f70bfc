// Documentation: a page for everything, none in the place of another, and links that lead somewhere.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { posix } from 'node:path';
import { runInNewContext } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { documentation, htmlSite } from '../../../adapters/ocm/docs/mod.ts';
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

const HOSTILE = `
  resource Root {
    // Leads on. And says more of it.
    locator Books { target Books } }
  // All <script>alert(1)</script> books. See [x](javascript:alert(1)) and <img src=x onerror=alert(1)> & "quotes".
  resource Books {
    method List { in out Page Integer = 1 in out Size Integer = 100
      // Which ones (e.g. those of a shelf) are asked for.
      //
      // The syntax is that of SQL:
      //
      // \`\`\`sql
      // title like 'A%' and "x" < 5
      // \`\`\`
      //
      // - [more](https://example.com/a)
      in Search String
      out Total Integer out Items []Book }
  }
  // </script><script>alert(2)</script> | a \`|\` pipe.
  class Book { Title String }
  // Nobody has it. Ask later.
  error Lent { code 5 }`;

function madeOf(text: string): { markdown: Map<string, string>; site: Map<string, string> } {
  const workspace = new Workspace();
  workspace.set('shop/v1/x.model', text);
  const model = workspace.model();
  const markdown = documentation(model);
  return { markdown, site: htmlSite(model, markdown) };
}

test('whole texts of parameters, locators and errors are there, and not only their first sentences', () => {
  const { markdown } = madeOf(HOSTILE);
  const books = markdown.get('shop/v1/books_resource.md') ?? '';
  assert.match(books, '| Which ones (e.g. those of a shelf) are asked for. |');
  assert.match(
    books,
    '\n**Search**\n\nWhich ones (e.g. those of a shelf) are asked for.\n\nThe syntax is that of SQL:\n',
  );
  assert.match(books, 'title like \'A%\' and "x" < 5');
  assert.match(markdown.get('shop/v1/root_resource.md') ?? '', '\n**Books**\n\nLeads on. And says more of it.\n');
  assert.match(markdown.get('shop/v1/index.md') ?? '', '\n**Lent**\n\nNobody has it. Ask later.\n');
});

/** None loads anything, but where an attribute says so. */
const ELEMENTS: ReadonlySet<string> = new Set(
  'html head meta title body nav main a h1 h2 h3 p br ul li table thead tbody tr th td code pre strong label input'.split(
    ' ',
  ),
);

test('the site shows what a model says as text, and lets nothing run but its own search', () => {
  const { site } = madeOf(HOSTILE);
  assert.is(site.size, 5);
  for (const [file, page] of site) {
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? '';
    assert.match(policy, "default-src 'none';");
    const style = /<style>([\s\S]*?)<\/style>/.exec(page)?.[1] ?? '';
    assert.ok(policy.includes(`style-src '${sha256(style)}'`));
    const scripts = [...page.matchAll(/<script([^>]*)>([\s\S]*?)<\/script>/g)];
    assert.is(scripts.length, file === 'index.html' ? 2 : 0);
    for (const [, attributes, text = ''] of scripts) {
      if (attributes === '') assert.ok(policy.includes(`script-src '${sha256(text)}'`));
      else assert.match(attributes ?? '', 'type="application/json"');
    }
    const markup = page.replaceAll(/<(script|style)[^>]*>[\s\S]*?<\/\1>/g, '');
    for (const [, element = '', attributes = ''] of markup.matchAll(/<([a-z0-9]+)([^>]*)>/gi)) {
      assert.ok(ELEMENTS.has(element), element);
      for (const [, name = '', value = ''] of attributes.matchAll(/([\w-]+)(?:="([^"]*)")?/g)) {
        assert.not.match(name, /^(?:src|style|on)/);
        if (name === 'href') assert.match(value, /^(?:https:\/\/example\.com\/a|[\w./]*(?:#[\w-]+)?)$/);
      }
    }
  }
  const books = site.get('shop/v1/books_resource.html') ?? '';
  assert.match(books, '&lt;script&gt;alert(1)&lt;/script&gt; books');
  assert.match(books, '[x](javascript:alert(1))');
  assert.match(books, '<pre><code>title like &#39;A%&#39; and &quot;x&quot; &lt; 5</code></pre>');
  assert.match(books, '<li><a href="https://example.com/a" rel="noreferrer">more</a></li>');
});

test('every link of the site, and every place that its search leads to, is there', () => {
  const workspace = new Workspace();
  for (const root of [OWN, ...(existsSync(REFERENCE) ? [REFERENCE] : [])]) readInto(workspace, root);
  const model = workspace.model();
  const site = htmlSite(model, documentation(model));
  const ids = new Map(
    [...site].map(([file, page]) => [file, new Set([...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id))]),
  );
  const check = (from: string, href: string): void => {
    const [path = '', id] = href.split('#');
    const to = path === '' ? from : posix.join(posix.dirname(from), path);
    assert.ok(ids.has(to), `${from} links to ${href}`);
    if (id !== undefined) assert.ok(ids.get(to)?.has(id), `${from} links to ${href}`);
  };
  let links = 0;
  for (const [file, page] of site) {
    for (const [, href = ''] of page.matchAll(
      /<a href="((?:\.\.\/|[a-z0-9_]+\/)*[a-z0-9_]*(?:\.html)?(?:#[^"]*)?)"/g,
    )) {
      check(file, href);
      links++;
    }
  }
  assert.ok(links > 100);
  const entries = entriesIn(site);
  assert.ok(entries.length > 50);
  for (const [, , href] of entries) check('index.html', href);
});

test('the search finds all that has every word, names first', () => {
  const { site } = madeOf(HOSTILE);
  const page = site.get('index.html') ?? '';
  const script = /<script>([\s\S]*?)<\/script>/.exec(page)?.[1] ?? '';
  const elements = new Map<string, Record<string, unknown>>();
  const element = (): Record<string, unknown> => {
    const children: unknown[] = [];
    const take = (...items: unknown[]): void => void children.splice(children.length, 0, ...items);
    return { children, append: take, replaceChildren: (...items: unknown[]) => children.splice(0, Infinity, ...items) };
  };
  for (const id of ['search', 'found', 'count', 'entries']) elements.set(id, element());
  const field = elements.get('search') ?? {};
  let show = (): void => assert.unreachable();
  Object.assign(field, { value: '', addEventListener: (_: string, listener: () => void) => (show = listener) });
  Object.assign(elements.get('entries') ?? {}, { textContent: JSON.stringify(entriesIn(site)) });
  runInNewContext(script, { document: { getElementById: (id: string) => elements.get(id), createElement: element } });
  const namesFor = (words: string): unknown[] => {
    field['value'] = words;
    show();
    const items = elements.get('found')?.['children'] as { children: { textContent: unknown }[] }[];
    return items.map(({ children: [link] }) => link?.textContent);
  };
  assert.equal(namesFor('sql SHELF'), ['Books.List.Search']);
  assert.is(namesFor('book')[0], 'Books');
  assert.equal(namesFor('nothing like it'), []);
  assert.equal(namesFor(''), []);
});

function entriesIn(site: ReadonlyMap<string, string>): [name: string, what: string, href: string, text: string][] {
  const page = site.get('index.html') ?? '';
  return JSON.parse(/<script type="application\/json" id="entries">([\s\S]*?)<\/script>/.exec(page)?.[1] ?? '');
}

function sha256(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

test.run();
