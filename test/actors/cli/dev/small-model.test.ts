// long
// The small model that `troupe dev` serves over HTTP by default: what the banner tells to type, and what leaves it out.
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../../actors/base/clock.ts';
import { kubeClient } from '../../../../adapters/kubernetes/mod.ts';
import { freePort, startTroupe } from '../../../adapters/ocm/gateway/troupe-process.ts';
import { MODELS } from '../../../adapters/ocm/kinds/models.ts';
import { openApiServer } from '../../../world/api-server.ts';

const test = suite('the small model of dev');
const CLI = fileURLToPath(new URL('../../../../actors/cli.js', import.meta.url));
const ADAPTER = fileURLToPath(new URL('../../../../adapters/template/src/mod.ts', import.meta.url));
const clock = systemClock();
/** Command of the banner that posts an object. */
const POST = /^ {2}curl --json '(\{.*\})' (http:\/\/127\.0\.0\.1:\d+)(\/api\/fleet\/v1\/\S+) /m;
const NO_PAGE = ['--visualizer-bind-address', '0'] as const;

type Dev = ReturnType<typeof startTroupe>;

/** Starts `dev`, and waits for the end of its banner. */
async function startDev(folder: string, options: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Dev> {
  const { HOME, TROUPE_NATS_SERVER } = process.env;
  const given = { HOME, ...(TROUPE_NATS_SERVER !== undefined && { TROUPE_NATS_SERVER }), ...env };
  const dev = startTroupe(['dev', '--data', folder, ...NO_PAGE, ...options], given);
  await dev.find(/^ {2}(the first steps|kinds): /m);
  return dev;
}

async function withDev(
  options: readonly string[],
  work: (dev: Dev, folder: string) => Promise<void>,
  env?: NodeJS.ProcessEnv,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-dev-'));
  try {
    const dev = await startDev(folder, options, env);
    try {
      await work(dev, folder);
    } finally {
      assert.is(await dev.stop(), 0, dev.text());
    }
  } finally {
    await rm(folder, { recursive: true, maxRetries: 5 });
  }
}

/** Names of the modeled kinds that a cluster has. */
async function modeledKinds(kubeconfig: string): Promise<readonly string[]> {
  const client = kubeClient({ clock, kubeconfig });
  try {
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const { body } = await client.call({ method: 'GET', path });
    const { items } = body as unknown as {
      readonly items: readonly { readonly metadata: { readonly name: string } }[];
    };
    return items.flatMap(({ metadata: { name } }) => (name.includes('.models.troupe.dev') ? [name] : []));
  } finally {
    await client.close();
  }
}

/** The answer, once the objects are read. */
async function answered(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  for (;;) {
    const answer = await fetch(url, { headers });
    if (answer.status !== 503) return answer;
    await clock.sleep(20);
  }
}

test('36.A6a: what the banner tells to type makes an object for kubectl and the commands, which is there at the next start', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-dev-'));
  let dev = await startDev(folder, []);
  try {
    const [, json = '', url = '', path = ''] = POST.exec(dev.text()) ?? [];
    await answered(url + path);
    const posted = await fetch(url + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: json,
    });
    assert.is(posted.status, 201, await posted.text());
    const { id } = JSON.parse(json) as { readonly id: string };
    const models = /^ {2}export TROUPE_MODELS=(\S+) /m.exec(dev.text())?.[1];
    const env = { PATH: process.env['PATH'], KUBECONFIG: join(folder, 'kubeconfig'), TROUPE_MODELS: models };
    const listed = spawnSync(process.execPath, [CLI, 'get', 'region', '-n', 'default'], { env, encoding: 'utf8' });
    assert.match(listed.stdout, new RegExp(`\\b${id}\\b`), listed.stderr);
    const browsed = /^ {2}(http:\S+\/docs) /m.exec(dev.text())?.[1];
    assert.match((await fetch(String(browsed))).headers.get('Content-Type') ?? '', 'text/html');
    assert.is(await dev.stop(), 0, dev.text());

    dev = await startDev(folder, []);
    const [, , again = ''] = POST.exec(dev.text()) ?? [];
    assert.is((await answered(`${again}${path}/${id}`)).status, 200);
  } finally {
    await dev.stop();
    await rm(folder, { recursive: true, maxRetries: 5 });
  }
});

test('36.A6b: a named port that is taken is reported with its option; the default one gives way to the next', async () => {
  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  await withDev([], (byDefault) =>
    withDev(['--ocm-bind-address', address], async (named) => {
      assert.is(POST.exec(named.text())?.[2], `http://${address}`);
      await withDev([], async (other) => {
        const [first, second] = [byDefault, other].map((dev) => POST.exec(dev.text())?.[2]);
        assert.ok(second);
        assert.is.not(first, second);
      });
      const folder = await mkdtemp(join(tmpdir(), 'troupe-dev-'));
      const refused = startTroupe(['dev', '--data', folder, ...NO_PAGE, '--ocm-bind-address', address], {
        HOME: process.env['HOME'],
      });
      assert.is(await refused.ended, 2);
      assert.match(refused.text(), `troupe: --ocm-bind-address: listen EADDRINUSE: address already in use ${address}`);
      await rm(folder, { recursive: true, maxRetries: 5 });
    }),
  );
});

test('36.A6c: --ocm-bind-address 0 and --only-adapters leave it out, and a cluster that was given gets no kinds of it', async () => {
  const own = (folder: string): Promise<readonly string[]> => modeledKinds(join(folder, 'kubeconfig'));
  const leavingOut = [
    ['--ocm-bind-address', '0'],
    ['--only-adapters', '--adapters', ADAPTER],
  ];
  for (const options of leavingOut) {
    await withDev(options, async (dev, folder) => {
      assert.not.match(dev.text(), '/api');
      assert.equal(await own(folder), []);
    });
  }
  const given = await openApiServer({ clock });
  try {
    await withDev(['--kubeconfig', given.kubeconfig], async (dev) => {
      assert.not.match(dev.text(), '/api');
      assert.equal(await modeledKinds(given.kubeconfig), []);
    });
  } finally {
    await given.close();
  }
});

test('36.A6d: models that are named are served instead of it', async () => {
  await withDev(['--models', MODELS, '--ocm-bind-address', '127.0.0.1:0'], async (dev) => {
    const url = /^ {2}curl (http:\S+)\/api /m.exec(dev.text())?.[1];
    const { items } = (await (await fetch(`${url}/api`)).json()) as {
      readonly items: readonly { readonly id: string }[];
    };
    assert.equal(
      items.map(({ id }) => id),
      ['fleet_mgmt'],
    );
    assert.not.match(dev.text(), POST);
  });
});

test('36.A6e: where callers need a token, the command of the banner sends it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-token-'));
  const [file, token] = [join(folder, 'token'), 'let-me-in-0123456789'];
  await writeFile(file, token, { mode: 0o600 });
  try {
    const options = ['--ocm-auth', 'token', '--ocm-token-file', file, '--ocm-writes-as', 'self'];
    await withDev(options, async (dev) => {
      const [, url = ''] = /^ {2}(http:\S+)\/docs /m.exec(dev.text()) ?? [];
      assert.match(dev.text(), `curl -H "Authorization: Bearer $(cat ${file})" --json`);
      assert.is((await answered(`${url}/api/fleet/v1/regions`)).status, 401);
      const headers = { Authorization: `Bearer ${token}` };
      assert.is((await answered(`${url}/api/fleet/v1/regions`, headers)).status, 200);
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});

test.run();
