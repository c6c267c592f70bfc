// long
// The whole demo on embedded parts: in plain lines, in one process, on a bus in memory.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../../actors/base/clock.ts';
import { readConfig, rolesOfNodes, rolesWith } from '../../../../actors/base/config.ts';
import { Ink } from '../../../../actors/cli/colors.ts';
import { type DemoDeps, demo } from '../../../../actors/cli/demo/demo.ts';
import { metal3 } from '../../../../adapters/ironic/mod.ts';
import { openstack, openstackContracts } from '../../../../adapters/openstack/mod.ts';
import { startSimulator } from '../../../../adapters/simulated/openstack/mod.ts';
import { windows } from '../../../../adapters/windows/mod.ts';
import { sideBySide } from '../../../side-by-side.ts';
import { written } from '../../../world/written.ts';

const test = sideBySide(suite('demo'), 3);

/** What is fetched has nowhere to go, so there is no nats-server: the bus is in memory. */
const adapters = [openstack, metal3, windows];
const roles = [...rolesWith(adapters), ...rolesOfNodes(adapters)].join();
const config = {
  ...readConfig({ NODE_NAME: 'one' }, { roles }, adapters),
  path: '',
  cache: '/dev/null/cache',
};

async function withDemo(
  run: (start: (more?: Partial<DemoDeps>) => Promise<number>, text: () => string, folder: string) => Promise<void>,
  onText: (text: string) => void = () => undefined,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-demo-'));
  let text = '';
  const out = written((more) => {
    text += more;
    onText(text);
  });
  const { signal } = new AbortController();
  const start = (more: Partial<DemoDeps> = {}): Promise<number> =>
    demo({
      config,
      adapters,
      env: {},
      options: {},
      clock: systemClock({ seed: 7 }),
      fetch: globalThis.fetch,
      signal,
      folder,
      keep: false,
      out,
      terminal: false,
      ink: Ink.Color,
      ...more,
    });
  try {
    await run(start, () => text, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Where a line stands. */
function at(text: string, pattern: RegExp): number {
  const found = text.search(pattern);
  assert.ok(found >= 0, `no line ${pattern} in\n${text}`);
  return found;
}

test('the landscape comes up in order, what waited goes on, all goes in reverse order, and nothing is left', async () => {
  await withDemo(async (start, text, folder) => {
    assert.is(await start(), 0, text());
    const said = text();
    at(said, /^\+ *\d+\.\d\d s waiting +server .*shop-web-1/m);
    assert.ok(at(said, / available .*project (?:[a-z-]+, )*shop\b/m) < at(said, / available .*server /m));
    const later = at(said, /^applying the 3 objects of 90-later\.yaml$/m);
    assert.ok(at(said, /^server\/report still waits: Waiting for Flavor\/huge to be created$/m) < later);
    assert.ok(at(said, / available .*server (?:[a-z0-9-]+, )*report\b/m) > later);
    // 35.B: every kind that there is, without the Secrets, as everywhere that a count is told.
    const kinds = openstackContracts.map(({ kind }) => kind);
    assert.is(kinds.length, 26);
    at(said, /^135 objects of 36 kinds$/m);
    for (const kind of [
      ...kinds,
      'Secret',
      'BareMetalHost',
      'Region',
      'Cluster',
      'NodePool',
      ...windows.contracts.map((each) => each.kind),
    ]) {
      const line = new RegExp(` \\d+ ${kind} +\\d+\\.\\d\\d(-\\d+\\.\\d\\d)? s`, 'g');
      assert.is(said.match(line)?.length, 2, `how long each ${kind} took to come and to go`);
    }
    at(said, /^ {2}order: (\d+) of \1 references were ready before/m);
    for (const service of [
      'identity',
      'network',
      'compute',
      'image',
      'block-storage',
      'shared-file-system',
      'bare-metal',
    ])
      at(said, new RegExp(`^ {4}${service}( +\\d+)+$`, 'm'));
    at(said, / held .*network .*shop-web/m);
    at(said, / gone .*secret .*openstack-clouds/m);
    at(said, /^ {2}order: (\d+) of \1 dependents were deleted from the cloud/m);
    // Changes are printed together, however slow the machine is: in each quarter of a second at most one line per state.
    const printed = [...said.matchAll(/^\+ *(\d+\.\d\d) s (\S+)/gm)].map(([, time, state]) => ({
      time: Number(time),
      state,
    }));
    const quarters = new Map<string, number>();
    for (const { time, state } of printed) {
      const quarter = `${state} ${Math.floor(time * 4)}`;
      quarters.set(quarter, (quarters.get(quarter) ?? 0) + 1);
    }
    // A part of the demo counts its time anew, and two reports may fall into one quarter.
    const most = Math.max(...quarters.values());
    assert.ok(most <= 8, `${most} lines of one state in a quarter of a second`);
    at(said, /^nothing is left: the cloud and Kubernetes are as they were before$/m);
    const passed = at(
      said,
      /^demo passed: 135 objects, 4 hosts, 11 Windows storage and 5 of a model among them, came up in /m,
    );
    // What a Windows machine has in use comes and goes with the objects, and in their order.
    at(said, /^ {2}Windows: node one \(a machine in memory\)$/m);
    at(said, /^ {2}Windows storage in use: 1 target, 2 disks, 1 share, 4 paths$/m);
    at(said, /^ {2}Windows storage: (\d+) of \1 were deleted before what they are on$/m);
    assert.ok(at(said, / available .*windowsvolume (?:[a-z-]+, )*archive\b/m) < at(said, /^deleting namespace /m));
    // 36.A6: the objects of a model are served over HTTP, and go in their order as well.
    at(
      said,
      /^ {2}a model over HTTP: GET \/api\/fleet\/v1\/clusters answers 200 with 2 clusters: lab installing, shop ready$/m,
    );
    assert.ok(at(said, / gone .*nodepool .*workers/m) <= at(said, / gone .*cluster .*shop\b/m));
    // A host goes while the others stay.
    const up = at(said, /^ {2}hosts: 2 available, 1 externally provisioned, 1 provisioned$/m);
    const retired = at(said, /^deleting baremetalhost\/old-shop, while all else stays up$/m);
    assert.ok(up < retired && retired < at(said, /^deleting namespace /m));
    at(said, /^ {2}gone after .*; hosts: 1 available, 1 externally provisioned, 1 provisioned, 1 deleted$/m);
    assert.ok(at(said, / gone +.*baremetalhost .*spare/m) > retired);
    // It says what its words mean before, and what to do next at its end.
    assert.ok(
      at(said, /^ {2}each line: the objects that came to a state meanwhile; held: /m) <
        at(said, /^applying \d+ objects at once/m),
    );
    assert.ok(at(said, /^next:\n {2}npm run demo -- --keep .*stays up until Ctrl-C.*\n {2}npm run dev /m) > passed);
    assert.match(said, 'deploy/tutorial.md');
    assert.not.match(said, '\x1b');
    assert.not.match(await readFile(join(folder, 'demo.log'), 'utf8'), /"level":[56]0/);
  });
});

test('36.A6e: clusters that HTTP does not list are a failure with a sentence, and all is cleaned up', async () => {
  const withoutShop: typeof globalThis.fetch = async (...asked) => {
    const { items, ...others } = (await (await fetch(...asked)).json()) as { items?: readonly { name: string }[] };
    return Response.json({ ...others, items: items?.filter(({ name }) => name !== 'shop') });
  };
  await withDemo(async (start, text) => {
    assert.is(await start({ fetch: withoutShop }), 1, text());
    const problem = 'a model over HTTP: GET /api/fleet/v1/clusters answers 200 without shop after 10 s';
    at(text(), new RegExp(`^! ${problem}$`, 'm'));
    at(text(), new RegExp(`^demo failed: ${problem} `, 'm'));
    at(text(), / gone .*secret .*openstack-clouds/m);
  });
});

test('Ctrl-C while it comes up deletes what was made', async () => {
  const stop = new AbortController();
  await withDemo(
    async (start, text) => {
      assert.is(await start({ signal: stop.signal }), 130, text());
      at(text(), /^nothing is left: the cloud and Kubernetes are as they were before$/m);
      at(text(), /^demo stopped; nothing is left/m);
      assert.not.match(text(), /^!/m);
    },
    (text) => {
      if (/ s available /.test(text)) stop.abort();
    },
  );
});

test('what is kept stays until Ctrl-C, tells how to look at it, and goes then', async () => {
  const stop = new AbortController();
  await withDemo(
    async (start, text, folder) => {
      assert.is(await start({ signal: stop.signal, keep: true, terminal: true }), 0, text());
      at(text(), new RegExp(`export KUBECONFIG=${join(folder, 'kubeconfig')}`));
      at(text(), /^ {2}curl http:\/\/127\.0\.0\.1:\d+\/api\/fleet\/v1\/clusters$/m);
      at(
        stripVTControlCharacters(text()),
        /^ {2}○ waiting for what it refers to {2}◐ creating .* ◍ held: deleted, and still used /m,
      );
      at(text(), /^demo passed: /m);
      at(text(), /^next:\n {2}npm run dev /m);
      assert.is(text().split('\x1b[?25l').length, text().split('\x1b[?25h').length, 'the cursor comes back each time');
    },
    (text) => {
      if (text.includes('To look:')) stop.abort();
    },
  );
});

test('an object that fails is told with the reason, all else is cleaned up, and the end is a failure', async () => {
  const simulator = await startSimulator({ clock: systemClock({ seed: 8 }) });
  try {
    const body = { NeutronError: { type: 'Conflict', message: 'no such thing here', detail: '' } };
    simulator.faults.inject({ match: { service: 'network', method: 'POST', path: /networks/ }, status: 409, body });
    await withDemo(async (start, text, folder) => {
      const cloudsFile = join(folder, 'real.yaml');
      await writeFile(cloudsFile, simulator.cloudsYaml('mine'));
      assert.is(await start({ cloudsFile, cloudName: 'mine' }), 1, text());
      at(text(), /^the cloud has no external network 'public'/m);
      at(text(), /^\d\d objects are left out for that$/m);
      at(text(), /^! network\/\S+ failed: .*no such thing here/m);
      at(text(), /^demo failed: network\/\S+ failed: /m);
      assert.is(simulator.resources('networks').length, 0);
      assert.is(simulator.resources('subnets').length, 0);
      assert.is(simulator.resources('ports').length, 0);
      assert.is(simulator.resources('routers').length, 0);
      assert.equal(
        simulator
          .resources('projects')
          .map(({ name }) => name)
          .sort(),
        ['admin', 'service'],
      );
    });
  } finally {
    await simulator.close();
  }
});

test('a folder is for one process at a time', async () => {
  const stop = new AbortController();
  let second: Promise<number | string> | undefined;
  await withDemo(
    async (start) => {
      const first = start({ signal: stop.signal });
      const [code, refusal] = [await first, await second];
      assert.is(code, 130);
      assert.match(String(refusal), /is in use by process \d+: name another one with --data$/);
    },
    (text) => {
      if (second !== undefined || !text.includes('applying')) return;
      const folder = dirname(/log: (.*)$/m.exec(text)?.[1] ?? '');
      const { signal } = new AbortController();
      const deps = {
        config,
        adapters,
        env: {},
        options: {},
        clock: systemClock({ seed: 9 }),
        fetch: globalThis.fetch,
        signal,
        folder,
        keep: false,
        out: written(),
        terminal: false,
        ink: Ink.Color,
      };
      second = demo(deps)
        .catch((error: Error) => error.message)
        .finally(() => stop.abort());
    },
  );
});

test.run();
