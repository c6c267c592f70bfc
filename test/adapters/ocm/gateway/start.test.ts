// What it takes to serve a model of the size of the real one, in bytes and in work that waits until it is asked for.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mulberry32 } from '../../../../actors/base/clock.ts';
import { memoryStore } from '../../../../adapters/ocm/gateway/store/memory.ts';
import { Workspace } from '../../../../adapters/ocm/model/mod.ts';
import { REAL_SIZE, synthesize } from '../synthetic.ts';
import { json } from './client.ts';
import { serving } from './served.ts';

const test = suite('start of a served model');
const MEGABYTE = 1024 * 1024;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function heap(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / MEGABYTE;
}

test('36.A3: twelve services of 958 files are served in a few megabytes, their documents made when asked for', async () => {
  const files = synthesize(mulberry32(1), REAL_SIZE);
  const before = heap();
  const workspace = new Workspace();
  for (const [file, text] of files) workspace.set(`m/${file}`, text);
  assert.equal(
    workspace.diagnostics().filter(({ severity }) => severity === 'error'),
    [],
  );
  const model = workspace.model();
  const read = heap();
  assert.ok(read - before < 30, `the model takes ${read - before} MB`);
  const served = await serving(memoryStore(), { model });
  try {
    assert.is(served.api.served.services.size, REAL_SIZE.services);
    const all = heap();
    assert.ok(all - read < 8, `routes, tables and indexes take ${all - read} MB`);
    const document = await served.client.get('/api/service_0/v1/openapi');
    assert.ok(document.text.length > MEGABYTE / 4);
    assert.is(json(document)['openapi'], '3.0.0');
    assert.ok(heap() - all < 4 + document.text.length / MEGABYTE, 'one document takes more than itself');
    const asked = heap();
    const script = /"(\/docs\/swagger[^"]*\.js)"/.exec((await served.client.get('/docs/service_0/v1')).text)?.[1] ?? '';
    assert.ok((await served.client.get(script)).bytes.length > MEGABYTE);
    assert.ok(heap() - asked < 1, 'a viewer that was asked for is kept (OCM-VIEWER-2)');
  } finally {
    await served.close();
  }
});

test.run();
