// What becomes mail of what the API server says, with several namespaces and resources, each listed and watched apart.
import pino from 'pino';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Registry, registry } from '../../../actors/object/registry.ts';
import { NO_LOCAL_ACTORS } from '../../../actors/sharding/local-delivery.ts';
import { watchCluster } from '../../../actors/watch/watcher.ts';
import { objects } from '../../../adapters/kubernetes/mod.ts';
import { type Address, type JsonObject, type Mailbox, memoryBroker } from '../../../bus/mod.ts';
import type { ReferencedKind } from '../../../machines/kind.ts';
import { soon } from '../../adapters/kubernetes/manual-clock.ts';
import { type Exchange, type Scripted, scripted } from '../../adapters/kubernetes/scripted-server.ts';

const test = suite('watcher of namespaces');

const GADGETS = {
  realm: 'example',
  group: 'example.org',
  version: 'v1',
  kind: 'Gadget',
  plural: 'gadgets',
  isAvailable: () => true,
  published: () => undefined,
} as unknown as ReferencedKind;

/** `a/x` is a Secret, `gadgets/a/x` is another resource's. */
function addressOf(place: string): Address {
  const [name = '', namespace = '', plural = 'secrets'] = place.split('/').reverse();
  return { realm: plural === 'secrets' ? 'core' : GADGETS.realm, plural, namespace, name };
}

function item(place: string, resourceVersion: string, uid = `uid-${place}`): JsonObject {
  const { namespace, name } = addressOf(place);
  return { metadata: { namespace, name, uid, resourceVersion } };
}

const list = (resourceVersion: string, ...items: JsonObject[]): object => ({ metadata: { resourceVersion }, items });
const line = (type: string, object: object): string => `${JSON.stringify({ type, object })}\n`;
const at = (seconds: number) => ({ date: new Date(Date.UTC(2030, 0, 1, 0, 0, seconds)).toUTCString() });

interface Scene extends Pick<Scripted, 'clock' | 'waiting'> {
  readonly mailbox: Mailbox;
  /** How far the server says that it has come. */
  readonly reached: { version: string };
  /** What the mail said, in its order: `a/x 5`, `a/x gone 9`. */
  readonly said: readonly string[];
  until(line: string): Promise<void>;
  seeded(): Promise<number>;
  /** Waits for the list or the watch of a namespace of secrets, or of `gadgets/<namespace>`. */
  lists(place: string): Promise<Exchange>;
  watches(place: string): Promise<Exchange>;
  /** Waits for the question of what is served: nothing is. */
  unserved(): Promise<void>;
}

interface Given {
  readonly namespaces?: readonly string[] | undefined;
  readonly known?: Registry;
  /** In the mail before: place and version, or a version of a tombstone. */
  readonly mail?: Readonly<Record<string, string | { readonly gone: string }>>;
}

function led(
  { namespaces = ['a', 'b'], known = registry([], []), mail = {} }: Given,
  run: (scene: Scene) => Promise<void>,
) {
  return () =>
    scripted(async ({ client, clock, next, waiting }) => {
      const bus = memoryBroker({ clock }).connect();
      const { mailbox } = bus;
      for (const [place, before] of Object.entries(mail)) {
        const uid = `uid-${place}`;
        const payload =
          typeof before === 'string'
            ? { object: item(place, before) }
            : { gone: { uid, resourceVersion: before.gone } };
        await mailbox.publish({ to: addressOf(place), topic: 'object' }, payload, undefined);
      }
      const said: string[] = [];
      let onSaid = (): void => undefined;
      const reader = await mailbox.subscribe(
        { topic: 'object' },
        {
          onMail({ subject, payload }) {
            if (!('to' in subject)) return;
            const { to } = subject;
            const { object, gone } = payload as unknown as { object?: Version; gone?: Version['metadata'] };
            const where = `${to.plural === 'secrets' ? '' : `${to.plural}/`}${to.namespace}/${to.name}`;
            said.push(
              `${where} ${gone === undefined ? object?.metadata.resourceVersion : `gone ${gone.resourceVersion}`}`,
            );
            onSaid();
          },
          onReplayed: () => undefined,
        },
      );
      const until = async (what: string): Promise<void> => {
        while (!said.includes(what)) await soon(new Promise<void>((resolve) => (onSaid = resolve)), `'${what}'`);
      };
      const seeding = Promise.withResolvers<number>();
      mailbox.watchEpoch(({ seededAt }) => seededAt !== undefined && seeding.resolve(seededAt));
      const arrived: Exchange[] = [];
      const reached = { version: '999999' };
      const taking = async (place: string, watch: string | null): Promise<Exchange> => {
        const [namespace, plural = 'secrets'] = place.split('/').reverse();
        for (;;) {
          const index = arrived.findIndex(
            ({ path, query }) => path.endsWith(`/namespaces/${namespace}/${plural}`) && query.get('watch') === watch,
          );
          if (index >= 0) return arrived.splice(index, 1)[0] as Exchange;
          const exchange = await next();
          if (exchange.query.get('limit') === '1') exchange.answer(200, list(reached.version));
          else arrived.push(exchange);
        }
      };
      const stop = new AbortController();
      const log = pino({ level: 'silent' });
      const deps = {
        bus,
        client,
        objects: objects({ client }),
        registry: known,
        namespaces,
        here: NO_LOCAL_ACTORS,
        clock,
        log,
        pod: 'p',
        offer: { kinds: [] },
      };
      const leading = watchCluster(deps, stop.signal);
      try {
        await run({
          reached,
          clock,
          waiting,
          mailbox,
          said,
          until,
          seeded: () => soon(seeding.promise, 'the mark'),
          lists: (place) => taking(place, null),
          watches: (place) => taking(place, '1'),
          async unserved() {
            let exchange = await next();
            for (; exchange.path !== '/apis'; exchange = await next()) arrived.push(exchange);
            exchange.answer(200, { kind: 'APIGroupList', groups: [] });
          },
        });
      } finally {
        stop.abort();
        await client.close();
        await soon(leading, 'the end of the leader');
        await reader.close();
        await bus.close();
      }
    });
}

interface Version {
  readonly metadata: { readonly resourceVersion: string };
}

/** What was said beyond what was there before. */
const news = (said: readonly string[], before: Given['mail'] = {}): readonly string[] =>
  said.slice(Object.keys(before).length);

const TWO = { 'a/x': '5', 'a/y': '6', 'b/z': '7' };

test(
  'the list of one namespace ends what it lacks there, and nothing of another namespace',
  led({ mail: TWO }, async ({ lists, watches, until, said }) => {
    (await lists('a')).answer(200, list('40', item('a/x', '5')));
    await until('a/y gone 40');
    const watch = await watches('a');
    watch.open();
    watch.write(line('ADDED', item('a/new', '41')));
    await until('a/new 41');
    assert.equal(news(said, TWO), ['a/y gone 40', 'a/new 41']);
  }),
);

test(
  'a namespace whose list fails loses nothing, until its list is there (WATCHER-2, WATCHER-3)',
  led({ mail: TWO }, async ({ clock, lists, watches, until, said, seeded, mailbox }) => {
    (await lists('b')).answer(403, { message: 'forbidden' });
    (await lists('a')).answer(200, list('40', item('a/x', '5'), item('a/y', '6')));
    const watch = await watches('a');
    watch.open();
    watch.write(line('ADDED', item('a/new', '41')));
    await until('a/new 41');
    assert.equal(news(said, TWO), ['a/new 41']);
    assert.is(mailbox.epoch().seededAt, undefined);
    await clock.passPause();
    (await lists('b')).answer(200, list('42'));
    await until('b/z gone 42');
    await seeded();
  }),
);

test(
  'a list of a namespace that expired ends nothing and seeds nothing (WATCHER-2, WATCHER-3)',
  led({ namespaces: ['b'], mail: TWO }, async ({ clock, lists, watches, until, said, mailbox, seeded }) => {
    (await lists('b')).answer(410, { code: 410 });
    await clock.passPause();
    const again = await lists('b');
    assert.is(mailbox.epoch().seededAt, undefined);
    again.answer(200, list('41', item('b/z', '7'), item('b/new', '8')));
    await until('b/new 8');
    assert.equal(news(said, TWO), ['b/new 8']);
    await watches('b');
    await seeded();
  }),
);

test(
  'all is marked as seeded as of the earliest list, once every namespace was listed (WATCHER-3)',
  led({}, async ({ lists, watches, mailbox, seeded }) => {
    (await lists('b')).answer(200, list('40'), at(20));
    await watches('b');
    assert.is(mailbox.epoch().seededAt, undefined);
    (await lists('a')).answer(200, list('41', item('a/x', '5')), at(10));
    assert.is(await seeded(), Date.UTC(2030, 0, 1, 0, 0, 10));
  }),
);

test(
  'a mailbox whose seeding was forgotten is marked again by the leader that published all (SHARD-MANAGER-2)',
  led({ namespaces: ['a'] }, async ({ clock, lists, watches, mailbox, seeded }) => {
    (await lists('a')).answer(200, list('40'), at(20));
    await watches('a');
    const seededAt = await seeded();
    const again = Promise.withResolvers<number | undefined>();
    mailbox.watchEpoch((epoch) => epoch.seededAt !== undefined && again.resolve(epoch.seededAt));
    await mailbox.forgetSeeded(clock.now());
    const late = new AbortController();
    const given = clock.sleep(60_000, late.signal).then(() => undefined);
    assert.is(await Promise.race([again.promise, given]), seededAt);
    late.abort();
  }),
);

test(
  'nothing is marked as seeded while an object is on its way into the mail (WATCHER-3)',
  led({ namespaces: ['a'] }, async ({ lists, watches, mailbox, seeded, said }) => {
    const way = Promise.withResolvers<void>();
    const { publish } = mailbox;
    mailbox.publish = async (...what) => {
      await way.promise;
      return publish.apply(mailbox, what);
    };
    (await lists('a')).answer(200, list('41', item('a/x', '5')));
    await watches('a');
    assert.is(mailbox.epoch().seededAt, undefined);
    way.resolve();
    await seeded();
    assert.equal(said, ['a/x 5']);
  }),
);

for (const [what, mail, restored] of [
  ['a list that is older than the mail', { 'a/x': '50' }, list('45', item('a/x', '44'))],
  ['a list that is older than an end in the mail', { 'a/x': { gone: '50' } }, list('45')],
  ['an object that is older than in the mail', { 'a/x': '50' }, list('70', item('a/x', '44'))],
  ['an object of before an end in the mail', { 'a/x': { gone: '50' } }, list('70', item('a/x', '44'))],
] as const)
  test(
    `33.B4: ${what} is that of a restored backup: the mail is forgotten, and all is said anew (WATCHER-5, P11)`,
    led({ namespaces: ['a'], mail: { ...mail, 'a/never': '3' } }, async ({ lists, seeded, mailbox }) => {
      const { id } = mailbox.epoch();
      (await lists('a')).answer(200, restored);
      // The next term, which is this leader's again.
      const again = await lists('a');
      assert.is.not(mailbox.epoch().id, id);
      assert.is(await mailbox.last({ to: addressOf('a/never'), topic: 'object' }), undefined);
      assert.is(await mailbox.last({ to: addressOf('a/x'), topic: 'object' }), undefined);
      again.answer(200, restored);
      await seeded();
      const said = (await mailbox.last({ to: addressOf('a/x'), topic: 'object' }))?.payload as
        | { object: Version }
        | undefined;
      const there = (restored as unknown as { items: readonly Version[] }).items[0];
      assert.is(said?.object.metadata.resourceVersion, there?.metadata.resourceVersion);
    }),
  );

test(
  '33.B4: a server that is behind what was watched was restored: another epoch begins (WATCHER-5)',
  led({ namespaces: ['a'] }, async ({ lists, watches, until, mailbox, reached, seeded }) => {
    const { id } = mailbox.epoch();
    (await lists('a')).answer(200, list('40', item('a/x', '5')));
    const watch = await watches('a');
    await seeded();
    watch.open();
    watch.write(line('ADDED', item('a/new', '60')));
    await until('a/new 60');
    reached.version = '50';
    watch.end();
    (await lists('a')).answer(200, list('50', item('a/x', '5')));
    (await lists('a')).answer(200, list('50', item('a/x', '5')));
    await watches('a');
    assert.is.not(mailbox.epoch().id, id);
    assert.is(await mailbox.last({ to: addressOf('a/new'), topic: 'object' }), undefined);
  }),
);

test(
  'what another pod published meanwhile is not replaced by what is older (WATCHER-1, P9)',
  led({ mail: { 'a/x': '5' } }, async ({ lists, watches, until, said, mailbox }) => {
    (await lists('a')).answer(200, list('40', item('a/x', '5')));
    const watch = await watches('a');
    await mailbox.publish({ to: addressOf('a/x'), topic: 'object' }, { object: item('a/x', '50') }, undefined);
    watch.open();
    watch.write(line('MODIFIED', item('a/x', '45')) + line('ADDED', item('a/new', '46')));
    await until('a/new 46');
    watch.write(line('MODIFIED', item('a/x', '60')));
    await until('a/x 60');
    assert.equal(said, ['a/x 5', 'a/x 50', 'a/new 46', 'a/x 60']);
  }),
);

test(
  'what went is ended once, what stays is said once, and a successor is told of',
  led({ mail: { 'a/x': '5', 'a/old': { gone: '6' } } }, async ({ clock, lists, watches, until, said }) => {
    (await lists('a')).answer(200, list('40', item('a/x', '5')));
    const watch = await watches('a');
    watch.open();
    watch.write(line('DELETED', item('a/x', '41')) + line('ADDED', item('a/y', '42')));
    await until('a/y 42');
    await until('a/x gone 41');
    watch.write(line('ERROR', { code: 410 }));
    await clock.passPause();
    (await lists('a')).answer(200, list('45', item('a/y', '42'), item('a/x', '44', 'uid-2')));
    await until('a/x 44');
    assert.equal(said.slice(2).sort(), ['a/x 44', 'a/x gone 41', 'a/y 42']);
  }),
);

test(
  'one that went and came while nobody looked is told of under its new uid',
  led({ mail: { 'a/x': '5' } }, async ({ lists, until, mailbox }) => {
    (await lists('a')).answer(200, list('45', item('a/x', '44', 'uid-2')));
    await until('a/x 44');
    const { payload } = (await mailbox.last({ to: addressOf('a/x'), topic: 'object' })) ?? {};
    assert.is((payload as { object?: { metadata: { uid: string } } }).object?.metadata.uid, 'uid-2');
  }),
);

const BOTH = { 'a/x': '5', 'gadgets/a/y': '6' };

test(
  'the list of one resource ends nothing of another resource',
  led({ known: registry([], [GADGETS]), mail: BOTH }, async ({ lists, watches, until, said }) => {
    (await lists('a')).answer(200, list('40'));
    await until('a/x gone 40');
    const watch = await watches('a');
    watch.open();
    watch.write(line('ADDED', item('a/new', '41')));
    await until('a/new 41');
    assert.equal(said.slice(2), ['a/x gone 40', 'a/new 41']);
  }),
);

test(
  'a resource without a life that is not served does not keep the rest from being seeded, whatever failed before (WATCHER-3)',
  led({ known: registry([], [GADGETS]), namespaces: ['a'] }, async ({ clock, lists, mailbox, seeded, unserved }) => {
    (await lists('a')).answer(200, list('40'));
    (await lists('gadgets/a')).answer(503, { message: 'not yet' });
    await clock.passPause();
    assert.is(mailbox.epoch().seededAt, undefined);
    (await lists('gadgets/a')).answer(404, { message: 'not served' });
    await unserved();
    await seeded();
  }),
);

test(
  'a kind that is not served keeps all from being seeded (WATCHER-3)',
  led(
    {
      known: { ...registry([], [GADGETS]), kind: ({ plural }) => (plural === 'gadgets' ? ({} as never) : undefined) },
      namespaces: ['a'],
    },
    async ({ clock, lists, watches, mailbox, seeded, unserved }) => {
      (await lists('a')).answer(200, list('40'), at(30));
      await watches('a');
      (await lists('gadgets/a')).answer(404, { message: 'not served' });
      await unserved();
      await clock.passPause();
      const again = await lists('gadgets/a');
      assert.is(mailbox.epoch().seededAt, undefined);
      again.answer(200, list('41'), at(40));
      assert.is(await seeded(), Date.UTC(2030, 0, 1, 0, 0, 30));
    },
  ),
);

test.run();
