import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Harness, listAt, serverChecks, withServer } from '../../../world/api-calls.ts';
import { fc } from '../../../world/properties.ts';

const test = suite('embedded api server: pages of lists');
const onServer = serverChecks(test);

const SECRETS = '/api/v1/namespaces/default/secrets';

const secret = (name: string, value: string): Record<string, unknown> => ({
  metadata: { name },
  data: { value: btoa(value) },
});

/** What a list shows, and its revision and token. */
async function shown(
  call: Harness['call'],
  query: string,
): Promise<{ items: readonly string[]; revision: string; token: string | undefined }> {
  const { code, body, text } = await call('GET', `${SECRETS}?${query}`);
  assert.is(code, 200, text);
  const items = listAt(body['items']).map((item) => {
    const { metadata, data } = item as { metadata: { name: string }; data: { value: string } };
    return `${metadata.name}=${atob(data.value)}`;
  });
  const { metadata } = body;
  return { items, revision: String(metadata?.['resourceVersion']), token: metadata?.['continue'] };
}

onServer(
  'the pages of a list are of one revision, whatever is written between them (KSIM-PAGES-1)',
  async ({ call }) => {
    for (const name of ['a', 'b', 'c', 'd']) await call('POST', SECRETS, { body: secret(name, '1') });
    const first = await shown(call, 'limit=2');
    assert.equal(first.items, ['a=1', 'b=1']);
    await call('DELETE', `${SECRETS}/d`);
    await call('PUT', `${SECRETS}/c`, { body: secret('c', '2') });
    await call('POST', SECRETS, { body: secret('cc', '1') });
    const rest = await shown(call, `continue=${first.token}`);
    assert.equal(rest.items, ['c=1', 'd=1']);
    assert.is(rest.revision, first.revision);
    const exact = await shown(call, `resourceVersion=${first.revision}&resourceVersionMatch=Exact`);
    assert.equal(exact.items, ['a=1', 'b=1', 'c=1', 'd=1']);
    assert.equal((await shown(call, '')).items, ['a=1', 'b=1', 'c=2', 'cc=1']);
  },
);

onServer(
  'a revision that is not remembered is refused, with a token for who takes the present instead',
  async ({ call }) => {
    for (const name of ['a', 'b', 'c']) await call('POST', SECRETS, { body: secret(name, '1') });
    const token = Buffer.from('{"v":"meta.k8s.io/v1","rv":1,"start":"/a\\u0000"}').toString('base64url');
    const { code, body } = await call('GET', `${SECRETS}?continue=${token}`);
    assert.is(code, 410);
    assert.match(
      String(body['message']),
      /^The provided continue parameter is too old to display a consistent list result\./,
    );
    const inconsistent = await shown(call, `continue=${body['metadata']?.['continue']}`);
    assert.equal(inconsistent.items, ['b=1', 'c=1']);
    const exact = await call('GET', `${SECRETS}?resourceVersion=1&resourceVersionMatch=Exact`);
    assert.is(exact.code, 410);
  },
);

onServer('what is no token is refused', async ({ call }) => {
  const refusal = async (token: string): Promise<string> => {
    const { code, body } = await call('GET', `${SECRETS}?continue=${token}`);
    assert.is(code, 400);
    return String(body['message']).replace('invalid continue token: continue key is not valid: ', '');
  };
  const encoded = (text: string): string => Buffer.from(text).toString('base64url');
  assert.is(await refusal('***'), 'illegal base64 data at input byte 0');
  assert.is(await refusal(encoded('{}')), 'server does not recognize this encoded version ');
  assert.is(await refusal(encoded('{"v":"meta.k8s.io/v1","rv":5,"start":"../x"}')), '../x');
  const both = await call('GET', `${SECRETS}?continue=${encoded('{}')}&resourceVersion=5`);
  assert.is(both.body['message'], 'specifying resource version is not allowed when using continue');
});

type Write = readonly [name: string, value: string | undefined];

test('a list of an older revision is what a list at that time showed (KSIM-PAGES-1)', async () => {
  const seed = Number(process.env['SEED'] ?? 20_261_121);
  const name = fc.constantFrom('a', 'b', 'b-c', 'd', 'e');
  const value = fc.option(fc.constantFrom('1', '2', '3'), { nil: undefined });
  await withServer(async ({ call }) => {
    const write = async ([key, wanted]: Write): Promise<void> => {
      if (wanted === undefined) await call('DELETE', `${SECRETS}/${key}`);
      else if ((await call('POST', SECRETS, { body: secret(key, wanted) })).code === 409) {
        await call('PUT', `${SECRETS}/${key}`, { body: secret(key, wanted) });
      }
    };
    const writes: fc.Arbitrary<Write[]> = fc.array(fc.tuple(name, value), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(writes, writes, fc.integer({ min: 1, max: 3 }), async (before, after, limit) => {
        for (const one of before) await write(one);
        const then = await shown(call, '');
        for (const one of after) await write(one);
        const found: string[] = [];
        let page = await shown(call, `limit=${limit}&resourceVersion=${then.revision}&resourceVersionMatch=Exact`);
        found.push(...page.items);
        while (page.token !== undefined && page.token !== '') {
          page = await shown(call, `limit=${limit}&continue=${page.token}`);
          found.push(...page.items);
        }
        assert.equal(found, then.items);
      }),
      { seed, numRuns: 60 },
    );
  })();
});

test.run();
