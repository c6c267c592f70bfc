// Generated TypeScript: it compiles under `strict`, right uses of it do and wrong ones do not, and the client works over HTTP.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mulberry32 } from '../../../actors/base/clock.ts';
import { readModel, Workspace } from '../../../adapters/ocm/model/mod.ts';
import { typeScript } from '../../../adapters/ocm/types/mod.ts';
import { OWN, REFERENCE } from './corpus.ts';
import { synthesize } from './synthetic.ts';

const test = suite('types');

const TSC = fileURLToPath(new URL('../../../node_modules/typescript/bin/tsc', import.meta.url));
const USAGE = new URL('./usage/library.ts.txt', import.meta.url);
/** Names that TypeScript has too, and names that are close to each other. */
const NASTY = `
  // Entry */ point.
  @deprecated
  resource Root {
    locator Things { target Things }
    locator ThingsResource { target Things variable ID }
    locator List { target Empty }
    method List { in out Page Integer = 1 in out Size Integer = 100 out Total Integer out Items []Map }
    @json(name = "toString") method Post { in Delete Error out New Promise }
  }
  resource Things {
    method Add { in out Body Record @json(name = "class") in DryRun Boolean in out Default String }
    // Does \`this\`.
    //
    // And that.
    method Function { in AWSThing [E]Record @json(name = "aws-thing") in AwsThing []Object out Var Interface out Some [String]Long }
    method AsyncUpdate { in out Body []Things }
    method New { in Old String }
    method Constructor { }
  }
  resource Empty { locator New { target Empties } }
  resource Empties { }
  resource Unreached { method Get { out Body Array } }
  class Map { link Many []Map One Record  @json(name = "with-dash") Dash Array @json(name = "it's") Quote [String]Record }
  class Error { Message String }
  class Promise { } struct Record { ID Long } struct Object { E E } struct Array { Of []Array } class Things { } class ThingsResource { }
  struct AsyncIterable { } class AWSShard { } class AwsShard { }
  enum E { Class @json(name = "quo'te\\\\") Quote @deprecated Old } enum None { }
  error Conflict { code 409 } error Other { }`;

/** Writes all modules for some models into a folder. */
function generateInto(folder: string, add: (workspace: Workspace) => void): void {
  const workspace = new Workspace();
  add(workspace);
  assert.equal(
    workspace.diagnostics().filter(({ severity }) => severity === 'error'),
    [],
  );
  for (const [file, text] of typeScript(workspace.model())) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
}

async function inFolder(work: (folder: string) => Promise<void> | void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-types-'));
  try {
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('modules compile under strict, as do right uses of them; wrong uses do not', async () => {
  await inFolder((folder) => {
    generateInto(join(folder, 'own'), (workspace) => readModel(workspace, [OWN]));
    writeFileSync(join(folder, 'own', 'usage.ts'), readFileSync(USAGE));
    generateInto(join(folder, 'made'), (workspace) => {
      workspace.set('nasty/v1/x.model', NASTY);
      for (const [file, text] of synthesize(mulberry32(3), { files: 40, lines: 1_500, services: 2 })) {
        workspace.set(file, text);
      }
    });
    if (existsSync(REFERENCE)) {
      generateInto(join(folder, 'reference'), (workspace) => readModel(workspace, [REFERENCE]));
    }
    const compilerOptions = {
      strict: true,
      noEmit: true,
      target: 'es2024',
      module: 'nodenext',
      lib: ['esnext', 'dom', 'dom.iterable'],
      types: [],
      noUnusedLocals: true,
      noUnusedParameters: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      erasableSyntaxOnly: true,
      verbatimModuleSyntax: true,
      isolatedModules: true,
    };
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['.'] }));
    const { status, stdout } = spawnSync(process.execPath, [TSC, '-p', folder], { encoding: 'utf8' });
    assert.is(stdout, '');
    assert.is(status, 0);
  });
});

/** What the test uses of the generated module, which is not there when this file is checked. */
interface Library {
  books(): {
    listAll(parameters?: { size?: number; page?: number; search?: string }): AsyncIterable<{ title: string }>;
    add(parameters: { body: unknown; dryRun?: boolean }): Promise<unknown>;
    book(id: string): {
      get(parameters?: object, options?: { signal?: AbortSignal }): Promise<unknown>;
      asyncDelete(): Promise<unknown>;
      lendOut(parameters?: object): Promise<unknown>;
    };
  };
}

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly authorization: string | undefined;
  readonly body: string;
}

type Reply = (seen: Seen) => { status: number; body?: unknown; text?: string };

async function withLibrary(
  reply: Reply,
  work: (library: Library, seen: readonly Seen[]) => Promise<void>,
): Promise<void> {
  await inFolder(async (folder) => {
    generateInto(folder, (workspace) => readModel(workspace, [OWN]));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    const seen: Seen[] = [];
    const http = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      const { method, url, headers } = request;
      seen.push({ method, url, authorization: headers.authorization, body });
      const answer = reply(seen.at(-1) as Seen);
      response.writeHead(answer.status, { 'content-type': 'application/json', connection: 'close' });
      response.end(answer.text ?? (answer.body === undefined ? '' : JSON.stringify(answer.body)));
    });
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    try {
      const { server } = await import(pathToFileURL(join(folder, 'client.ts')).href);
      const { connect } = await import(pathToFileURL(join(folder, 'library_mgmt', 'v1.ts')).href);
      const { port } = http.address() as AddressInfo;
      await work(connect(server({ url: `http://127.0.0.1:${port}/`, token: () => 'secret' })) as Library, seen);
    } finally {
      http.close();
    }
  });
}

test('calls go where the model says, and answers come back', async () => {
  await withLibrary(
    ({ method }) => (method === 'DELETE' ? { status: 202 } : { status: 200, body: { id: 'a/b' } }),
    async (library, seen) => {
      assert.equal(await library.books().add({ body: { title: 'T' }, dryRun: true }), { id: 'a/b' });
      assert.equal(await library.books().book('a/b').get(), { id: 'a/b' });
      assert.is(await library.books().book('x').asyncDelete(), undefined);
      await library.books().book('x').lendOut({ user_id: 'u' });
      assert.equal(seen, [
        {
          method: 'POST',
          url: '/api/library_mgmt/v1/books?dryRun=true',
          authorization: 'Bearer secret',
          body: '{"title":"T"}',
        },
        { method: 'GET', url: '/api/library_mgmt/v1/books/a%2Fb', authorization: 'Bearer secret', body: '' },
        { method: 'DELETE', url: '/api/library_mgmt/v1/books/x', authorization: 'Bearer secret', body: '' },
        {
          method: 'POST',
          url: '/api/library_mgmt/v1/books/x/lend_out',
          authorization: 'Bearer secret',
          body: '{"user_id":"u"}',
        },
      ]);
      for (const id of ['', '.', '..']) assert.throws(() => library.books().book(id), /cannot be an identifier/);
    },
  );
});

test('all items come page after page, with what was asked for', async () => {
  const books = ['a', 'b', 'c', 'd', 'e'].map((title) => ({ title }));
  let hasTotal = true;
  await withLibrary(
    ({ url }) => {
      const query = new URL(url ?? '', 'http://x').searchParams;
      const [page, size] = [Number(query.get('page')), Number(query.get('size'))];
      const items = books.slice((page - 1) * size, page * size);
      return { status: 200, body: { page, size: items.length, items, ...(hasTotal ? { total: books.length } : {}) } };
    },
    async (library, seen) => {
      const titles = async (parameters: { size: number; page?: number; search?: string }): Promise<string> =>
        (await Array.fromAsync(library.books().listAll(parameters), ({ title }) => title)).join('');
      assert.is(await titles({ size: 2, search: 'x' }), 'abcde');
      assert.is(seen.length, 3);
      assert.is(seen[2]?.url, '/api/library_mgmt/v1/books?page=3&search=x&size=2');
      assert.is(await titles({ size: 2, page: 2 }), 'cde');
      hasTotal = false;
      assert.is(await titles({ size: 5 }), 'abcde');
    },
  );
});

test('a list of all items can be taken out of its resource', async () => {
  await withLibrary(
    () => ({ status: 200, body: { items: [{ title: 'a' }], total: 1 } }),
    async (library) => {
      const { listAll } = library.books();
      assert.equal(await Array.fromAsync(listAll()), [{ title: 'a' }]);
    },
  );
});

test('a refusal says what it is; what is no answer is told apart', async () => {
  const body = { kind: 'Error', id: '17', code: 'LIBRARY-MGMT-17', reason: 'lent' };
  const replies: Record<string, { status: number; body?: unknown; text?: string }> = {
    '/api/library_mgmt/v1/books/lent': { status: 409, body },
    '/api/library_mgmt/v1/books/proxy': { status: 502, text: '<html>' },
    '/api/library_mgmt/v1/books/odd': { status: 200, text: '<html>' },
  };
  await withLibrary(
    ({ url }) => replies[url ?? ''] ?? { status: 500 },
    async (library) => {
      const error = async (id: string, options = {}): Promise<Record<string, unknown>> => {
        try {
          await library.books().book(id).get({}, options);
        } catch (thrown) {
          return thrown as Record<string, unknown>;
        }
        return assert.unreachable() as never;
      };
      const lent = await error('lent');
      assert.is(lent['name'], 'ApiError');
      assert.is(lent['status'], 409);
      assert.equal(lent['body'], body);
      assert.ok((lent as unknown as { is(code: number): boolean }).is(17));
      assert.equal((await error('proxy'))['body'], { reason: '<html>' });
      assert.is((await error('odd'))['name'], 'ConnectionError');
      assert.is((await error('lent', { signal: AbortSignal.abort() }))['name'], 'AbortError');
    },
  );
});

test.run();
