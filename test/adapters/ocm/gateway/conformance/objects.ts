// Chapter 2: objects and their links.
import * as assert from 'uvu/assert';
import { json } from '../client.ts';
import { CLUSTERS, PROVIDERS } from '../store.suite.ts';
import { created, type Rule, refused, SUBSCRIPTIONS } from './rules.ts';

export function objects(rule: Rule): void {
  rule('2: an object begins with kind, id and href, then what is set in the order of names', async ({ client }) => {
    const reply = await created(client, PROVIDERS, { name: 'aws', id: 'aws', display_name: 'AWS' });
    assert.is(
      reply.text,
      `{"kind":"CloudProvider","id":"aws","href":"${PROVIDERS}/aws","display_name":"AWS","name":"aws"}`,
    );
    assert.is((await client.get(`${PROVIDERS}/aws`)).text, reply.text);
  });

  rule('2: the server makes identifiers, unless the caller chooses one', async ({ client }) => {
    const { id, href } = json(await created(client, CLUSTERS, {}));
    assert.ok(typeof id === 'string' && id.length > 0);
    assert.is(href, `${CLUSTERS}/${id}`);
    assert.is((await client.get(String(href))).status, 200);
  });

  rule('2: links have kind, id and href in this order, lists of links kind and href', async ({ client }) => {
    await created(client, PROVIDERS, { id: 'aws' });
    const reply = await created(client, CLUSTERS, {
      id: 'a',
      cloud_provider: { kind: 'Nonsense', id: 'aws', href: 'http://evil/' },
      product: { id: 'rosa' },
    });
    const { cloud_provider: provider, product, machine_pools: pools } = json(reply);
    assert.is(JSON.stringify(provider), `{"kind":"CloudProviderLink","id":"aws","href":"${PROVIDERS}/aws"}`);
    assert.equal(product, { kind: 'ProductLink', id: 'rosa' });
    assert.is(JSON.stringify(pools), `{"kind":"MachinePoolListLink","href":"${CLUSTERS}/a/machine_pools"}`);
  });

  rule('2: a link into another service has its prefix', async ({ client }) => {
    await created(client, SUBSCRIPTIONS, { id: 's1' });
    const reply = await created(client, CLUSTERS, { id: 'a', subscription: { id: 's1' } });
    assert.equal(json(reply)['subscription'], { kind: 'SubscriptionLink', id: 's1', href: `${SUBSCRIPTIONS}/s1` });
  });

  rule('2: a link to what is not there is refused', async ({ client }) => {
    refused(
      await client.post(CLUSTERS, { cloud_provider: { id: 'nope' } }),
      400,
      /'cloud_provider' names CloudProvider 'nope'/,
    );
    await created(client, CLUSTERS, { id: 'a' });
    refused(await client.patch(`${CLUSTERS}/a`, { cloud_provider: { id: 'nope' } }), 400, /does not exist/);
  });
}
