// Published documents: what is generated from the models they belong to equals them, byte for byte.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readModel, Workspace } from '../../../adapters/ocm/model/mod.ts';
import { openApi } from '../../../adapters/ocm/openapi/mod.ts';

const SHARED = fileURLToPath(new URL('../../../../shared/reference', import.meta.url));

/** Versions that publish a document, by `<model>/<service>/<version>`. */
const PUBLISHED = ['ocm-model', 'ocm-model-example'].flatMap((model) =>
  documentsOf(join(SHARED, model, 'openapi')).map((document) => ({ model, document })),
);

function documentsOf(root: string): string[] {
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('openapi.json'));
}

if (PUBLISHED.length === 0) {
  process.stdout.write(`skipped: there is no reference data in ../shared\n`);
} else {
  const test = suite('openapi-reference');
  for (const { model, document } of PUBLISHED) {
    test(`${model}: ${document} is equal byte for byte, and as a JSON value`, () => {
      const workspace = new Workspace();
      readModel(workspace, [join(SHARED, model, 'model')]);
      const versions = workspace.model().services.flatMap(({ versions }) => versions);
      const version = versions.find(
        ({ service, name }) => `${service.name.snake}/${name.snake}/openapi.json` === document,
      );
      assert.ok(version !== undefined);
      const made = openApi(version);
      const published = readFileSync(join(SHARED, model, 'openapi', document), 'utf8');
      assert.equal(JSON.parse(made), JSON.parse(published));
      assert.ok(made === published, 'equal as JSON, but not byte for byte');
    });
  }
  test.run();
}
