// Benchmarks: `npm run bench -- chain [--count N] [--latency-ms N] [--json]`. Each prints its figures, the physical limit
// and their ratio, measured in one process on embedded parts.
import { parseArgs } from 'node:util';
import { chain } from './chain.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '100' },
    'latency-ms': { type: 'string', default: '50' },
    runs: { type: 'string', default: '3' },
    json: { type: 'boolean', default: false },
  },
});
const benchmarks: Record<string, typeof chain> = { chain };
const [name = 'chain'] = positionals;
const benchmark = benchmarks[name];
if (benchmark === undefined) {
  process.stderr.write(`there is no benchmark '${name}'; there is: ${Object.keys(benchmarks).join(', ')}\n`);
  process.exitCode = 2;
} else {
  const runs: Record<string, number>[] = [];
  for (let run = 0; run < Number(values.runs); run++) {
    const figures = await benchmark({ count: Number(values.count), latencyMs: Number(values['latency-ms']) });
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
    for (const [figure, { median, min, max }] of Object.entries(summary)) {
      process.stdout.write(`${figure.padEnd(28)} ${median} (${min}..${max})\n`);
    }
  }
}
