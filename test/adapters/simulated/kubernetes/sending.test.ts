import { request } from 'node:https';
import { gunzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Harness, serverChecks } from '../../../world/api-calls.ts';

const test = suite('embedded api server: sending');
const onServer = serverChecks(test);

const MAPS = '/api/v1/namespaces/default/configmaps';

/** The raw bytes of an answer. */
function read(
  { server }: Harness,
  path: string,
  encoding: string,
): Promise<{ headers: NodeJS.Dict<string | string[]>; bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${server.token}`, 'accept-encoding': encoding };
    const outgoing = request(
      `${server.url}${path}`,
      { ca: server.caCertificate, agent: false, headers },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve({ headers: response.headers, bytes: Buffer.concat(chunks) }));
      },
    );
    outgoing.on('error', reject);
    outgoing.end();
  });
}

onServer(
  'answers over 128 KiB are compressed for who accepts it',
  async (harness) => {
    const data = { text: 'x'.repeat(140_000) };
    await harness.call('POST', MAPS, { body: { metadata: { name: 'big' }, data } });
    const packed = await read(harness, `${MAPS}/big`, 'br, gzip');
    assert.is(packed.headers['content-encoding'], 'gzip');
    assert.is(packed.headers['vary'], 'Accept-Encoding');
    const plain = await read(harness, `${MAPS}/big`, 'gzip;q=1.0');
    assert.is(plain.headers['content-encoding'], undefined);
    assert.is(plain.headers['vary'], undefined);
    assert.is(gunzipSync(packed.bytes).toString(), plain.bytes.toString());
    assert.is((await read(harness, '/api/v1/namespaces/default', 'gzip')).headers['content-encoding'], undefined);
  },
  'sockets',
);

onServer(
  'a long list is sent in pieces that are whole, whatever its characters',
  async (harness) => {
    const data = { text: `x${'\u{1f600}'.repeat(40_000)}` };
    for (const name of ['a', 'b', 'c']) await harness.call('POST', MAPS, { body: { metadata: { name }, data } });
    const plain = await read(harness, MAPS, '');
    const { items } = JSON.parse(plain.bytes.toString()) as { items: { data: { text: string } }[] };
    assert.equal(items.map((item) => item.data?.text).slice(0, 3), [data.text, data.text, data.text]);
    assert.is(plain.headers['content-length'], undefined);
    const packed = await read(harness, MAPS, 'gzip');
    assert.is(gunzipSync(packed.bytes).toString(), plain.bytes.toString());
  },
  'sockets',
);

onServer(
  'a watch ends in good order when the server closes',
  async (harness) => {
    const ended = read(harness, `${MAPS}?watch=1&resourceVersion=0`, 'gzip');
    await harness.call('POST', MAPS, { body: { metadata: { name: 'a' } } });
    await harness.server.close();
    assert.match((await ended).bytes.toString(), '"name":"a"');
  },
  'sockets',
);

test.run();
