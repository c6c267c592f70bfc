// Roles in processes of their own, each under its own rules at the API server, its own key on the bus, over TLS: everything
// is as before, also while keys and certificates are replaced.
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../actors/base/clock.ts';
import { Role, VISUALIZER } from '../../actors/base/config.ts';
import { credentials } from '../../actors/cli/bus/credentials.ts';
import { userOf } from '../../actors/process/bus-user.ts';
import { REALM } from '../../adapters/openstack/mod.ts';
import { natsBus } from '../../bus/mod.ts';
import { SecuredServer } from '../bus/secured-server.ts';
import type { Ground, OpenGround } from '../world/environments.ts';
import { World } from '../world/world.ts';
import { accountFor } from './deployed.ts';
import { comeAndGo } from './landscape.ts';
import { TroupeProcess } from './processes.ts';
import { Page, sourceOn } from './visualizer/follower.ts';

const LEASE_MS = 3_000;

/** What `troupe bus credentials` wrote, and the server that reads it. */
interface Secured {
  readonly server: SecuredServer;
  file(...path: readonly string[]): string;
  /** The next step of a rotation, or its begin. */
  step(...flags: readonly string[]): Promise<void>;
}

async function secured(program: string): Promise<Secured> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-secured-'));
  const out = new Writable({ write: (_chunk, _encoding, done) => done() });
  const write = async (...flags: readonly string[]): Promise<void> => {
    await credentials(['--folder', folder, '--grace', '0', '--user', VISUALIZER, ...flags], {
      env: {},
      cwd: folder,
      out,
    });
  };
  await write();
  const server = await SecuredServer.start(program, join(folder, 'server'));
  return {
    server,
    file: (...path) => join(folder, ...path),
    async step(...flags) {
      await write(...flags);
      await server.reload();
    },
  };
}

/** The same ground, its bus this one; the test itself only listens. */
function listening(openGround: OpenGround, { server, file }: Secured): OpenGround {
  const clock = systemClock();
  return async (options): Promise<Ground> => ({
    ...(await openGround({ ...options, clock })),
    nats: { url: server.url, prefix: 'troupe' },
    connect: (process) =>
      natsBus({
        url: server.url,
        clock,
        process,
        user: { name: 'observer', roles: [{ does: 'observe' }] },
        nkeySeedFile: file('observer', 'nkey'),
        tls: { caFile: file('observer', 'ca.crt') },
      }),
  });
}

/** A process with one role, which holds nothing that is not this role's. */
async function pod(world: World, { file }: Secured, role: string): Promise<TroupeProcess> {
  const { ground } = world;
  const own = join(ground.folder, role);
  await mkdir(own);
  const kubeconfig = join(own, 'kubeconfig');
  await writeFile(kubeconfig, await accountFor([role], ground), { mode: 0o600 });
  return new TroupeProcess(world, {
    KUBECONFIG: kubeconfig,
    NATS_NKEY: file(role, 'nkey'),
    NATS_CA: file(role, 'ca.crt'),
    TROUPE_ROLES: role,
    TROUPE_LEASE_MS: String(LEASE_MS),
    TROUPE_NAMESPACES: world.namespace,
    POD_NAME: role,
  });
}

interface Shown {
  readonly page: Page;
  /** Asks what a page asks for, and finds it. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** What a page is told under the key of its role, and nobody else's. */
async function shown(world: World, { server, file }: Secured): Promise<Shown> {
  const { clock, client, namespace } = world;
  const bus = await natsBus({
    url: server.url,
    clock,
    process: VISUALIZER,
    user: userOf(new Set([VISUALIZER]), []),
    nkeySeedFile: file(VISUALIZER, 'nkey'),
    tls: { caFile: file(VISUALIZER, 'ca.crt') },
  });
  const reported = sourceOn({ clock, client, bus, namespaces: [namespace] });
  const page = new Page();
  await reported.follow(page);
  return {
    page,
    async check() {
      const { leases, notes } = await reported.problems();
      assert.ok(
        leases.some(({ name }) => name === 'role.watch') && leases.some(({ name }) => name.startsWith('shard.')),
      );
      assert.equal(notes, []);
      assert.ok((await reported.hello()).keepsHistory);
      const { keys } = await reported.history(0);
      assert.ok(keys.length > 1, `${keys.length} objects in the history`);
      const [key = ''] = keys;
      const seen = await reported.inspect(key);
      assert.ok((seen?.history.length ?? 0) > 0 && seen?.mailTrouble === undefined, JSON.stringify(seen));
    },
    async close() {
      await reported.close();
      await bus.close();
    },
  };
}

export function describeSecured(test: Test, openGround: OpenGround, program: string): void {
  test('roles that share nothing but a bus bring objects up and down, and go on with other keys', async () => {
    const bus = await secured(program);
    const world = await World.open(listening(openGround, bus), { runtime: 'stopped' });
    const pods: TroupeProcess[] = [];
    let visualizer: Shown | undefined;
    try {
      await world.observe();
      for (const role of [Role.Watch, Role.Actors, REALM]) pods.push(await pod(world, bus, role));
      visualizer = await shown(world, bus);
      await comeAndGo(world);
      const types = new Set(world.events.map(({ type }) => type));
      assert.ok(types.has('transition') && types.has('call'), [...types].join());

      const { page } = visualizer;
      assert.ok(page.steps.length > 10 && page.steps.some(({ by }) => by !== undefined), `${page.steps.length} steps`);
      // It may have come before the others, and looks again some time after they made what it looks for.
      await page.until(world.clock, 'nothing is wrong any more', () => page.troubles.at(-1)?.what === undefined);
      const key = await readFile(bus.file('actors', 'nkey'), 'utf8');
      for (const flags of [['--rotate'], [], []]) await bus.step(...flags);
      assert.is.not(await readFile(bus.file('actors', 'nkey'), 'utf8'), key);
      await comeAndGo(world);

      await visualizer.check();
      for (const { lines, said } of pods) {
        assert.equal(said, []);
        const reported = lines.map(({ msg }) => String(msg));
        assert.equal(
          reported.filter((line) => /does not let us|leases lost|mailbox was lost/.test(line)),
          [],
        );
      }
      assert.not.match(await bus.server.log(), 'Permissions Violation');
    } finally {
      await visualizer?.close();
      await Promise.all(pods.map((each) => each.stop()));
      await world.close();
      await bus.server.close();
    }
  });
}
