// The store in memory: objects as texts, and how much of the past is remembered.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { memoryStore } from '../../../../../adapters/simulated/kubernetes/storage/store.ts';
import { asStored, restamped } from '../../../../../adapters/simulated/kubernetes/storage/stored.ts';

const test = suite('embedded api server: storage');

const secret = (name: string, data: Record<string, unknown> = {}) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'default', labels: { app: name } },
  ...data,
});

test('an object is kept as a text that begins with kind and version, and is read from it', () => {
  const store = memoryStore({ remembered: { changes: 10, characters: 1000 } });
  const stored = store.collection('/secrets').put(secret('one'));
  assert.is(
    stored.text,
    '{"kind":"Secret","apiVersion":"v1","metadata":{"name":"one","namespace":"default","labels":{"app":"one"},"resourceVersion":"2"}}',
  );
  assert.equal(stored.object.metadata.resourceVersion, '2');
  assert.equal(stored.metadata, { name: 'one', namespace: 'default', labels: { app: 'one' } });
  assert.is.not(stored.object, stored.object);
});

test('another revision changes the resourceVersion of the metadata, wherever the same words are elsewhere', () => {
  const contents = [
    {},
    { data: { resourceVersion: '7' } },
    { data: '"resourceVersion":"7"' },
    { data: { '"resourceVersion":"7"': { resourceVersion: '77' } } },
  ];
  for (const content of contents) {
    const object = secret('one', content);
    const stored = asStored({ ...object, metadata: { ...object.metadata, resourceVersion: '7' } }, 7);
    const next = restamped(stored, 12);
    assert.is(next.revision, 12);
    assert.equal(next.object, { ...object, metadata: { ...object.metadata, resourceVersion: '12' } });
  }
});

test('the past is bounded in number (KSIM-HISTORY-1), and known without a gap from the forgotten revision on (KSIM-HISTORY-2)', () => {
  const store = memoryStore({ remembered: { changes: 8, characters: 1_000_000 } });
  const secrets = store.collection('/secrets');
  for (let index = 0; index < 100; index++) {
    secrets.put(secret(`s-${index % 3}`));
    const forgotten = secrets.forgottenRevision();
    const known = secrets.changesSince(forgotten) ?? [];
    assert.ok(known.length <= 8);
    assert.equal(
      known.map(({ revision }) => revision),
      Array.from({ length: store.revision() - forgotten }, (_, offset) => forgotten + offset + 1),
    );
    assert.is(forgotten === 1 ? undefined : secrets.changesSince(forgotten - 1), undefined);
  }
  assert.ok(secrets.forgottenRevision() > 90);
});

test('the past is bounded in size (KSIM-HISTORY-1): only what nobody else keeps counts', () => {
  const store = memoryStore({ remembered: { changes: 1000, characters: 20_000 } });
  const secrets = store.collection('/secrets');
  const large = { data: 'x'.repeat(4000) };
  for (let index = 0; index < 50; index++) secrets.put(secret(`s-${index}`, large));
  assert.is(secrets.changesSince(1)?.length, 50, 'new objects cost nothing more');
  for (let index = 0; index < 50; index++) secrets.put(secret(`s-${index}`, large));
  const known = secrets.changesSince(secrets.forgottenRevision()) ?? [];
  assert.ok(known.length > 0 && known.length <= 5);
  const one = secrets.remove('default', 's-0');
  assert.is(secrets.changesSince(store.revision() - 1)?.at(-1)?.stored, one);
});

test.run();
