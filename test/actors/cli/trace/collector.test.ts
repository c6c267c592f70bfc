// What OpenTelemetry's own collector makes of a change. Where it is not installed:
//
//   cd test/actors/cli/trace/collector && GOBIN=<a folder of the PATH> go install . && mv <the folder>/collector <the folder>/otel-collector
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { exportSpans } from '../../../../actors/cli/trace/otlp.ts';
import { systemClock } from '../../../../actors/clock.ts';
import { type Address, parseTraceparent } from '../../../../bus/mod.ts';
import { BEGIN, NETWORK, told, traceparentOf } from './change.ts';

const DEADLINE_MS = 30_000;
const PROGRAM = process.env['TROUPE_OTEL_COLLECTOR'] || 'otel-collector';
const clock = systemClock();

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const isThere = await new Promise<boolean>((resolve) => {
  execFile(PROGRAM, ['--version'], (error) => resolve(error === null));
});
if (!isThere) {
  console.log(`skipped: there is no '${PROGRAM}'; collector.test.ts says how to build it`);
} else {
  const test = suite("a change in OpenTelemetry's collector");

  test('every span arrives, with its ids, its links and its status', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'troupe-collector-'));
    const [port, file] = [await freePort(), join(folder, 'spans')];
    const config = {
      receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${port}` } } } },
      exporters: { lines: { path: file } },
      service: {
        telemetry: { metrics: { level: 'none' }, logs: { level: 'error' } },
        pipelines: { traces: { receivers: ['otlp'], exporters: ['lines'] } },
      },
    };
    await writeFile(join(folder, 'config.yaml'), JSON.stringify(config));
    const collector = spawn(PROGRAM, ['--config', join(folder, 'config.yaml')], { stdio: 'ignore' });
    try {
      const until = clock.now() + DEADLINE_MS;
      const send = async (): Promise<number> => {
        try {
          return await exportSpans(
            told(),
            ({ plural }: Address) => plural,
            BEGIN,
            `http://127.0.0.1:${port}/v1/traces`,
          );
        } catch (error) {
          if (clock.now() > until) throw error;
          await clock.sleep(100);
          return send();
        }
      };
      assert.is(await send(), 10);
      const { resourceSpans } = JSON.parse(await readFile(file, 'utf8'));
      assert.equal(resourceSpans[0].resource.attributes[0], { key: 'service.name', value: { stringValue: 'troupe' } });
      const spans = resourceSpans[0].scopeSpans[0].spans;
      assert.is(spans.length, 10);
      const network = parseTraceparent(traceparentOf(NETWORK));
      const wait = spans.find(({ name }: { name: string }) => name === 'claiming.awaiting');
      assert.equal([wait.links[0].traceId, wait.links[0].spanId], [network?.traceId, network?.spanId]);
      const own = spans.find(({ name }: { name: string }) => name === 'networks change');
      assert.equal([own.traceId, own.spanId], [network?.traceId, network?.spanId]);
      assert.is(spans[0].status.code, 2);
    } finally {
      collector.kill('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    }
  });

  test.run();
}
