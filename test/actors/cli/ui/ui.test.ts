// The address of the page: who says it, who finds it, and what is said where nothing runs.
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { VisualizerPlace } from '../../../../actors/base/config.ts';
import { openLog } from '../../../../actors/base/log.ts';
import { openVisualizer, runningUrl } from '../../../../actors/cli/ui/running.ts';
import { type UiDeps, ui } from '../../../../actors/cli/ui/ui.ts';
import { startVisualizer, type VisualizerDeps } from '../../../../actors/visualizer/visualizer.ts';
import { addressKey, TerminalError } from '../../../../bus/mod.ts';
import { simulatedClock } from '../../../world/clock.ts';
import { written } from '../../../world/written.ts';
import { ADAPTERS } from '../../visualizer/follower.ts';
import { ScriptedWorld } from '../../visualizer/scripted-deployment.ts';

const test = suite('ui');
const clock = simulatedClock();

async function inFolder(
  run: (folder: string, deps: VisualizerDeps, world: ScriptedWorld) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-ui-'));
  const world = new ScriptedWorld(clock);
  const { bus, client } = world;
  try {
    const log = openLog({ level: 'silent', readable: false });
    await run(folder, { bus, client, adapters: ADAPTERS, clock, log }, world);
  } finally {
    await bus.close();
    await rm(folder, { recursive: true });
  }
}

/** On any port of loopback, unless told. */
function place(more: Partial<VisualizerPlace> = {}): { visualizer: VisualizerPlace; namespaces: undefined } {
  const visualizer = {
    address: { host: '127.0.0.1', port: 0 },
    port: 'this one',
    tokenFile: undefined,
    ...more,
  } as const;
  return { visualizer, namespaces: undefined };
}

async function refusal(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    assert.instance(error, TerminalError);
    return (error as TerminalError).message;
  }
  return assert.unreachable('it was no trouble') as never;
}

async function asked(
  folder: string,
  { code = 0, ...more }: Partial<UiDeps> & { readonly code?: number } = {},
): Promise<{ out: string; err: string; opened: string[] }> {
  let [out, err] = ['', ''];
  const opened: string[] = [];
  const stream = written((text) => {
    out += text;
  });
  const open = (url: string): void => void opened.push(url);
  const deps = {
    adapters: ADAPTERS,
    clock,
    names: [],
    namespace: 'shop',
    folder,
    kubeconfig: undefined,
    open,
    out: stream,
    err: written((text) => {
      err += text;
    }),
  };
  assert.is(await ui({ ...deps, ...more }), code);
  return { out, err, opened };
}

test('the page is found as long as it is served, by its owner alone', () =>
  inFolder(async (folder, deps) => {
    assert.match(await refusal(runningUrl(folder)), `no visualizer runs in '${folder}': start 'troupe dev'`);
    const visualizer = await openVisualizer(place(), deps, folder);
    assert.is((await stat(join(folder, 'visualizer-url'))).mode & 0o777, 0o600);
    const { out, opened } = await asked(folder);
    assert.equal([out, opened], [`${visualizer?.url}\n`, [visualizer?.url]]);
    assert.equal((await asked(folder, { open: undefined })).opened, []);
    await visualizer?.close();
    assert.equal(await readdir(folder), []);
  }));

test('an object is named as kubectl does, whatever its name is', () =>
  inFolder(async (folder, deps, world) => {
    world.objects.set('/apis/openstack.k-orc.cloud/v1alpha1/namespaces/shop/networks/a.b%26c%20d', []);
    const visualizer = await openVisualizer(place(), deps, folder);
    const key = addressKey({ realm: 'openstack', plural: 'networks', namespace: 'shop', name: 'a.b&c d' });
    const [url = ''] = (await asked(folder, { names: ['Networks', 'a.b&c d'] })).opened;
    assert.is(decodeURIComponent(new URL(url).hash), `#object=${key}`);
    assert.match(await refusal(asked(folder, { names: ['netwrk/x'] })), "there is no kind 'netwrk'; did you mean");
    assert.match(await refusal(asked(folder, { names: ['a', 'b', 'c'] })), "'ui' cannot take 'a b c'");
    await visualizer?.close();
  }));

test('33.B10: an object that does not exist is not opened, and said not to', () =>
  inFolder(async (folder, deps) => {
    const visualizer = await openVisualizer(place(), deps, folder);
    const { out, err, opened } = await asked(folder, { names: ['network/lost'], code: 1 });
    assert.equal([out, opened], ['', []]);
    assert.is(err, "troupe: Network/lost does not exist in namespace 'shop'; -n names another; nothing is opened\n");
    await visualizer?.close();
  }));

test('what was left behind, or is no address of a page, is not opened', () =>
  inFolder(async (folder, deps) => {
    const visualizer = await startVisualizer(place(), deps);
    await visualizer?.close();
    await writeFile(join(folder, 'visualizer-url'), visualizer?.url ?? '');
    assert.match(await refusal(runningUrl(folder)), 'does not answer at http://127.0.0.1:');
    for (const wrong of ['', 'x', 'file:///etc/passwd', 'javascript:alert(1)', '--help']) {
      await writeFile(join(folder, 'visualizer-url'), wrong);
      assert.match(await refusal(runningUrl(folder)), 'holds no address', wrong);
    }
  }));

test('a port that is taken is told, or the next one is taken', () =>
  inFolder(async (_, deps) => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    const address = { host: '127.0.0.1', port };
    assert.match(await refusal(startVisualizer(place({ address }), deps)), /--visualizer-bind-address: .*EADDRINUSE/);
    const visualizer = await startVisualizer(place({ address, port: 'or later' }), deps);
    assert.ok(Number(new URL(visualizer?.url ?? '').port) > port);
    await visualizer?.close();
    await new Promise((resolve) => other.close(resolve));
  }));

test('a token that is none is told', () =>
  inFolder(async (folder, deps) => {
    const tokenFile = join(folder, 'token');
    assert.match(await refusal(startVisualizer(place({ tokenFile }), deps)), '--visualizer-token-file: ENOENT');
    for (const wrong of ['', '\n', 'short', 'two words are no token']) {
      await writeFile(tokenFile, wrong);
      assert.match(await refusal(startVisualizer(place({ tokenFile }), deps)), 'at least 16 characters');
    }
    await writeFile(tokenFile, `${'x'.repeat(16)}\n`);
    await (await startVisualizer(place({ tokenFile }), deps))?.close();
  }));

test.run();
