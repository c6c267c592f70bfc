// Feed of a kind: what the watch and the answers to writes tell, in any order, makes one history.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ChangeFeed, type FeedChange } from '../../../../adapters/ocm/kubernetes-store/feed.ts';
import type { DelegatedObjects, ObjectListener } from '../../../../adapters/ocm/kubernetes-store/port.ts';
import type { KubeObject } from '../../../../machines/object.ts';

const test = suite('feed of a kind');

const RESOURCE = { realm: 'ocm', group: 'example.com', version: 'v1', kind: 'Thing', plural: 'things' } as const;

function object(name: string, resourceVersion: string, uid = `uid-${name}`): KubeObject {
  return { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name, namespace: 'n', uid, resourceVersion } };
}

function open(): { feed: ChangeFeed; watch: ObjectListener; told: string[] } {
  let watch: ObjectListener | undefined;
  const objects: Pick<DelegatedObjects, 'follow'> = {
    follow(_, listener) {
      watch = listener;
    },
  };
  const feed = new ChangeFeed(objects as DelegatedObjects, { resource: RESOURCE, namespace: 'n' });
  const told: string[] = [];
  feed.listen((change: FeedChange) =>
    told.push(change.kind === 'all' ? 'all' : `${change.kind} ${change.object.metadata.name} ${versionOf(change)}`),
  );
  feed.start();
  if (watch === undefined) throw new Error('it does not follow');
  return { feed, watch, told };
}

function versionOf(change: Exclude<FeedChange, { kind: 'all' }>): string {
  return change.kind === 'gone' ? change.revision : change.object.metadata.resourceVersion;
}

test('OCM-FEED-1: what is older than what is known changes nothing', () => {
  const { feed, watch, told } = open();
  watch.onList([object('a', '5')], '7');
  feed.put(object('a', '9'));
  watch.onChange(object('a', '8'));
  watch.onChange(object('a', '9'));
  watch.onChange(object('a', '10'));
  feed.put(object('a', '9'));
  assert.equal(told, ['all', 'object a 9', 'object a 10']);
});

test('OCM-FEED-1: a list that is older than a write of ours keeps what was written', () => {
  const { feed, watch } = open();
  watch.onList([], '3');
  feed.put(object('new', '12'));
  feed.put(object('changed', '13'));
  watch.onList([object('changed', '8'), object('other', '9')], '10');
  const versions = [...feed.all()].map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`).sort();
  assert.equal(versions, ['changed 13', 'new 12', 'other 9']);
});

test('OCM-FEED-2: what a write of ours has ended stays gone, whatever the watch still tells of it', () => {
  const { feed, watch, told } = open();
  watch.onList([object('a', '5')], '7');
  assert.is(feed.end({ name: 'a', uid: 'uid-a' }), '6');
  watch.onChange(object('a', '8'));
  watch.onList([object('a', '8')], '8');
  assert.is(feed.get('a'), undefined);
  watch.onGone(object('a', '9'));
  watch.onChange(object('a', '11', 'uid-next'));
  assert.equal(told, ['all', 'gone a 6', 'all', 'object a 11']);
});

test('another incarnation outlives the end of the one before it', () => {
  const { feed, watch } = open();
  watch.onList([], '1');
  feed.put(object('a', '5', 'first'));
  feed.put(object('a', '8', 'second'));
  feed.end({ name: 'a', uid: 'first' });
  watch.onGone(object('a', '6', 'first'));
  assert.is(feed.get('a')?.metadata.uid, 'second');
});

test('a server that was restored from a backup is believed', () => {
  const { feed, watch } = open();
  watch.onList([object('a', '50')], '70');
  feed.end({ name: 'a', uid: 'uid-a' });
  feed.put(object('b', '80'));
  watch.onList([object('a', '50')], '60');
  assert.equal(
    [...feed.all()].map(({ metadata }) => metadata.name),
    ['a'],
  );
});

test.run();
