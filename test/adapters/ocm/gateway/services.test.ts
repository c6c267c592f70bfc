// All services of the reference data served at once from memory: each path answers, and its objects are what the model says. Without the
// reference data, which is no part of the repository, the other models are served all the same.
import { existsSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Operation } from '../../../../adapters/ocm/gateway/routes/tree.ts';
import { memoryStore } from '../../../../adapters/ocm/gateway/store/memory.ts';
import { OWN, REFERENCE } from '../corpus.ts';
import { idsOf, json } from './client.ts';
import { MODELS, modelOf } from './model.ts';
import { serving } from './served.ts';

const test = suite('all services at once');
const roots = existsSync(REFERENCE) ? { reference: REFERENCE, own: OWN, tests: MODELS } : { own: OWN, tests: MODELS };

for (const [name, root] of Object.entries(roots)) {
  test(`every operation of ${name} answers as the model says`, async () => {
    const model = modelOf(root);
    const store = memoryStore();
    const served = await serving(store, { model });
    const { client, api } = served;
    /** With an identifier for each parameter: all objects around something are there. */
    const pathOf = ({ path }: Operation): string => path.replace(/\{[^}]*\}/g, 'x');
    try {
      const trees = [...api.served.services.values()].flatMap((versions) => [...versions.values()]);
      for (const collection of trees.flatMap(({ collections }) => collections.all())) {
        store.put(collection, { outer: collection.outer.map(() => 'x'), id: collection.singleton ? '' : 'x' }, {});
      }
      for (const operation of trees.flatMap(({ operations }) => operations)) {
        const { method, collection } = operation;
        const path = pathOf(operation);
        const what = `${method.verb} ${path}`;
        if (method.kind === 'List') {
          const reply = await client.get(path);
          if (collection === undefined) {
            assert.is(reply.status, 501, what);
            continue;
          }
          assert.is(reply.status, 200, `${what}: ${reply.text}`);
          assert.is(json(reply)['kind'], `${collection.type.name.camel}List`, what);
          if (collection.type.kind === 'class') assert.ok(idsOf(reply).includes('x'), what);
        } else if (method.kind === 'Get' && collection !== undefined) {
          const reply = await client.get(path);
          assert.is(reply.status, 200, `${what}: ${reply.text}`);
          if (collection.type.kind === 'class') assert.is(json(reply)['kind'], collection.type.name.camel, what);
        } else if (method.kind === 'Add' || method.kind === 'AsyncAdd') {
          const reply = await client.post(path, {});
          assert.is(reply.status, method.status, `${what}: ${reply.text}`);
        } else if ((method.kind === 'Update' || method.kind === 'AsyncUpdate') && operation.subject !== 'collection') {
          const reply = await client.patch(path, {});
          assert.is(reply.status, method.status, `${what}: ${reply.text}`);
        }
      }
      assert.equal(served.defects, []);
    } finally {
      await served.close();
    }
  });
}

test.run();
