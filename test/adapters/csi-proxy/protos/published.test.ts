// The published definitions, read: complete, and with right places.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import protobuf from 'protobufjs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { allMessages, readProto } from '../../../../adapters/csi-proxy/protos/mod.ts';

const test = suite('published protos');
const PROTOS = new URL('../../../../../shared/reference/csi-proxy-protos/', import.meta.url);

test('all 23 files are read, with what protobufjs finds in them, each name where it stands', () => {
  const files = globSync('*/*/api.proto', { cwd: fileURLToPath(PROTOS) });
  assert.is(files.length, 23);
  for (const file of files) {
    const text = readFileSync(new URL(file, PROTOS), 'utf8');
    const proto = readProto(text, file);
    assert.equal(proto.unsupported, []);
    const { root } = protobuf.parse(text, { keepCase: true });
    const messages = allMessages(proto);
    for (const { path, fields } of messages) {
      assert.equal(
        fields.map(({ name, number }) => [name, number]),
        root.lookupType(`${proto.package?.name}.${path}`).fieldsArray.map(({ name, id }) => [name, id]),
      );
    }
    const lines = text.split('\n');
    const rpcs = proto.services.flatMap((service) => service.rpcs);
    assert.is(rpcs.length, text.match(/^ *rpc /gm)?.length);
    for (const { name, at } of [...rpcs, ...messages, ...messages.flatMap(({ fields }) => fields)]) {
      assert.is(lines[at.line - 1]?.slice(at.column - 1).startsWith(name), true);
    }
  }
});

if (existsSync(PROTOS)) test.run();
else process.stdout.write('skipped: the published protos are not here\n');
