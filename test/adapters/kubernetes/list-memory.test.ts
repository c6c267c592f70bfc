// long
// What lists take of memory: a process with the heap that a pod of deploy/ has reads what a tenant may have written.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { installed, one } from '../../deploy/manifests.ts';

const test = suite('memory of lists');
const ROOT = new URL('../../../', import.meta.url);

const OBJECTS = 600;
/** As many bytes as annotations of one object may have. */
const ANNOTATION = 'x'.repeat(250_000);

/** A page of Secrets, as it is asked for; made no faster than it is taken. */
function* page(url: URL): Generator<string> {
  const from = Number(url.searchParams.get('continue') ?? 0);
  const to = Math.min(OBJECTS, from + Number(url.searchParams.get('limit') ?? OBJECTS));
  const metadata = { resourceVersion: '7', ...(to < OBJECTS && { continue: `${to}` }) };
  yield `{"metadata":${JSON.stringify(metadata)},"items":[`;
  for (let at = from; at < to; at++) {
    const known = `"name":"s${at}","namespace":"mallory","uid":"s${at}","resourceVersion":"1"`;
    yield `${at > from ? ',' : ''}{"metadata":{${known},"annotations":{"a":"${ANNOTATION}"}}}`;
  }
  yield ']}';
}

/** In MiB. */
function memoryLimit(): number {
  const { spec } = one<{
    spec: { template: { spec: { containers: [{ resources: { limits: { memory: string } } }] } } };
  }>(installed(), 'Deployment', 'troupe');
  const [, mebibytes] = /^(\d+)Mi$/.exec(spec.template.spec.containers[0].resources.limits.memory) ?? [];
  return Number(mebibytes);
}

test('33.C2: lists of large objects leave a pod of deploy/ alive', async () => {
  const server = createServer((request, response) => {
    const pieces = Readable.from(page(new URL(request.url ?? '', 'http://server')));
    // Whoever has enough goes away.
    pipeline(pieces, response, () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const folder = mkdtempSync(join(tmpdir(), 'troupe-lists-'));
  const kubeconfig = join(folder, 'config');
  const { port } = server.address() as AddressInfo;
  const config = {
    clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name: 'u', user: { token: 't' } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  writeFileSync(kubeconfig, JSON.stringify(config));
  const code = `
    const { kubeClient, objects, SECRETS } = await import('${new URL('adapters/kubernetes/mod.ts', ROOT)}');
    const { systemClock } = await import('${new URL('actors/base/clock.ts', ROOT)}');
    const client = kubeClient({ clock: systemClock(), kubeconfig: process.argv[1] });
    const { list } = objects({ client });
    const lists = await Promise.all(['a', 'b', 'c'].map((namespace) => list(SECRETS, namespace)));
    console.log(JSON.stringify({ found: lists.map(({ items }) => items.length), rss: process.resourceUsage().maxRSS }));
    await client.close();
  `;
  const limit = memoryLimit();
  // V8 takes half of what a pod has, and the image says the rest (Dockerfile).
  const heap = [`--max-old-space-size=${limit / 2}`, '--max-semi-space-size=4'];
  const child = spawn(process.execPath, [...heap, '--input-type=module', '-e', code, kubeconfig], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [said, errors] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (said += chunk));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk));
  try {
    const ended = await new Promise<number | null>((resolve) => void child.on('close', resolve));
    assert.is(ended, 0, errors.slice(0, 300));
    const { found, rss } = JSON.parse(said) as { found: number[]; rss: number };
    assert.equal(found, [OBJECTS, OBJECTS, OBJECTS]);
    assert.ok(rss < limit * 1024, `${rss} KiB`);
  } finally {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  }
});

test.run();
