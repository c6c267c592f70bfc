// long
// Who may what on a real nats-server: each role does the whole of its work under its own key, over TLS, and whatever else
// it tries is refused.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect, type NatsConnection, nkeyAuthenticator, PermissionViolationError } from '@nats-io/transport-node';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { userOf } from '../../actors/process/bus-user.ts';
import type { Bus, JsonObject } from '../../bus/bus.ts';
import { AbsentError, TransientError } from '../../bus/errors.ts';
import { natsBus } from '../../bus/nats-bus.ts';
import type { BusUser } from '../../bus/permissions.ts';
import { operationSubject } from '../../bus/subjects.ts';
import { findNatsServer } from '../world/environments.ts';
import { address, clock, everything, object, read, rejection, until, within } from './harness.ts';
import { LEASE_MS } from './nats.harness.ts';
import { SERVER_NAME, type SecuredServer, securedServer, seedFile } from './secured-server.ts';

const ADAPTERS = [
  { realm: 'openstack', role: 'openstack' },
  { realm: 'win', role: 'csi-proxy' },
] as const;

function user(roles: readonly string[], node?: string): BusUser {
  return userOf(new Set(roles), ADAPTERS, node);
}

const OBSERVER: BusUser = { name: 'observer', roles: [{ does: 'observe' }] };
const USERS = {
  alone: user(['watch', 'actors', 'openstack', 'csi-proxy']),
  watch: user(['watch']),
  actors: user(['actors']),
  openstack: user(['openstack']),
  one: user(['csi-proxy'], 'node-1.example'),
  two: user(['csi-proxy'], 'node-2'),
  observer: OBSERVER,
  visualizer: { name: 'visualizer', roles: [{ does: 'visualize' }] },
} as const satisfies Readonly<Record<string, BusUser>>;
type Name = keyof typeof USERS;

/** A claim to and from somebody, and an answer. */
const network = address('a.b');
const subnet = address('s', 'subnets');
const claim = { topic: 'claim', to: network, from: subnet } as const;
const ready = { topic: 'ready', to: subnet, from: network } as const;

const CREATE = operationSubject({ realm: 'openstack', plural: 'subnets', operation: 'create' });
const FORMAT = operationSubject({ realm: 'win', plural: 'volumes', operation: 'format' });
const formatAt = (node: string): string =>
  operationSubject({ realm: 'win', plural: 'volumes', operation: 'format', node });

class Scene {
  readonly server: SecuredServer;
  /** What the server did not let anybody say or hear, as a person is told it. */
  readonly warnings: string[] = [];
  readonly #open: { close(): Promise<unknown> }[] = [];

  constructor(server: SecuredServer) {
    this.server = server;
  }

  async bus(name: Name, as: BusUser = USERS[name]): Promise<Bus> {
    const bus = await natsBus({
      url: this.server.url,
      clock,
      process: `${name}-${this.#open.length}`,
      user: as,
      leaseMs: LEASE_MS,
      firstLease: 'immediate',
      nkeySeedFile: join(this.server.folder, seedFile(USERS[name])),
      tls: { caFile: this.server.caFile },
      onWarning: (warning) => this.warnings.push(warning),
    });
    this.#open.push(bus);
    return bus;
  }

  async raw(name: Name): Promise<Raw> {
    const seed = (await readFile(join(this.server.folder, seedFile(USERS[name])))).toString();
    const nats = await connect({
      servers: this.server.url,
      authenticator: nkeyAuthenticator(new TextEncoder().encode(seed)),
      inboxPrefix: `troupe.inbox.${seedFile(USERS[name]).replace('.nk', '')}`,
      tls: { caFile: this.server.caFile },
    });
    this.#open.push(nats);
    return new Raw(nats);
  }

  async close(): Promise<void> {
    for (const open of this.#open.reverse()) await open.close();
    await this.server.close();
  }
}

/** Somebody with a key, and no scruples. */
class Raw {
  readonly nats: NatsConnection;
  readonly refused: string[] = [];

  constructor(nats: NatsConnection) {
    this.nats = nats;
    void (async () => {
      for await (const status of nats.status()) {
        if (status.type !== 'error' || !(status.error instanceof PermissionViolationError)) continue;
        this.refused.push(`${status.error.operation} ${status.error.subject}`);
      }
    })();
  }

  /** Which of these the server does not take. */
  async refusedOf({ publish = [], subscribe = [] }: Tries): Promise<Tries> {
    const [published, subscribed]: [string[], string[]] = [[], []];
    for (const subject of publish)
      if (await this.#isRefused(() => this.nats.publish(subject, '{}'))) published.push(subject);
    for (const subject of subscribe) {
      if (await this.#isRefused(() => void this.nats.subscribe(subject, { callback: () => undefined }))) {
        subscribed.push(subject);
      }
    }
    return { publish: published, subscribe: subscribed };
  }

  async #isRefused(run: () => void): Promise<boolean> {
    const before = this.refused.length;
    run();
    // Its refusal comes before the answer to this.
    await this.nats.flush();
    await clock.sleep(0);
    return this.refused.length > before;
  }
}

interface Tries {
  readonly publish?: readonly string[];
  readonly subscribe?: readonly string[];
}

const mail = (rest: string): string => `troupe.mail.7.openstack.networks.default.n.${rest}`;
const MAIL = {
  object: mail('object'),
  claim: mail('claim.openstack.subnets.default.s'),
  ready: mail('ready.openstack.subnets.default.s'),
  creates: 'troupe.mail.7.creates',
  reservation: 'troupe.mail.7.reservation.abc',
};
const EVENTS = {
  transition: 'troupe.event.openstack.networks.default.n.transition',
  call: 'troupe.event.openstack.networks.default.n.call',
  otherCall: 'troupe.event.win.volumes.default.v.call',
};
const OPERATIONS = [
  'troupe.openstack.networks.create',
  'troupe.win.volumes.format',
  'troupe.win.node-2.volumes.format',
];
const LEASES = ['role=2Ewatch', 'shard=2E7', 'pod=2Ex'].map((key) => `$KV.TROUPE_LEASES.${key}`);
const [WATCHES = '', ...OTHER_LEASES] = LEASES;
const STREAMS = ['TROUPE_MAIL', 'KV_TROUPE_LEASES', 'TROUPE_HISTORY'];
const api = (operation: string, streams: readonly string[] = STREAMS): readonly string[] =>
  streams.map((stream) => `$JS.API.${operation}.${stream}`);
/** Whatever nobody needs. */
const NEVER = [
  ...['STREAM.PURGE', 'STREAM.SNAPSHOT', 'STREAM.RESTORE', 'CONSUMER.LIST', 'STREAM.LEADER.STEPDOWN'].flatMap(
    (operation) => api(operation),
  ),
  ...['DELETE', 'CREATE', 'UPDATE'].map((operation) => `$JS.API.STREAM.${operation}.SOMEBODY_ELSES`),
  '$SYS.REQ.SERVER.PING',
  '$KV.SOMEBODY_ELSES.key',
  'somebody.elses',
];
const CHANGES = ['STREAM.CREATE', 'STREAM.UPDATE', 'STREAM.DELETE', 'STREAM.MSG.DELETE', 'CONSUMER.CREATE'].flatMap(
  (operation) => api(operation),
);
const inboxesBut = (own: string): readonly string[] => [
  '>',
  '*.>',
  'troupe.>',
  'troupe.inbox.>',
  'troupe.inbox.*.*.*',
  '_INBOX.>',
  ...['alone', 'watch', 'actors', 'openstack', 'csi-proxy', 'csi-proxy.node-2', 'observer']
    .filter((name) => name !== own)
    .map((name) => `troupe.inbox.${name}.>`),
];
const holdsBut = (own: string): readonly string[] =>
  ['*', 'alone', 'watch', 'actors', 'openstack', 'csi-proxy.node-2', 'observer']
    .filter((name) => name !== own)
    .map((name) => `troupe.longcall.${name}.>`);
const answers = ['actors', 'watch', 'openstack'].map((name) => `troupe.inbox.${name}.x.y`);

/** What each may not, in its own words: nothing of it is taken from the table of permissions. */
const REFUSED: Readonly<Record<Name, Required<Tries>>> = {
  alone: {
    publish: [...NEVER, ...answers, ...api('STREAM.DELETE', ['TROUPE_HISTORY'])],
    subscribe: [...inboxesBut('alone'), ...holdsBut('alone'), 'troupe.mail.>', '$JS.>', '$KV.>'],
  },
  watch: {
    publish: [
      ...NEVER,
      ...answers,
      ...[MAIL.claim, MAIL.ready, MAIL.creates, MAIL.reservation],
      ...Object.values(EVENTS),
      ...OPERATIONS,
      ...OTHER_LEASES,
      ...api('STREAM.MSG.DELETE'),
      ...CHANGES.filter((subject) => subject.endsWith('.TROUPE_HISTORY')),
      'troupe.longcall.actors.x',
    ],
    subscribe: [
      ...inboxesBut('watch'),
      ...holdsBut(''),
      ...OPERATIONS,
      'troupe.mail.>',
      'troupe.event.>',
      '$KV.>',
      '$SRV.PING',
    ],
  },
  actors: {
    publish: [
      ...NEVER,
      ...answers,
      MAIL.object,
      WATCHES,
      ...api('STREAM.DELETE', ['TROUPE_HISTORY']),
      ...api('STREAM.MSG.DELETE', ['TROUPE_HISTORY', 'KV_TROUPE_LEASES']),
      ...api('CONSUMER.CREATE', ['TROUPE_HISTORY']),
    ],
    subscribe: [
      ...inboxesBut('actors'),
      ...holdsBut('actors'),
      ...OPERATIONS,
      'troupe.mail.>',
      'troupe.event.>',
      '$KV.>',
      '$SRV.PING',
    ],
  },
  openstack: {
    publish: [
      ...NEVER,
      ...answers,
      ...Object.values(MAIL),
      ...LEASES,
      ...OPERATIONS,
      ...CHANGES,
      ...api('DIRECT.GET'),
      ...api('STREAM.MSG.GET'),
      EVENTS.transition,
      EVENTS.otherCall,
      'troupe.epoch',
    ],
    subscribe: [
      ...inboxesBut('openstack'),
      ...holdsBut('openstack'),
      ...OPERATIONS.slice(1),
      'troupe.openstack.>',
      'troupe.mail.>',
      'troupe.event.>',
      'troupe.epoch',
      '$KV.>',
      '$SRV.>',
      '$SRV.PING.win',
    ],
  },
  one: {
    publish: [
      ...NEVER,
      ...answers,
      ...Object.values(MAIL),
      ...LEASES,
      ...OPERATIONS,
      ...CHANGES,
      ...api('DIRECT.GET'),
      EVENTS.transition,
      EVENTS.call,
    ],
    subscribe: [
      ...inboxesBut('one'),
      ...holdsBut('one'),
      ...OPERATIONS.filter((subject) => subject !== 'troupe.win.volumes.format'),
      'troupe.win.*.volumes.format',
      'troupe.mail.>',
      'troupe.event.>',
      '$KV.>',
      '$SRV.PING.openstack',
    ],
  },
  two: {
    publish: [...OPERATIONS],
    subscribe: ['troupe.win.node-1%2Eexample.volumes.format', 'troupe.inbox.csi-proxy.node-1%2Eexample.>'],
  },
  observer: {
    publish: [
      ...NEVER,
      ...answers,
      ...Object.values(MAIL),
      ...Object.values(EVENTS),
      ...LEASES,
      ...OPERATIONS,
      ...CHANGES,
      ...api('DIRECT.GET', ['TROUPE_MAIL']),
      ...api('STREAM.INFO', ['TROUPE_MAIL']),
      ...api('STREAM.MSG.GET', ['TROUPE_MAIL', 'KV_TROUPE_LEASES']),
      'troupe.epoch',
      'troupe.longcall.actors.x',
    ],
    subscribe: [...inboxesBut('observer'), ...holdsBut(''), ...OPERATIONS, 'troupe.mail.>', '$KV.>', '$SRV.PING'],
  },
  visualizer: {
    publish: [
      ...NEVER,
      ...answers,
      ...Object.values(MAIL),
      ...Object.values(EVENTS),
      ...LEASES,
      ...OPERATIONS,
      ...CHANGES.filter((subject) => !subject.includes('CONSUMER.CREATE')),
      ...api('CONSUMER.CREATE', ['TROUPE_MAIL']),
      ...api('STREAM.MSG.GET', ['TROUPE_MAIL']),
      '$SRV.PING.openstack',
      'troupe.epoch',
      'troupe.longcall.actors.x',
    ],
    subscribe: [...inboxesBut('visualizer'), ...holdsBut(''), ...OPERATIONS, 'troupe.mail.>', '$KV.>', '$SRV.PING'],
  },
};

const found = await findNatsServer();
if ('refusal' in found) {
  console.log(`skipped: ${found.refusal}`);
} else {
  const test = suite('permissions');

  const on =
    (body: (scene: Scene) => Promise<void>): (() => Promise<void>) =>
    async () => {
      const scene = new Scene(await securedServer(found.program, Object.values(USERS)));
      try {
        await body(scene);
      } finally {
        await scene.close();
      }
    };

  test(
    'each role does the whole of its work',
    on(async (scene) => {
      const watch = await scene.bus('watch');
      const actors = await scene.bus('actors');
      const openstack = await scene.bus('openstack');
      const [one, two] = [await scene.bus('one'), await scene.bus('two')];

      const leading = await watch.leases.acquire('role.watch', 'w');
      assert.ok(leading);
      const pod = await actors.leases.acquire('pod.p', 'p');
      const shard = await actors.leases.acquire('shard.7', 'p');
      assert.ok(pod && shard);
      let held: readonly string[] = [];
      await watch.leases.watch((leases) => {
        held = leases.map(({ name }) => name).sort();
      });
      await until('all leases to be seen', () => held.join() === 'pod.p,role.watch,shard.7');

      const reader = await read(actors, everything(actors));
      await until('the replay', () => reader.replayed === 1);
      // As much as makes the server ask how far the reader is.
      const large = 'x'.repeat(10_000);
      for (let at = 0; at < 300; at += 1) {
        const stored = await watch.mailbox.publish(object(`o${at}`), { value: large }, undefined);
        assert.is(stored.kind, 'stored');
      }
      await until('all of it', () => reader.mail.length === 300);
      await watch.mailbox.markSeeded(clock.now());
      await until('the seeding to be known', () => actors.mailbox.epoch().seededAt !== undefined);
      await actors.mailbox.forgetSeeded(clock.now());
      await until('that it is forgotten', () => watch.mailbox.epoch().seededAt === undefined);
      await watch.mailbox.markSeeded(clock.now());
      const objects = await read(watch, { topic: 'object' });
      await until('the objects', () => objects.replayed === 1 && objects.mail.length === 300);

      for (const subject of [
        claim,
        ready,
        { topic: 'creates', shard: 7 },
        { topic: 'reservation', name: 'abc' },
      ] as const) {
        const stored = await actors.mailbox.publish(subject, { uid: 'u' }, 0);
        assert.is(stored.kind, 'stored');
        assert.equal((await actors.mailbox.last(subject))?.payload, { uid: 'u' });
        if (stored.kind === 'stored') await actors.mailbox.remove(stored.sequence);
        assert.is(await actors.mailbox.last(subject), undefined);
      }

      const handle = async (request: JsonObject): Promise<JsonObject> => ({ made: request });
      await openstack.services.serve('openstack', '1.0.0', 'clouds', [{ subject: CREATE, handle }]);
      const at = (node: string) => [
        { subject: FORMAT, handle },
        { subject: formatAt(node), handle: async () => ({ node }) },
      ];
      await one.services.serve('win', '1.0.0', 'disks', at('node-1.example'));
      await two.services.serve('win', '1.0.0', 'disks', at('node-2'));
      const soon = (): number => clock.now() + 60_000;
      assert.equal(await actors.services.request(CREATE, { a: 1 }, soon()), { made: { a: 1 } });
      assert.equal(await actors.services.request(FORMAT, { a: 2 }, soon()), { made: { a: 2 } });
      for (const node of ['node-1.example', 'node-2']) {
        assert.equal(await actors.services.request(formatAt(node), {}, soon()), { node });
      }

      const observer = await scene.bus('observer');
      const heard: string[] = [];
      await observer.trace.subscribe(({ type }) => heard.push(type));
      actors.trace.emit({ actor: network, type: 'transition', data: {} });
      openstack.trace.emit({ actor: network, type: 'call', data: {} });
      await until('both events', () => heard.length === 2);

      const visualizer = await scene.bus('visualizer');
      const shown: string[] = [];
      await visualizer.trace.subscribe(({ type }) => shown.push(type));
      actors.trace.emit({ actor: network, type: 'transition', data: {} });
      await until('what is live', () => shown.length === 1);
      for (const query of [{}, { type: 'call' }, { only: 'last' }] as const) {
        let count = 0;
        while (count === 0) for await (const _ of visualizer.trace.history(query)) count += 1;
      }
      await actors.mailbox.publish(claim, { uid: 'u' }, undefined);
      assert.is((await visualizer.mailbox.readMessagesOf(network, 10)).length, 1);
      let leased = 0;
      const watching = await visualizer.leases.watch((leases) => {
        leased = leases.length;
      });
      await until('the leases', () => leased === 3);
      await watching.close();
      const kept = new Set<string>();
      while (kept.size < 2) for await (const { type } of observer.trace.history({ since: 0 })) kept.add(type);
      assert.equal([...kept].sort(), ['call', 'transition']);
      assert.equal((await observer.leases.list()).map(({ name, holder }) => `${name} ${holder}`).sort(), [
        'pod.p p',
        'role.watch w',
        'shard.7 p',
      ]);

      const { nats } = await scene.raw('observer');
      const named = await nats.request('$SRV.PING.openstack', '', { timeout: 60_000 });
      assert.is(named.json<{ name: string }>().name, 'openstack');

      assert.equal(scene.warnings, []);
      const log = await scene.server.log();
      assert.not.match(log, 'Violation');
    }),
  );

  test(
    'whoever shows what happens makes nothing of what he shows, and tries to make nothing',
    on(async (scene) => {
      const visualizer = await scene.bus('visualizer');
      assert.match((await rejection(visualizer.leases.watch(() => undefined))).message, 'there is no stream');
      assert.instance(await rejection(visualizer.trace.history()[Symbol.asyncIterator]().next()), AbsentError);
      assert.instance(await rejection(visualizer.mailbox.readMessagesOf(network, 10)), TransientError);
      assert.equal(scene.warnings, []);
      assert.not.match(await scene.server.log(), 'Violation');
    }),
  );

  test(
    'an operation that is held lasts, tells how far it is, and is given up, between users that may not read each other',
    on(async (scene) => {
      const [actors, one] = [await scene.bus('actors'), await scene.bus('one')];
      const stopped: string[] = [];
      await one.services.serve('win', '1.0.0', 'disks', [
        {
          subject: formatAt('node-1.example'),
          async handle(request, _, held) {
            held?.progress({ percent: 50 });
            if (request['forever'] === undefined) return { formatted: true };
            return new Promise((_resolve, reject) => {
              held?.signal.addEventListener('abort', () => {
                stopped.push(String((held.signal.reason as Error).message));
                reject(held.signal.reason);
              });
            });
          },
        },
      ]);
      const heard: JsonObject[] = [];
      const stop = new AbortController();
      const hold = (request: JsonObject): Promise<JsonObject> =>
        actors.services.callLong(formatAt('node-1.example'), request, {
          signal: stop.signal,
          onProgress: (progress) => heard.push(progress),
          beginBy: clock.now() + 60_000,
          validUntil: () => clock.now() + LEASE_MS,
        });
      assert.equal(await within('the answer', hold({})), { formatted: true });
      assert.equal(heard.length, 1);
      const endless = rejection(hold({ forever: true }));
      await until('its progress', () => heard.length === 2);
      // Longer than anything is confirmed for.
      await clock.sleep(LEASE_MS * 1.5);
      assert.equal(stopped, []);
      stop.abort();
      await within('its end', endless);
      assert.is(stopped.length, 1);
      assert.equal(scene.warnings, []);
    }),
  );

  test(
    'all roles in one process have a user with all of that',
    on(async (scene) => {
      const alone = await scene.bus('alone');
      assert.ok(await alone.leases.acquire('role.watch', 'w'));
      assert.ok(await alone.leases.acquire('shard.7', 'w'));
      const reader = await read(alone, everything(alone));
      for (const subject of [object('o'), claim, ready]) await alone.mailbox.publish(subject, {}, 0);
      await until('the mail', () => reader.mail.length === 3);
      await alone.services.serve('openstack', '1.0.0', 'clouds', [{ subject: CREATE, handle: async () => ({}) }]);
      assert.equal(await alone.services.request(CREATE, {}, clock.now() + 60_000), {});
      alone.trace.emit({ actor: network, type: 'transition', data: {} });
      await alone.mailbox.markSeeded(1);
      assert.equal(scene.warnings, []);
    }),
  );

  test(
    'whatever else a role tries is refused (BUS-PERMISSIONS-1, BUS-PERMISSIONS-2, BUS-PERMISSIONS-3)',
    on(async (scene) => {
      await scene.bus('alone'); // the streams are there
      for (const name of Object.keys(USERS) as Name[]) {
        const tries = REFUSED[name];
        const raw = await scene.raw(name);
        assert.equal(
          await raw.refusedOf(tries),
          { publish: [...tries.publish], subscribe: [...tries.subscribe] },
          name,
        );
      }
    }),
  );

  test(
    'whoever was asked may answer once, and whoever was not cannot (BUS-PERMISSIONS-2)',
    on(async (scene) => {
      const [actors, openstack, two] = [
        await scene.raw('actors'),
        await scene.raw('openstack'),
        await scene.raw('two'),
      ];
      const replies: string[] = [];
      openstack.nats.subscribe('troupe.openstack.subnets.create', {
        callback: (_, message) => {
          replies.push(message.reply ?? '');
          message.respond('first');
        },
      });
      await openstack.nats.flush();
      const answer = await actors.nats.request('troupe.openstack.subnets.create', '{}', { timeout: 60_000 });
      assert.is(answer.string(), 'first');
      const [reply = ''] = replies;
      assert.match(reply, /^troupe\.inbox\.actors\./);
      const once = { publish: [reply] };
      assert.equal((await openstack.refusedOf(once)).publish, [reply]);
      assert.equal((await two.refusedOf(once)).publish, [reply]);
    }),
  );

  test(
    'a process with the login of another is told so, for people, and goes on',
    on(async (scene) => {
      await scene.bus('alone');
      const refused = await rejection(scene.bus('openstack', USERS.actors));
      assert.instance(refused, TransientError);
      await until('a warning', () => scene.warnings.length > 0);
      const [warning = ''] = scene.warnings;
      assert.match(warning, "'actors' needs");
      assert.match(warning, "'troupe bus credentials'");
      assert.match(warning, /'(troupe\.inbox\.actors|\$JS\.API)\./);
      assert.ok(scene.warnings.length <= 3, 'one line a kind of subject');

      const served = await scene.bus('openstack');
      const wrong = served.services.serve('win', '1.0.0', 'disks', [{ subject: FORMAT, handle: async () => ({}) }]);
      assert.match(
        (await rejection(wrong)).message,
        "service 'win' could not be offered: nats does not let us serve it",
      );
    }),
  );

  test(
    'nobody comes in without a key, or without TLS, or to a server of another authority',
    on(async (scene) => {
      const { url, port, caFile, folder } = scene.server;
      const opened = (options: object): Promise<Error> =>
        rejection(natsBus({ url, clock, process: 'p', tls: { caFile }, ...options } as never));
      assert.match((await opened({})).message, 'it refuses us');
      const stranger = await securedServer(found.program, [OBSERVER]);
      try {
        const nkeySeedFile = join(stranger.folder, seedFile(OBSERVER));
        assert.match((await opened({ nkeySeedFile })).message, 'it refuses us');
        const own = { nkeySeedFile: join(folder, seedFile(USERS.alone)) };
        const trusting = await opened({ ...own, tls: { caFile: stranger.caFile } });
        assert.match(trusting.message, 'check the address, and the authority');
        assert.instance(await opened({ ...own, tls: {}, url: `nats://localhost:${port}` }), Error);
        const misnamed = await opened({ ...own, tls: { caFile, serverName: 'nats.example.com' } });
        assert.match(misnamed.message, 'nats.example.com');
        const named = await natsBus({ url, clock, process: 'p', tls: { caFile, serverName: SERVER_NAME }, ...own });
        await named.close();
      } finally {
        await stranger.close();
      }
    }),
  );

  test.run();
}
