// Benchmarks: `npm run bench -- chain|api-server|csi-proxy|model [--count N] [--latency-ms N] [--runs N] [--json]`. `chain` is
// measured in one process on embedded parts, and prints the physical limit and the ratio to it; `api-server` puts the
// embedded server beside a real one when KUBECONFIG is set.
import { parseArgs } from 'node:util';
import { apiServer } from './api-server.ts';
import { chain } from './chain.ts';
import { csiProxy } from './csi-proxy.ts';
import { model } from './model.ts';

interface Benchmark {
  readonly count: string;
  run(options: { count: number; latencyMs: number }): Promise<Record<string, number>>;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string' },
    'latency-ms': { type: 'string', default: '50' },
    runs: { type: 'string', default: '3' },
    json: { type: 'boolean', default: false },
  },
});
const benchmarks: Record<string, Benchmark> = {
  chain: { count: '100', run: chain },
  'api-server': { count: '10000', run: apiServer },
  'csi-proxy': { count: '10000', run: csiProxy },
  model: { count: '958', run: model },
};
const [name = 'chain'] = positionals;
const benchmark = benchmarks[name];
if (benchmark === undefined) {
  process.stderr.write(`there is no benchmark '${name}'; there is: ${Object.keys(benchmarks).join(', ')}\n`);
  process.exitCode = 2;
} else {
  const count = Number(values.count ?? benchmark.count);
  const runs: Record<string, number>[] = [];
  for (let run = 0; run < Number(values.runs); run++) {
    const figures = await benchmark.run({ count, latencyMs: Number(values['latency-ms']) });
    runs.push(figures);
    if (!values.json) process.stdout.write(`${JSON.stringify(figures)}\n`);
  }
  const summary = Object.fromEntries(
    Object.keys(runs[0] ?? {}).map((figure) => {
      const sorted = runs.map((run) => run[figure] as number).sort((a, b) => a - b);
      const [min, median, max] = [sorted[0], sorted[sorted.length >> 1], sorted.at(-1)];
      return [figure, { median, min, max }];
    }),
  );
  if (values.json) process.stdout.write(`${JSON.stringify({ name, runs, summary })}\n`);
  else {
    process.stdout.write('\nfigure, median (min..max)\n');
    const width = Math.max(28, ...Object.keys(summary).map(({ length }) => length));
    for (const [figure, { median, min, max }] of Object.entries(summary)) {
      process.stdout.write(`${figure.padEnd(width)} ${median} (${min}..${max})\n`);
    }
  }
}
