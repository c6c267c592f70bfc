// long
// Each recipe for the NATS command line does what it promises: on processes that share the roles, with keys and TLS, as the
// observer and as somebody who may do anything.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../actors/base/clock.ts';
import { Role } from '../../actors/base/config.ts';
import { credentials } from '../../actors/cli/bus/credentials.ts';
import { REALM } from '../../adapters/openstack/mod.ts';
import { type Bus, natsBus } from '../../bus/mod.ts';
import { newSeed, publicKeyOf } from '../../bus/server-users.ts';
import { accountFor } from '../actors/deployed.ts';
import { TroupeProcess } from '../actors/processes.ts';
import { SecuredServer } from '../bus/secured-server.ts';
import { findSharableNatsServer, onSockets } from '../world/environments.ts';
import { World } from '../world/world.ts';
import { written } from '../world/written.ts';
import { type Block, blocksOf, commandsOf, ROOT } from './blocks.ts';
import { missingProgram } from './typing.ts';

const LEASE_MS = 3_000;
/** A recipe that ends does so within this time, in milliseconds. */
const LIMIT_MS = 30_000;
/** A context for somebody who may do anything. */
const EVERYTHING = 'everything';
/** As the page has the observer's. */
const OBSERVER = 'troupe';
/** Of events. */
const TYPES = ['transition', 'call', 'deleted', 'quarantined'];
/** Where events come from that only show who listens by now. */
const PROBE = 'probe';
const clock = systemClock();

interface Recipe extends Block {
  readonly title: string;
  readonly stays: boolean;
  readonly forObserver: boolean;
}

interface CloudEvent {
  readonly type: string;
  readonly subject: string;
  readonly traceparent: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What a recipe shows of what happens. */
interface Shown {
  /** What is true of all of it. */
  readonly all: (event: CloudEvent) => boolean;
  /** Of each of these there is something. */
  readonly some: readonly ((event: CloudEvent) => boolean)[];
}

async function recipes(): Promise<readonly Recipe[]> {
  const page = await readFile(join(ROOT, 'bus', 'recipes.md'), 'utf8');
  return page.split(/^### /m).flatMap((section) => {
    const title = section.slice(0, section.indexOf('\n'));
    return blocksOf('bus/recipes.md', section)
      .filter(({ language }) => language === 'sh')
      .map((block) => ({
        ...block,
        title,
        stays: block.marks.includes('stays'),
        forObserver: !/Not for the\s+observer[.,]/.test(section),
      }));
  });
}

const typed =
  (type: string) =>
  ({ type: reported }: CloudEvent): boolean =>
    reported === `troupe.${type}`;
const about =
  (part: string) =>
  ({ subject }: CloudEvent): boolean =>
    `${subject}.`.startsWith(`${part}.`);
const anything = (): boolean => true;

/** Recipes that go on, by their title. */
const LIVE: Readonly<Record<string, (namespace: string) => Shown>> = {
  Everything: () => ({ all: anything, some: TYPES.map(typed) }),
  'All transitions': () => ({ all: typed('transition'), some: [about('openstack.networks')] }),
  'All calls to clouds': () => ({
    all: (event) => typed('call')(event) && typeof event.data['status'] === 'number',
    some: [({ data }) => data['method'] === 'PUT'],
  }),
  'What was quarantined, and what has ended': () => ({
    all: (event) => typed('quarantined')(event) || typed('deleted')(event),
    some: [typed('quarantined'), typed('deleted')],
  }),
  'One realm': () => ({ all: about('openstack'), some: [about('openstack.networks'), about('openstack.subnets')] }),
  'One kind': () => ({ all: about('openstack.subnets'), some: [typed('transition'), typed('call')] }),
  'One namespace': (namespace) => ({
    all: ({ subject }) => subject.split('.')[2] === namespace,
    some: [about(`openstack.networks.${namespace}.net`), about(`openstack.subnets.${namespace}.app`)],
  }),
  'One object': (namespace) => ({
    all: about(`openstack.subnets.${namespace}.app`),
    some: [typed('transition'), typed('call')],
  }),
};

/** What recipes that end, and one that shows no events, have written. */
const SAID: Readonly<Record<string, (text: string, namespace: string) => void>> = {
  'To `troupe dev`': (text) => assert.match(text, 'tls://localhost:'),
  'As the observer, with a key and TLS': (text) => assert.match(text, 'troupe.inbox.observer'),
  'The last transition of an object': (text, namespace) => {
    assert.match(text, `openstack.subnets.${namespace}.app.transition`);
    assert.match(text, '"to":"idle.available"');
    assert.match(text, /"cause":"./);
  },
  'One event by its number': (text) => {
    assert.match(text, 'TROUPE_HISTORY#1 ');
    assert.is(eventsIn(text).length, 1);
  },
  'The last event of each object': (text, namespace) => {
    const events = eventsIn(text);
    const subjects = events.map(({ subject }) => subject);
    assert.is(new Set(subjects).size, subjects.length, 'one each');
    assert.ok(subjects.includes(`openstack.subnets.${namespace}.app`), subjects.join());
    assert.ok(events.every(typed('transition')));
  },
  'One object, from a time on': (text, namespace) => {
    const events = eventsIn(text);
    assert.ok(events.length > 3, text);
    assert.ok(events.every(about(`openstack.subnets.${namespace}.app`)), text);
    assert.is(events[0]?.data['from'], '', 'from its beginning');
  },
  'Everything that is kept': (text) => {
    const events = eventsIn(text);
    for (const type of TYPES) assert.ok(events.some(typed(type)), type);
  },
  'What one trace did': (text, namespace) => {
    const events = eventsIn(text);
    const own = events.filter(about(`openstack.subnets.${namespace}.app`));
    const traces = new Set(own.map(({ traceparent }) => traceparent.split('-')[1]));
    assert.is(traces.size, 1);
    const [trace = ''] = traces;
    assert.ok(own.some(typed('transition')) && own.some(typed('call')), text);
    assert.ok(events.every((event) => JSON.stringify(event).includes(trace)));
  },
  'The mail to an actor': (text, namespace) => {
    const mail = `troupe.mail.\\d+.openstack.subnets.${namespace}.app`;
    assert.match(text, new RegExp(`${mail}.object `));
    assert.match(text, new RegExp(`${mail}.ready.openstack.networks.${namespace}.net `));
  },
  'The last values of that mail': (text) => {
    assert.match(text, '"object":{');
    assert.match(text, '"readiness":"ready"');
  },
  'What a claim was answered last': (text, namespace) => {
    assert.match(text, `ready.openstack.networks.${namespace}.net`);
    assert.match(text, '"readiness":"ready"');
  },
  'All leases': (text) => {
    assert.match(text, /role=2Ewatch .*"holder":"watch-/);
    assert.match(text, /shard=2E63 .*"holder":"actors-/);
    assert.match(text, /pod=2Eactors-\w+ /);
  },
  'One lease': (text) => assert.match(text, /"name":"role\.watch","holder":"watch-\w+",.*"leaseMs":3000/),
  'The same without a consumer': (text) => {
    assert.match(text, /"name":"role\.watch","holder":"watch-/);
    assert.match(text, /"name":"shard\.63","holder":"actors-/);
  },
  'Leases as they change hands': (text) => {
    assert.match(text, /PUT TROUPE_LEASES > role=2Ewatch: .*"holder":"watch-/);
    assert.match(text, /PUT TROUPE_LEASES > shard=2E0: .*"holder":"actors-/);
  },
  'Which adapters there are': (text) => assert.match(text, /openstack .*\d+\.\d+\.\d+/),
  'The operations of an adapter': (text) => {
    assert.match(text, 'troupe.openstack.subnets.create');
    assert.match(text, 'troupe.openstack.servers.remove');
  },
  'How often, how long, and how many failed': (text) => {
    assert.match(text, /openstack-subnets-create .* [1-9]\d* /);
    assert.match(text, /Errors/i);
  },
  'Size and limits of one': (text) => {
    assert.match(text, /Maximum Bytes: 256 MiB/);
    assert.match(text, /Maximum Age: 1d/);
    assert.match(text, /Messages: \d/);
  },
  'Events by subject': (text, namespace) =>
    assert.match(text, new RegExp(`troupe.event.openstack.subnets.${namespace}.app.transition *│ [1-9]`)),
  'All streams': (text) => {
    for (const name of ['TROUPE_HISTORY', 'TROUPE_MAIL', 'KV_TROUPE_LEASES']) assert.match(text, name);
  },
};

/** But for those that the test says to see who listens. */
function eventsIn(text: string): readonly CloudEvent[] {
  const lines = text.split(/\r?\n/).filter((line) => line.startsWith('{"specversion"'));
  return lines.map((line) => JSON.parse(line) as CloudEvent).filter(({ data }) => data['from'] !== PROBE);
}

interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  text(): string;
}

/** A recipe that goes on. */
interface Watching {
  readonly recipe: Recipe;
  readonly running: Running;
}

const isConnecting = ({ text }: Recipe): boolean => text.startsWith('nats context add');

/** As whom it is typed. */
const contextsOf = ({ forObserver }: Recipe): readonly string[] =>
  forObserver ? [EVERYTHING, OBSERVER] : [EVERYTHING];

/** Where recipes are typed: what they name is there, and its servers. */
class Terminal {
  readonly folder: string;
  readonly #replaced: (text: string) => string;

  constructor(folder: string, replaced: (text: string) => string) {
    this.folder = folder;
    this.#replaced = replaced;
  }

  begin(text: string, context: string | undefined): Running {
    const command = this.#replaced(text);
    // Paging wants a terminal, and is told to end by the answer that is none.
    const inTerminal = command.includes('stream view')
      ? ['script', '-qec', command, '/dev/null']
      : ['bash', '-c', command];
    const [program = '', ...args] = inTerminal;
    const child = spawn(program, args, {
      cwd: this.folder,
      env: {
        PATH: process.env['PATH'],
        HOME: this.folder,
        XDG_CONFIG_HOME: join(this.folder, 'config'),
        NO_COLOR: '1',
        ...(context !== undefined && { NATS_CONTEXT: context }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (part: string) => {
        said += part;
      });
    }
    return { child, ended: new Promise((resolve) => child.once('close', resolve)), text: () => said };
  }

  /** @returns its exit code, and what it wrote; 0 where the first page of several is there */
  async run(text: string, context: string | undefined): Promise<{ code: number | null; said: string }> {
    const running = this.begin(text, context);
    const { child } = running;
    const endsAt = clock.now() + LIMIT_MS;
    while (child.exitCode === null && child.signalCode === null && clock.now() < endsAt) {
      if (running.text().includes('Next Page?')) break;
      await clock.sleep(20);
    }
    const { exitCode } = child;
    await end(running);
    const said = running.text();
    return { code: said.includes('Next Page?') ? 0 : exitCode, said };
  }
}

async function end({ child, ended }: Running): Promise<void> {
  if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
    process.kill(-child.pid, 'SIGKILL');
  }
  await ended;
}

/** One process a role, each with its key; `net` and `app` in the world's namespace are up. */
interface Stage {
  readonly world: World;
  readonly terminal: Terminal;
  /** Somebody's who may say anything. */
  readonly bus: Bus;
  close(): Promise<void>;
}

async function stage(program: string): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-recipes-'));
  const keys = join(folder, 'keys');
  const out = written();
  await credentials(['--folder', keys], { env: {}, cwd: folder, out });
  const seed = newSeed();
  const seedFile = join(folder, 'everything.nk');
  await writeFile(seedFile, seed, { mode: 0o600 });
  const usersFile = join(keys, 'server', 'users.conf');
  const users = await readFile(usersFile, 'utf8');
  assert.match(users, 'users: [');
  await writeFile(usersFile, users.replace('users: [', `users: [\n    { nkey: "${publicKeyOf(seed)}" }`));
  const server = await SecuredServer.start(program, join(keys, 'server'));
  const caFile = join(keys, 'observer', 'ca.crt');
  const login = { url: server.url, clock, tls: { caFile } };
  const closings: (() => Promise<unknown>)[] = [
    () => server.close(),
    () => rm(folder, { recursive: true, force: true }),
  ];
  const close = async (): Promise<void> => {
    for (const each of closings) await each();
  };
  try {
    const world = await World.open(
      async (options) => ({
        ...(await onSockets({ ...options, clock })),
        nats: { url: server.url, prefix: 'troupe' },
        connect: (process) =>
          natsBus({
            ...login,
            process,
            user: { name: 'observer', roles: [{ does: 'observe' }] },
            nkeySeedFile: join(keys, 'observer', 'nkey'),
          }),
      }),
      { runtime: 'stopped' },
    );
    closings.unshift(() => world.close());
    await world.observe();
    for (const role of [Role.Watch, Role.Actors, REALM]) {
      const own = join(world.ground.folder, role);
      await mkdir(own);
      const kubeconfig = join(own, 'kubeconfig');
      await writeFile(kubeconfig, await accountFor([role], world.ground), { mode: 0o600 });
      const pod = new TroupeProcess(world, {
        KUBECONFIG: kubeconfig,
        NATS_NKEY: join(keys, role, 'nkey'),
        NATS_CA: caFile,
        TROUPE_ROLES: role,
        TROUPE_LEASE_MS: String(LEASE_MS),
        TROUPE_NAMESPACES: world.namespace,
        POD_NAME: role,
      });
      closings.unshift(() => pod.stop());
    }
    const bus = await natsBus({
      ...login,
      process: 'somebody',
      user: { name: 'somebody', roles: [{ does: 'observe' }] },
      nkeySeedFile: seedFile,
    });
    closings.unshift(() => bus.close());
    await mkdir(join(folder, '.troupe'));
    await writeFile(join(folder, '.troupe', 'nats-url'), server.url);
    const terminal = new Terminal(folder, (text) =>
      text.replaceAll('shop', world.namespace).replaceAll('localhost:4222', `localhost:${server.port}`),
    );
    const { code, said } = await terminal.run(
      `nats context add ${EVERYTHING} --server ${server.url} --nkey ${seedFile} --tlsca ${caFile}`,
      undefined,
    );
    assert.is(code, 0, said);
    const resource = { networkRef: 'net', ipVersion: 4, cidr: '10.0.0.0/24' };
    await world.apply(world.managed('Subnet', 'app', resource), world.managed('Network', 'net'));
    await world.available('Subnet', 'app');
    return { world, terminal, bus, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Something of each type happens, to a network and a subnet. */
async function happen({ world, bus }: Stage): Promise<void> {
  const description = { spec: { resource: { description: 'another one' } } };
  await world.patch('Network', 'net', description);
  await world.patch('Subnet', 'app', description);
  await world.apply(world.managed('Network', 'brief'));
  await world.available('Network', 'brief');
  await world.delete('Network', 'brief');
  await world.gone('Network', 'brief');
  const actor = { realm: REALM, plural: 'networks', namespace: world.namespace, name: 'net' };
  bus.trace.emit({ actor, type: 'quarantined', data: { from: 'idle.available', error: 'for the test' } });
  await world.available('Subnet', 'app');
}

/** @throws {Error} what is written is not what the recipe promises, with all of it */
function keeps({ title }: Recipe, text: string, namespace: string): void {
  try {
    SAID[title]?.(text, namespace);
  } catch (error) {
    throw new Error(`'${title}': ${error instanceof Error ? error.message : error}; it wrote:\n${text.slice(-4_000)}`);
  }
}

/** It ends well, and has shown what it promises. */
async function ends({ world, terminal }: Stage, recipe: Recipe, context: string | undefined): Promise<void> {
  const { code, said } = await terminal.run(recipe.text, context);
  assert.is(code, 0, `${recipe.title}, ${context}: ${said}`);
  keeps(recipe, said, world.namespace);
}

/** Who listens to raw events does not say since when: something is said until it is heard. */
async function listens({ world, bus }: Stage, { recipe, running }: Watching): Promise<void> {
  const actor = { realm: REALM, plural: 'subnets', namespace: world.namespace, name: 'app' };
  await until(recipe.title, running, () => {
    for (const type of TYPES) bus.trace.emit({ actor, type, data: { from: PROBE } });
    return running.text() !== '';
  });
}

/** It shows what has happened by now, and nothing that it should not. */
async function shows({ world }: Stage, { recipe, running }: Watching): Promise<void> {
  const shown = LIVE[recipe.title]?.(world.namespace);
  if (shown === undefined) {
    let last: unknown;
    const isKept = (): boolean => {
      try {
        keeps(recipe, running.text(), world.namespace);
        return true;
      } catch (error) {
        last = error;
        return false; // not all of it is there yet
      }
    };
    await until(recipe.title, running, isKept).catch((error: unknown) => Promise.reject(last ?? error));
    return;
  }
  const { all, some } = shown;
  await until(recipe.title, running, () => some.every((isSo) => eventsIn(running.text()).some(isSo)));
  for (const event of eventsIn(running.text())) assert.ok(all(event), `${recipe.title}: ${event.subject}`);
}

/** The server does not let the observer. */
async function refuses({ terminal }: Stage, { title, text }: Recipe): Promise<void> {
  const { code, said } = await terminal.run(text, OBSERVER);
  assert.is.not(code, 0, `${title}: the observer may`);
  assert.match(said, /permissions violation/i, title);
}

async function until(what: string, running: Running, isSo: () => boolean): Promise<void> {
  const endsAt = clock.now() + LIMIT_MS;
  while (!isSo()) {
    if (clock.now() > endsAt || running.child.exitCode !== null) {
      throw new Error(`'${what}' ended or did not show all of it:\n${running.text().slice(-4_000)}`);
    }
    await clock.sleep(50);
  }
}

const missing = missingProgram(['nats', 'script']);
const found =
  missing === undefined ? await findSharableNatsServer() : { refusal: `there is no ${missing} on the PATH` };
if ('refusal' in found) {
  console.log(`skipped: ${found.refusal}`);
} else {
  const { program } = found;
  const test = suite('recipes for nats');

  test('each recipe has a promise, and each promise a recipe', async () => {
    const all = await recipes();
    assert.equal(all.map(({ title }) => title).sort(), [...Object.keys(LIVE), ...Object.keys(SAID)].sort());
    for (const recipe of all) assert.ok(commandsOf(recipe).length > 0, recipe.title);
  });

  test('each recipe shows what it promises, to the observer too unless it says otherwise', async () => {
    const open = await stage(program);
    const { terminal } = open;
    const watching: Watching[] = [];
    try {
      const all = await recipes();
      for (const recipe of all.filter(isConnecting)) await ends(open, recipe, undefined);
      for (const recipe of all.filter(({ stays }) => stays)) {
        for (const context of contextsOf(recipe)) {
          watching.push({ recipe, running: terminal.begin(recipe.text, context) });
        }
      }
      for (const each of watching) await listens(open, each);
      await happen(open);
      for (const each of watching) await shows(open, each);
      const refusals = all.filter(({ forObserver }) => !forObserver).map((recipe) => refuses(open, recipe));
      for (const recipe of all.filter((each) => !each.stays && !isConnecting(each))) {
        for (const context of contextsOf(recipe)) await ends(open, recipe, context);
      }
      await Promise.all(refusals);
    } finally {
      for (const { running } of watching) await end(running);
      await open.close();
    }
  });

  test.run();
}
