// The pages about a served model over HTTP: what they are made of, and what else is asked below their path.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { memoryStore } from '../../../../adapters/ocm/gateway/store/memory.ts';
import { type Client, json } from './client.ts';
import { serving } from './served.ts';

const test = suite('pages of a served model over HTTP');

async function withClient(run: (client: Client) => Promise<void>): Promise<void> {
  const served = await serving(memoryStore());
  try {
    await run(served.client);
    assert.equal(served.defects, []);
  } finally {
    await served.close();
  }
}

test('36.6: services and versions are listed, each with its document and a page of it', () =>
  withClient(async (client) => {
    for (const path of ['/docs', '/docs/']) {
      const { status, headers, text } = await client.get(path);
      assert.equal([status, headers['content-type']], [200, 'text/html; charset=utf-8']);
      for (const [, href = ''] of text.matchAll(/<a href="([^"]*)"/g))
        assert.is((await client.get(href)).status, 200, href);
      for (const service of ['accounts_mgmt', 'clusters_mgmt']) {
        assert.ok(text.includes(`href="/docs/${service}/v1"`));
        assert.ok(text.includes(`href="/api/${service}/v1/openapi"`));
      }
    }
  }));

test('36.6: a page runs scripts of this server only, none within markup, and writes no markup (OCM-VIEWER-1)', () =>
  withClient(async (client) => {
    const { headers, text } = await client.get('/docs/clusters_mgmt/v1');
    const policy = String(headers['content-security-policy']).split('; ');
    for (const rule of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "trusted-types 'none'"])
      assert.ok(policy.includes(rule), rule);
    assert.is(headers['x-content-type-options'], 'nosniff');
    assert.not.match(text, /<script(?! src="\/docs\/)|<style|style=|\son\w+=|https?:/);
    const loaded = [...text.matchAll(/(?:src|rel="stylesheet" href)="([^"]*)"/g)].map(([, path = '']) => path);
    assert.is(loaded.length, 4);
    for (const path of loaded) {
      const file = await client.get(path);
      assert.is(file.status, 200, path);
      assert.match(String(file.headers['content-type']), /^text\/(?:css|javascript); charset=utf-8$/);
    }
  }));

test('nothing else is below the path of the pages, and it is only read', () =>
  withClient(async (client) => {
    const { text } = await client.get('/docs/clusters_mgmt/v1');
    const library = /\/docs\/(swagger-ui-dist@[^/]*)\//.exec(text)?.[1];
    for (const path of [
      '/docs/nowhere',
      '/docs/nowhere/v1',
      '/docs/clusters_mgmt/v2',
      '/docs/clusters_mgmt/v1/x',
      '/docs/pages.ts',
      '/docs/..%2Fpages.ts',
      `/docs/${library}/package.json`,
      `/docs/${library}/..%2F..%2Fpackage.json`,
    ]) {
      const reply = await client.get(path);
      assert.equal([reply.status, json(reply)['id']], [404, '404'], path);
    }
    assert.is((await client.send('HEAD', '/docs')).text, '');
    const posted = await client.post('/docs', {});
    assert.equal([posted.status, posted.headers['allow']], [405, 'GET, HEAD']);
  }));

test.run();
