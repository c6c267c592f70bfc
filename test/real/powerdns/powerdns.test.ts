// needs: powerdns
// The adapter for PowerDNS on a real one: create, edit, drift, deletion from outside, a killed process, the server down, a wrong key,
// wrong content, and the zone deleted first.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Manifest, openWorld, type World } from '../../../actors/testing/mod.ts';
import { powerDnsAdapter } from '../../example-adapter/powerdns/adapter.ts';
import { API_KEY, isInstalled, type PowerDnsServer, startPowerDns } from './server.ts';

const test = suite('powerdns');

interface RecordSet {
  readonly name: string;
  readonly type: string;
  readonly records: readonly { readonly content: string }[];
}

const of = (
  kind: string,
  name: string,
  spec: Record<string, unknown>,
  annotations: Record<string, string> = {},
): Manifest =>
  ({
    apiVersion: 'powerdns.example.org/v1',
    kind,
    metadata: { name, annotations },
    spec: { serverRef: 'powerdns', ...spec },
  }) as Manifest;
const zone = of('Zone', 'shop', { name: 'shop.example', nameservers: ['ns1.shop.example', 'ns2.shop.example'] });
const www = (...content: readonly string[]): Manifest =>
  of('RecordSet', 'www', { zoneRef: 'shop', name: 'www', type: 'A', ttl: 300, content });
const alias = of('Alias', 'shop', { zoneRef: 'shop', name: 'shop', target: 'www.shop.example' });

async function recordsOf(server: PowerDnsServer, name: string, type: string): Promise<readonly string[]> {
  const found = (await server.ask('GET', '/zones/shop.example.')) as
    | { readonly rrsets: readonly RecordSet[] }
    | undefined;
  const set = found?.rrsets.find((each) => each.name === name && each.type === type);
  return (set?.records ?? []).map(({ content }) => content).sort();
}

async function eventually(world: World, what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (let left = 600; !(await isSo()); left--) {
    if (left === 0) throw new Error(`it is not so: ${what}`);
    await world.clock.sleep(100);
  }
}

if (!isInstalled) process.stdout.write('skipped: there is no pdns_server; TROUPE_PDNS names a folder that has one\n');
else {
  test('35.C6: zones, records and aliases, whatever goes wrong', async () => {
    const server = await startPowerDns();
    const env = { POWERDNS_URL: server.url };
    const world = await openWorld({ adapter: powerDnsAdapter, env, time: 'real' });
    const a = (): Promise<readonly string[]> => recordsOf(server, 'www.shop.example.', 'A');
    try {
      // A wrong key; then all waits, in whatever order it was written.
      await world.secret('powerdns', { 'api-key': 'of-yesterday' });
      await world.apply(alias, www('192.0.2.1'), zone);
      await world.progressing('Zone', 'shop', /powerdns refuses GET \/api\/.* with 401/);
      await world.progressing('RecordSet', 'www', /Waiting for Zone\/shop to be ready/);
      await world.secret('powerdns', { 'api-key': API_KEY });
      for (const [kind, name] of [
        ['Zone', 'shop'],
        ['RecordSet', 'www'],
        ['Alias', 'shop'],
      ] as const)
        await world.available(kind, name);
      assert.equal(await a(), ['192.0.2.1']);
      assert.equal(await recordsOf(server, 'shop.shop.example.', 'CNAME'), ['www.shop.example.']);

      // An edit, and content that is wrong: refused, and mended by the next edit.
      await world.apply(www('192.0.2.2', '192.0.2.3'));
      await world.available('RecordSet', 'www');
      assert.equal(await a(), ['192.0.2.2', '192.0.2.3']);
      await world.apply(www('no address'));
      const refused = await world.until('RecordSet', 'www', 'refused', ({ status }) =>
        JSON.stringify(status).includes('with 422'),
      );
      assert.match(JSON.stringify(refused.status), /InvalidConfiguration/);
      await world.apply(www('192.0.2.4'));
      await world.available('RecordSet', 'www');

      // Drift, and a deletion from outside: looked at when somebody asks for it.
      const drift = {
        name: 'www.shop.example.',
        type: 'A',
        ttl: 60,
        changetype: 'REPLACE',
        records: [{ content: '198.51.100.9', disabled: false }],
      };
      await server.ask('PATCH', '/zones/shop.example.', { rrsets: [drift] });
      const retried = (at: string): Manifest => ({
        ...www('192.0.2.4'),
        metadata: { name: 'www', annotations: { 'troupe/retry': at } },
      });
      await world.apply(retried('one'));
      await eventually(world, 'the drift is mended', async () => (await a()).join() === '192.0.2.4');
      await server.ask('PATCH', '/zones/shop.example.', { rrsets: [{ ...drift, changetype: 'DELETE', records: [] }] });
      await world.apply(retried('two'));
      await eventually(world, 'it is made again', async () => (await a()).join() === '192.0.2.4');

      // The server is down while an object is edited, and the process dies meanwhile.
      await server.stop();
      await world.apply(www('192.0.2.5'));
      await world.progressing('RecordSet', 'www', /powerdns did not answer/);
      await world.crash();
      await server.start();
      await world.start();
      await eventually(world, 'the edit arrives', async () => (await a()).join() === '192.0.2.5');
      await world.available('RecordSet', 'www');

      // A process that is killed in the middle of a create: the next one makes it, once.
      const mail = of('RecordSet', 'mail', {
        zoneRef: 'shop',
        name: '_',
        type: 'MX',
        ttl: 300,
        content: ['10 mail.shop.example.'],
      });
      await world.apply(mail);
      await world.crash();
      await world.start();
      await world.available('RecordSet', 'mail');
      assert.equal(await recordsOf(server, 'shop.example.', 'MX'), ['10 mail.shop.example.']);

      // The zone is deleted first, and goes last.
      await world.remove('Zone', 'shop');
      await world.progressing('Zone', 'shop', /Waiting for finalizer powerdns\.example\.org\//);
      assert.equal(await a(), ['192.0.2.5']);
      for (const [kind, name] of [
        ['RecordSet', 'www'],
        ['RecordSet', 'mail'],
        ['Alias', 'shop'],
      ] as const)
        await world.remove(kind, name);
      for (const [kind, name] of [
        ['RecordSet', 'www'],
        ['Alias', 'shop'],
        ['Zone', 'shop'],
      ] as const)
        await world.gone(kind, name);
      assert.is(await server.ask('GET', '/zones/shop.example.'), undefined);
      assert.equal(world.errors, []);
    } finally {
      await world.close();
      await server.close();
    }
  });
  test.run();
}
