// Watches: nothing is missed, nothing comes twice, and selectors see objects come and go.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { listAt, MERGE, started, TABLE, type WatchEvent } from '../../../world/api-calls.ts';
import { WIDGET_PATH, widget, widgetChecks } from './widgets.ts';

const test = suite('embedded api server: watches');
const onWidgets = widgetChecks(test);
const said = (event: WatchEvent | undefined): string => `${event?.type} ${event?.object['metadata']?.['name']}`;

onWidgets('a watch from a revision gets every later change, in order (KSIM-WATCH-1)', async ({ call, watch }) => {
  await call('POST', WIDGET_PATH, { body: widget('before') });
  const { resourceVersion } = (await call('GET', WIDGET_PATH)).body['metadata'] as unknown as {
    resourceVersion: string;
  };
  await call('POST', WIDGET_PATH, { body: widget('a') });
  const events = await watch(`${WIDGET_PATH}?watch=1&resourceVersion=${resourceVersion}`);
  await call('PATCH', `${WIDGET_PATH}/a`, { body: { spec: { size: 4 } }, type: MERGE });
  await call('PATCH', `${WIDGET_PATH}/a`, { body: { spec: { size: 4 } }, type: MERGE });
  await call('DELETE', `${WIDGET_PATH}/a`);
  assert.is(said(await events.next()), 'ADDED a');
  const modified = await events.next();
  assert.is(said(modified), 'MODIFIED a');
  const deleted = await events.next();
  assert.is(said(deleted), 'DELETED a');
  assert.ok(
    Number(deleted?.object['metadata']?.['resourceVersion']) >
      Number(modified?.object['metadata']?.['resourceVersion']),
  );
  events.stop();
});

onWidgets('a watch without a revision begins with what is there', async ({ call, watch }) => {
  await call('POST', WIDGET_PATH, { body: widget('a') });
  const events = await watch('/apis/example.org/v1/widgets?watch=true');
  assert.is(said(await events.next()), 'ADDED a');
  await call('POST', WIDGET_PATH, { body: widget('b') });
  assert.is(said(await events.next()), 'ADDED b');
  events.stop();
});

onWidgets('initial events end with a bookmark', async ({ call, watch }) => {
  await call('POST', WIDGET_PATH, { body: widget('a') });
  const query = 'watch=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan';
  const events = await watch(`${WIDGET_PATH}?${query}`);
  assert.is(said(await events.next()), 'ADDED a');
  const bookmark = await events.next();
  assert.is(bookmark?.type, 'BOOKMARK');
  assert.is(bookmark?.object['kind'], 'Widget');
  assert.equal(bookmark?.object['metadata']?.['annotations'], { 'k8s.io/initial-events-end': 'true' });
  events.stop();
  const alone = await call('GET', `${WIDGET_PATH}?watch=1&sendInitialEvents=true`);
  assert.is(alone.code, 422);
});

onWidgets('objects that begin or cease to match come and go (KSIM-WATCH-2)', async ({ call, watch }) => {
  await call('POST', WIDGET_PATH, { body: widget('a') });
  const events = await watch(`${WIDGET_PATH}?watch=1&labelSelector=l%3D1`);
  const label = (l: string | null): Promise<unknown> =>
    call('PATCH', `${WIDGET_PATH}/a`, { body: { metadata: { labels: { l } } }, type: MERGE });
  await label('1');
  await call('PATCH', `${WIDGET_PATH}/a`, { body: { spec: { size: 5 } }, type: MERGE });
  await label('2');
  await call('DELETE', `${WIDGET_PATH}/a`);
  await call('POST', WIDGET_PATH, { body: widget('b', {}, { labels: { l: '1' } }) });
  assert.is(said(await events.next()), 'ADDED a');
  assert.is(said(await events.next()), 'MODIFIED a');
  const gone = await events.next();
  assert.is(said(gone), 'DELETED a');
  assert.is(gone?.object['metadata']?.['labels']?.['l'], '1', 'the last state that matched');
  assert.is(said(await events.next()), 'ADDED b');
  events.stop();
});

onWidgets('a watch of one name and namespace sees nothing else', async ({ call, watch }) => {
  await call('POST', '/api/v1/namespaces', { body: { metadata: { name: 'other' } } });
  const events = await watch(`${WIDGET_PATH}?watch=1&fieldSelector=metadata.name%3Db`);
  await call('POST', WIDGET_PATH, { body: widget('a') });
  await call('POST', WIDGET_PATH.replace('default', 'other'), { body: widget('b') });
  await call('POST', WIDGET_PATH, { body: widget('b') });
  const event = await events.next();
  assert.is(event?.object['metadata']?.['namespace'], 'default');
  events.stop();
});

onWidgets('a revision that is too old is said to be, and the watch ends', async ({ watch }) => {
  const events = await watch(`${WIDGET_PATH}?watch=1&resourceVersion=1`);
  const error = await events.next();
  assert.is(error?.type, 'ERROR');
  assert.is(error?.object['reason'], 'Expired');
  assert.is(error?.object['code'], 410);
  assert.match(String(error?.object['message']), /^too old resource version: 1 \(\d+\)$/);
  assert.is(await events.next(), undefined);
});

test('so many changes are remembered as the server is told', async () => {
  const { call, watch, close } = await started({ remembered: { changes: 4, characters: 1_000_000 } });
  const maps = '/api/v1/namespaces/default/configmaps';
  const { body } = await call('POST', maps, { body: { metadata: { name: 'a' } } });
  const from = body['metadata']?.['resourceVersion'];
  for (let change = 0; change < 10; change++) {
    await call('PATCH', `${maps}/a`, { type: MERGE, body: { data: { change: String(change) } } });
  }
  const events = await watch(`${maps}?watch=1&resourceVersion=${from}`);
  assert.is((await events.next())?.object['code'], 410);
  events.stop();
  await close();
});

onWidgets('a watch ends when its time is over, or the server closes', async ({ watch, server }) => {
  const timed = await watch(`${WIDGET_PATH}?watch=1&timeoutSeconds=1`);
  assert.is(await timed.next(), undefined);
  const open = await watch(`${WIDGET_PATH}?watch=1`);
  await server.close();
  assert.is(await open.next(), undefined);
});

onWidgets('events come in the form that was asked for', async ({ call, watch }) => {
  const table = await watch(`${WIDGET_PATH}?watch=1`, TABLE);
  const partial = await watch(`${WIDGET_PATH}?watch=1`, 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io');
  for (const name of ['a', 'b']) await call('POST', WIDGET_PATH, { body: widget(name) });
  const [first, second] = [await table.next(), await table.next()];
  assert.is(first?.object['kind'], 'Table');
  assert.is(listAt(first?.object['columnDefinitions']).length, 5);
  assert.is(second?.object['columnDefinitions'], null, 'columns come once');
  assert.equal(second?.object['rows']?.[0]?.['cells']?.[0], 'b');
  const metadata = await partial.next();
  assert.is(metadata?.object['kind'], 'PartialObjectMetadata');
  assert.is(metadata?.object['spec'], undefined);
  table.stop();
  partial.stop();
});

onWidgets('many watchers hear of one change', async ({ call, watch }) => {
  const watchers = await Promise.all(Array.from({ length: 50 }, () => watch(`${WIDGET_PATH}?watch=1`)));
  await call('POST', WIDGET_PATH, { body: widget('a') });
  for (const events of watchers) {
    assert.is(said(await events.next()), 'ADDED a');
    events.stop();
  }
});

test.run();
