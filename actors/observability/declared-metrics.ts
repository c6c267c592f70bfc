// Figures that adapters declare, under names of their own: those that people of a predecessor have dashboards for.
import { Counter, Histogram, type Registry } from 'prom-client';
import type { Metric } from '../../adapters/api/adapter.ts';
import type { Measurement } from '../../machines/lifecycle.ts';
import type { KubeObject } from '../../machines/object.ts';

/** Seconds, where a histogram does not say: those of Prometheus' own clients. */
const DEFAULT_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export class DeclaredMetrics {
  readonly #registers: Registry[];
  readonly #known = new Map<string, { readonly metric: Metric; readonly figure: Counter | Histogram }>();

  constructor(registers: Registry[]) {
    this.#registers = registers;
  }

  declare(metrics: readonly Metric[]): void {
    for (const metric of metrics) {
      if (this.#known.has(metric.name)) continue;
      const { name, help, labels, buckets } = metric;
      const options = { name, help, labelNames: [...labels], registers: this.#registers };
      const isTimed = name.endsWith('_seconds');
      const figure = isTimed
        ? new Histogram({ ...options, buckets: [...(buckets ?? DEFAULT_BUCKETS)] })
        : new Counter(options);
      this.#known.set(name, { metric, figure });
    }
  }

  recordMetric({ metadata }: KubeObject, { name, labels = {}, seconds }: Measurement): void {
    const known = this.#known.get(name);
    if (known === undefined) return;
    const all: Readonly<Record<string, string>> = {
      ...labels,
      namespace: metadata.namespace ?? '',
      host: metadata.name,
    };
    const own = Object.fromEntries(known.metric.labels.map((label) => [label, all[label] ?? '']));
    if (known.figure instanceof Histogram) known.figure.observe(own, seconds ?? 0);
    else known.figure.inc(own);
  }
}
