// long
// `troupe bus credentials`: made once, brought up to date, and replaced while those who use them go on.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Book, filesOf, type Generation, Phase, parseBook } from '../../../../actors/cli/bus/book.ts';
import { credentials, usersOf } from '../../../../actors/cli/bus/credentials.ts';
import { BUILT_IN } from '../../../../actors/process/adapters.ts';
import { LOOK_MS, SETTLING_MS } from '../../../../bus/file-changes.ts';
import { ALONE, type Bus, type Clock, natsBus, TerminalError } from '../../../../bus/mod.ts';
import { clock, eventually, everything, read, rejection, store, until, within } from '../../../bus/harness.ts';
import { SecuredServer } from '../../../bus/secured-server.ts';
import { findNatsServer } from '../../../world/environments.ts';
import { written } from '../../../world/written.ts';

const test = suite('troupe bus credentials');

const HOUR_MS = 3_600_000;

/** A folder, a command that writes into it, and a clock that the test moves. */
class Desk {
  readonly folder: string;
  now = Date.parse('2026-01-01T00:00:00Z');

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async during(body: (desk: Desk) => Promise<void>): Promise<void> {
    const desk = new Desk(await mkdtemp(join(tmpdir(), 'troupe-credentials-')));
    try {
      await body(desk);
    } finally {
      await rm(desk.folder, { recursive: true, force: true });
    }
  }

  /** @returns what it said */
  async run(...flags: readonly string[]): Promise<string> {
    let said = '';
    const out = written((text) => {
      said += text;
    });
    const at = { ...clock, now: () => this.now } as Clock;
    const args = ['--folder', this.folder, ...flags];
    assert.is(await credentials(args, { env: {}, cwd: this.folder, out, clock: at }), 0);
    return said;
  }

  file(...path: readonly string[]): Promise<string> {
    return readFile(join(this.folder, ...path), 'utf8');
  }

  async book(): Promise<Book> {
    return parseBook(await this.file('book', 'book.json'));
  }
}

test('there are users for one process, for each role, for nodes, and for people', () => {
  const users = usersOf([{ realm: 'openstack', role: 'openstack' }], ['watch,actors', 'openstack@node-1']);
  assert.equal(
    users.map(({ name, node }) => [name, node]),
    [
      ['alone', undefined],
      ['watch', undefined],
      ['actors', undefined],
      ['openstack', undefined],
      ['watch-actors', undefined],
      ['openstack', 'node-1'],
      ['observer', undefined],
    ],
  );
  const shown = usersOf(
    [{ realm: 'openstack', role: 'openstack' }],
    ['visualizer', 'watch,actors,openstack,visualizer', 'watch,visualizer'],
  );
  assert.equal(
    shown.map(({ name }) => name),
    ['watch', 'actors', 'openstack', 'visualizer', 'alone', 'watch-visualizer', 'observer'],
  );
  assert.equal(
    shown[4]?.roles.map(({ does }) => does),
    ['watch', 'act', 'serve', 'visualize'],
  );
  for (const wrong of ['cook', 'watch@node-1', 'openstack@', 'openstack@a@b', 'watch', 'watch,actors@n']) {
    try {
      usersOf([{ realm: 'openstack', role: 'openstack' }], [wrong]);
      assert.unreachable(wrong);
    } catch (error) {
      assert.instance(error, TerminalError, wrong);
    }
  }
  assert.throws(() => usersOf([{ realm: 'x', role: 'server' }], []), "'server'");
});

test('a role that is played for nodes has users where they are named: for any node, for one, or beside all else', () => {
  const adapters = [
    { realm: 'openstack', role: 'openstack' },
    { realm: 'disks', role: 'disks', route: () => 'one' },
  ];
  const said = (...more: readonly string[]): readonly (readonly [string, string | undefined, number])[] =>
    usersOf(adapters, more).map(({ name, node, roles }) => [name, node, roles.length]);
  const alone = ['alone', undefined, 3] as const;
  const others = (['watch', 'actors', 'openstack'] as const).map((name) => [name, undefined, 1] as const);
  const observer = ['observer', undefined, 1] as const;
  assert.equal(said(), [alone, ...others, observer]);
  assert.equal(said('disks', 'disks@one'), [alone, ...others, ['disks', undefined, 1], ['disks', 'one', 1], observer]);
  assert.equal(said('watch,actors,openstack,disks'), [...others, ['alone', undefined, 4], observer]);
});

test('a second run changes nothing, and what was lost comes back as it was (CLI-BOOK-2)', () =>
  Desk.during(async (desk) => {
    const first = await desk.run();
    assert.match(first, /alone written/);
    const [nkey, users, book] = [
      await desk.file('alone', 'nkey'),
      await desk.file('server', 'users.conf'),
      await desk.book(),
    ];
    assert.match(await desk.run(), /^nothing to change\n/);
    await rm(join(desk.folder, 'alone'), { recursive: true });
    await rm(join(desk.folder, 'server', 'users.conf'));
    assert.match(await desk.run(), /server written\n.*alone written\nno rotation/);
    assert.is(await desk.file('alone', 'nkey'), nkey);
    assert.is(await desk.file('server', 'users.conf'), users);
    assert.equal(await desk.book(), book);
    const added = await desk.run('--user', 'watch,actors');
    assert.match(added, /watch-actors written/);
    assert.not.match(added, /alone written/);
    assert.is(await desk.file('alone', 'nkey'), nkey);
  }));

test('what the server is told holds no seed, and the key of the authority is nowhere (CLI-BOOK-3)', () =>
  Desk.during(async (desk) => {
    await desk.run();
    for (const seed of Object.values((await desk.book()).generations[0]?.seeds ?? {})) {
      assert.match(seed, /^SU/);
      assert.not.match(await desk.file('server', 'users.conf'), seed);
    }
    const keys = (await desk.file('book', 'book.json')).match(/BEGIN PRIVATE KEY/g);
    assert.is(keys?.length, 1, "the server's");
  }));

test('a rotation goes one step a grace, and is shown only what the other side knows (CLI-BOOK-1)', () =>
  Desk.during(async (desk) => {
    await desk.run();
    const before = await desk.book();
    const [old] = before.generations;
    const sides = async (): Promise<{ shown: string; trusted: number; served: string; known: number }> => ({
      shown: await desk.file('actors', 'nkey'),
      trusted: (await desk.file('actors', 'ca.crt')).split('BEGIN CERTIFICATE').length - 1,
      served: await desk.file('server', 'tls.crt'),
      known: (await desk.file('server', 'users.conf')).split('nkey:').length - 1,
    });
    const users = usersOf(BUILT_IN, []).length;
    const steady = { shown: old?.seeds['actors'], trusted: 1, served: old?.certificate, known: users };
    assert.equal(await sides(), steady);

    assert.match(
      await desk.run('--rotate', '--grace', '1h'),
      /with the next run in 60 minutes or later, what is new is used/,
    );
    const fresh = (await desk.book()).generations[1] as Generation;
    assert.equal(await sides(), { ...steady, trusted: 2, known: users * 2 });
    desk.now += HOUR_MS - 1;
    assert.match(await desk.run('--rotate', '--grace', '1h'), /nothing to change/);
    desk.now += 1;
    assert.match(await desk.run('--grace', '1h'), /what is old is refused/);
    assert.equal(await sides(), {
      shown: fresh.seeds['actors'],
      trusted: 2,
      served: fresh.certificate,
      known: users * 2,
    });
    desk.now += HOUR_MS - 1;
    assert.match(await desk.run('--grace', '1h'), /nothing to change/);
    desk.now += 1;
    assert.match(await desk.run('--grace', '1h'), /the rotation is done/);
    assert.equal(await sides(), { shown: fresh.seeds['actors'], trusted: 1, served: fresh.certificate, known: users });
    assert.not.match(await desk.file('book', 'book.json'), old?.seeds['actors'] ?? '-');
  }));

test('a rotation begins by itself when it is time, and when the server is reached at another name', () =>
  Desk.during(async (desk) => {
    const every = ['--rotate-after', '2160h', '--host', 'a.example'];
    await desk.run(...every);
    desk.now += 2160 * HOUR_MS - 1;
    assert.match(await desk.run(...every), /nothing to change/);
    desk.now += 1;
    assert.match(await desk.run(...every), /a rotation is under way/);
    for (const _ of [1, 2]) {
      desk.now += HOUR_MS;
      await desk.run(...every);
    }
    assert.is((await desk.book()).phase, Phase.Steady);
    assert.match(await desk.run('--host', 'b.example'), /a rotation is under way/);
  }));

test('what makes no sense is said', async () => {
  const call = (...args: readonly string[]): Promise<Error> =>
    rejection(credentials(args, { env: {}, cwd: '/', out: process.stdout }));
  assert.match((await call()).message, 'one of --folder and --secrets');
  assert.match((await call('--folder', '/x', '--secrets')).message, 'one of --folder and --secrets');
  assert.match((await call('--secrets')).message, 'KUBECONFIG is not set');
  assert.match((await call('--folder', '/x', '--grace', 'soon')).message, '--grace must be a Go duration');
  assert.match((await call('--folder')).message, '--folder');
  assert.throws(() => parseBook('{"phase":"steady"}'), 'cannot be read');
  assert.throws(() => parseBook('{"phase":"steady","since":0,"generations":[null]}'), 'cannot be read');
  const generation = { madeAt: 0, hosts: [], authority: '', certificate: '', key: '', seeds: {} };
  const book = { phase: Phase.Steady, since: 0, generations: [generation] };
  assert.equal(parseBook(JSON.stringify(book)), book);
  for (const part of Object.keys(generation)) {
    const broken = { ...book, generations: [{ ...generation, [part]: undefined }] };
    assert.throws(() => parseBook(JSON.stringify(broken)), 'cannot be read', part);
  }
  assert.throws(() => filesOf({ phase: Phase.Steady, since: 0, generations: [] }, [], undefined), 'empty');
});

const found = await findNatsServer();
const program = 'program' in found ? found.program : '';
if ('refusal' in found) console.log(`without NATS: ${found.refusal}`);
const withServer = 'program' in found ? test : (): void => undefined;

/** A process that holds a lease, says something all the time and hears all of it. */
class Busy {
  readonly bus: Bus;
  readonly connectivity: string[] = [];
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();
  hasLost = false;
  said = 0;
  heard = 0;

  constructor(bus: Bus) {
    this.bus = bus;
    bus.onConnectivity(({ kind }) => this.connectivity.push(kind));
  }

  async begin(): Promise<void> {
    const lease = await this.bus.leases.acquire('shard.1', 'me');
    assert.ok(lease);
    void lease?.lost.then(() => {
      this.hasLost = true;
    });
    const reader = await read(this.bus, everything(this.bus));
    this.#running = (async () => {
      while (!this.#stop.signal.aborted) {
        await eventually(() => store(this.bus, 'n', this.said + 1));
        this.said += 1;
        this.heard = Number(reader.newest('n')?.payload['value'] ?? 0);
        await clock.sleep(5);
      }
    })();
  }

  /** It goes on: what is said from now on is heard. */
  async goesOn(): Promise<void> {
    const until_ = this.said + 5;
    await until('what is said to be heard', () => this.heard >= until_);
    assert.not(this.hasLost, 'the lease');
  }

  async end(): Promise<void> {
    this.#stop.abort();
    await within('its end', this.#running);
    assert.not(this.hasLost, 'the lease');
    await this.bus.close();
  }
}

interface Play {
  readonly desk: Desk;
  readonly server: SecuredServer;
  /** The command, and then the server reads what it wrote. */
  step(...flags: readonly string[]): Promise<void>;
  connect(options?: object): Promise<Bus>;
}

const onServer =
  (body: (play: Play) => Promise<void>): (() => Promise<void>) =>
  () =>
    Desk.during(async (desk) => {
      await desk.run();
      const server = await SecuredServer.start(program, join(desk.folder, 'server'));
      const connect = (options: object = {}): Promise<Bus> =>
        natsBus({
          url: server.url,
          clock,
          process: 'busy',
          user: ALONE,
          leaseMs: 1_500,
          firstLease: 'immediate',
          nkeySeedFile: join(desk.folder, 'alone', 'nkey'),
          tls: { caFile: join(desk.folder, 'alone', 'ca.crt') },
          ...options,
        });
      const step = async (...flags: readonly string[]): Promise<void> => {
        await desk.run('--grace', '0', ...flags);
        await server.reload();
      };
      try {
        await body({ desk, server, step, connect });
      } finally {
        await server.close();
      }
    });

withServer(
  'keys and certificates are replaced under a process that notices, and the old ones end without a word',
  onServer(async ({ desk, step, connect }) => {
    const oldFiles = { nkey: join(desk.folder, 'old.nk'), ca: join(desk.folder, 'old.crt') };
    await writeFile(oldFiles.nkey, await desk.file('alone', 'nkey'));
    await writeFile(oldFiles.ca, await desk.file('alone', 'ca.crt'));
    const busy = new Busy(await connect());
    await busy.begin();
    await busy.goesOn();

    await step('--rotate');
    await busy.goesOn();
    assert.equal(busy.connectivity, [], 'nobody was disturbed');
    await step();
    await until('the new login to be used', () => busy.connectivity.at(-1) === 'connected');
    await busy.goesOn();
    const before = busy.connectivity.length;
    await (await connect({ nkeySeedFile: oldFiles.nkey, process: 'late' })).close();

    await step();
    await busy.goesOn();
    assert.is(busy.connectivity.length, before, 'nobody used what was refused');
    const refused = await rejection(connect({ nkeySeedFile: oldFiles.nkey }));
    assert.match(refused.message, 'it refuses us');
    assert.match((await rejection(connect({ tls: { caFile: oldFiles.ca } }))).message, 'the authority');
    await (await connect({ process: 'next' })).close();
    await busy.end();
  }),
);

withServer(
  'a process that has not noticed is sent away, and is back before its leases end',
  onServer(async ({ step, connect }) => {
    // It reads its files too late.
    const late: Clock = {
      ...clock,
      sleep: (delayMs, signal) => clock.sleep(delayMs === SETTLING_MS ? LOOK_MS : delayMs, signal),
    };
    const busy = new Busy(await connect({ clock: late }));
    await busy.begin();
    await step('--rotate');
    await step();
    await busy.goesOn();
    assert.equal(busy.connectivity, []);
    await step();
    await until('it to be back', () => busy.connectivity.at(-1) === 'connected');
    await busy.goesOn();
    await busy.end();
  }),
);

test.run();
