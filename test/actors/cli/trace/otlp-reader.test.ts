// What OpenTelemetry's own reader makes of a change. Where it is not installed:
//
//   cd test/actors/cli/trace/otlp-reader && GOBIN=<a folder of the PATH> go install .
import { execFile, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { exportSpans } from '../../../../actors/cli/trace/otlp.ts';
import { type Address, parseTraceparent } from '../../../../bus/mod.ts';
import { BEGIN, NETWORK, reported, traceparentOf } from './change.ts';

const PROGRAM = process.env['TROUPE_OTLP_READER'] || 'otlp-reader';

const isThere = await new Promise<boolean>((resolve) => {
  execFile(PROGRAM, ['--help'], (error) => resolve(error === null));
});
if (!isThere) {
  console.log(`skipped: there is no '${PROGRAM}'; otlp-reader.test.ts says how to build it`);
} else {
  const test = suite("a change in OpenTelemetry's reader");

  test('every span arrives, with its ids, its links and its status', async () => {
    const reader = spawn(PROGRAM, { stdio: ['ignore', 'pipe', 'inherit'] });
    const lines = createInterface(reader.stdout)[Symbol.asyncIterator]();
    try {
      const { value: address } = await lines.next();
      assert.is(
        await exportSpans(reported(), ({ plural }: Address) => plural, BEGIN, `http://${address}/v1/traces`),
        10,
      );
      const { resourceSpans } = JSON.parse((await lines.next()).value ?? '');
      assert.equal(resourceSpans[0].resource.attributes[0], { key: 'service.name', value: { stringValue: 'troupe' } });
      const spans = resourceSpans[0].scopeSpans[0].spans;
      assert.is(spans.length, 10);
      const network = parseTraceparent(traceparentOf(NETWORK));
      const wait = spans.find(({ name }: { name: string }) => name === 'claiming.awaitingDependencies');
      assert.equal([wait.links[0].traceId, wait.links[0].spanId], [network?.traceId, network?.spanId]);
      const own = spans.find(({ name }: { name: string }) => name === 'networks change');
      assert.equal([own.traceId, own.spanId], [network?.traceId, network?.spanId]);
      assert.is(spans[0].status.code, 2);
    } finally {
      reader.kill('SIGKILL');
    }
  });

  test.run();
}
