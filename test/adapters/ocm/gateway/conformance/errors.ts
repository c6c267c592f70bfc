// Chapters 5, 6 and 8: errors, metadata, what is deprecated.
import * as assert from 'uvu/assert';
import { itemsOf, json, type Reply } from '../client.ts';
import { CLUSTERS, PROVIDERS } from '../store.suite.ts';
import { created, ISO, type Rule, refused, SUBSCRIPTIONS, VERSIONS } from './rules.ts';

export function errors(rule: Rule): void {
  rule('5: an error has its members, and its code begins as the service wants', async ({ client }) => {
    const { timestamp, operation_id: operation, ...error } = json(await client.get(`${CLUSTERS}/123`));
    assert.equal(error, {
      kind: 'Error',
      id: '404',
      href: '/api/clusters_mgmt/v1/errors/404',
      code: 'CLUSTERS-MGMT-404',
      reason: "Cluster '123' not found",
    });
    assert.match(String(timestamp), ISO);
    assert.ok(String(operation).length > 0);
    assert.is(json(await client.get(`${SUBSCRIPTIONS}/x`))['code'], 'ACCT-MGMT-404');
  });

  rule('5: errors are a list, those of the model among them', async ({ client }) => {
    const path = '/api/clusters_mgmt/v1/errors';
    const all = json(await client.get(path));
    assert.is(all['kind'], 'ErrorList');
    const own = itemsOf(await client.get(`${path}?size=-1`)).find(({ id }) => id === '1001');
    assert.equal(own, {
      kind: 'Error',
      id: '1001',
      href: `${path}/1001`,
      code: 'CLUSTERS-MGMT-1001',
      reason: 'The cluster has an external identifier that another one has.',
    });
    assert.equal(json(await client.get(`${path}/1001`)), own);
    assert.is(json(await client.get(`${path}/404`))['id'], '404');
    refused(await client.get(`${path}/7`), 404, /Error '7' not found/);
    const page = json(await client.get(`${path}?size=2&page=2`));
    assert.equal([page['page'], page['size'], page['total']], [2, 2, all['total']]);
  });

  rule('6: metadata of services, versions and collections', async ({ client }) => {
    assert.equal(json(await client.get('/api')), {
      kind: 'APIList',
      items: [
        { kind: 'API', id: 'accounts_mgmt', href: '/api/accounts_mgmt' },
        { kind: 'API', id: 'clusters_mgmt', href: '/api/clusters_mgmt' },
      ],
    });
    assert.equal(json(await client.get('/api/clusters_mgmt/')), {
      kind: 'API',
      id: 'clusters_mgmt',
      href: '/api/clusters_mgmt',
      versions: [{ kind: 'APIVersion', id: 'v1', href: '/api/clusters_mgmt/v1' }],
    });
    assert.equal(json(await client.get('/api/clusters_mgmt/v1')), {
      kind: 'APIVersion',
      id: 'v1',
      href: '/api/clusters_mgmt/v1',
      server_version: 'test-build',
      collections: [
        { id: 'cloud_providers', kind: 'CloudProviderList', href: PROVIDERS },
        { id: 'clusters', kind: 'ClusterList', href: CLUSTERS },
        { id: 'versions', kind: 'VersionList', href: VERSIONS },
      ],
    });
    refused(await client.post('/api', {}), 405, /no method 'POST'/);
    refused(await client.get('/api/other'), 404, /no such path/);
    refused(await client.get('/api/clusters_mgmt/v2'), 404, /no such path/);
  });

  rule('6: the OpenAPI document', async ({ client }) => {
    const document = json(await client.get('/api/clusters_mgmt/v1/openapi'));
    assert.is(document['openapi'], '3.0.0');
    assert.ok(Object.keys(document['paths'] as object).includes(CLUSTERS));
  });

  // Chapter 8.

  rule('8: a deprecated resource or parameter is named in headers, of errors as well', async ({ client }) => {
    const headersOf = async (path: string): Promise<unknown[]> => {
      const { headers } = await client.get(path);
      return [headers['deprecation'], headers['x-ocm-deprecation-message']];
    };
    const [date, message] = ['2031-01-31T00:00:00Z', 'Use the release service.'];
    assert.equal(await headersOf(VERSIONS), [date, message]);
    assert.equal(await headersOf(`${VERSIONS}?order=id`), [date, `${message} 'order' is deprecated`]);
    assert.equal(await headersOf(`${VERSIONS}?size=x`), [date, message]);
    assert.equal(await headersOf(CLUSTERS), [undefined, undefined]);
    assert.equal(await headersOf(`${CLUSTERS}/x`), [undefined, undefined]);
  });

  rule('8: deprecated fields are named in headers where they are sent', async ({ client }) => {
    const notice = ({ headers }: Reply): unknown => headers['x-ocm-field-deprecation'];
    const told = '{"channel_group":"Use channel."}';
    assert.is(notice(await created(client, CLUSTERS, { id: 'a', channel_group: 'stable' })), told);
    assert.is(notice(await created(client, CLUSTERS, { id: 'b' })), undefined);
    assert.is(notice(await client.get(`${CLUSTERS}/a`)), told);
    assert.is(notice(await client.patch(`${CLUSTERS}/a`, { name: 'x' })), told);
    assert.is(notice(await client.get(CLUSTERS)), told);
    assert.is(notice(await client.get(`${CLUSTERS}?fields=channel_group`)), told);
    for (const path of [
      `${CLUSTERS}/b`,
      `${CLUSTERS}?size=1&page=2`,
      `${CLUSTERS}?fields=name`,
      `${CLUSTERS}/a?fields=id`,
    ]) {
      assert.is(notice(await client.get(path)), undefined, path);
    }
  });
}
