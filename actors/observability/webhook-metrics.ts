// Metrics of the webhooks: the API server, and its client, wait for each response.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** One answer. */
export interface AnsweredWebhook {
  /** One of the paths that there are, or `other`. */
  readonly path: string;
  /** 0: who asked has gone before it was there. */
  readonly code: number;
  readonly durationMs: number;
  /** That were converted. */
  readonly objects: number;
}

export interface WebhookMetrics {
  onWebhook(answered: AnsweredWebhook): void;
  /** @param endsAt  of the certificate, in milliseconds since the epoch; asked for with the figures */
  followCertificate(endsAt: () => number | undefined): void;
}

/** Seconds. An object takes a millisecond; the API server waits for 10 or 30 s. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1, 2.5, 10, 30];

export function webhookMetrics({ registers }: { readonly registers: Registry[] }): WebhookMetrics {
  const requests = new Counter({
    name: 'troupe_webhook_requests_total',
    help: 'What the API server asked, by path and status code of the answer; code 0 is none, as it has gone meanwhile.',
    labelNames: ['path', 'code'],
    registers,
  });
  const seconds = new Histogram({
    name: 'troupe_webhook_request_duration_seconds',
    help: 'Time that answers to the API server took.',
    labelNames: ['path'],
    buckets: BUCKETS,
    registers,
  });
  const converted = new Counter({
    name: 'troupe_webhook_converted_objects_total',
    help: 'Objects that were converted to another version.',
    registers,
  });
  let endOf: () => number | undefined = () => undefined;
  new Gauge({
    name: 'troupe_webhook_certificate_expiry_timestamp_seconds',
    help: 'When the certificate of the webhooks ends, in seconds since the epoch; 0: there is none here.',
    registers,
    collect() {
      this.set(Math.floor((endOf() ?? 0) / 1_000));
    },
  });
  return {
    onWebhook({ path, code, durationMs, objects }) {
      requests.inc({ path, code: String(code) });
      seconds.observe({ path }, durationMs / 1_000);
      if (objects > 0) converted.inc(objects);
    },
    followCertificate(endsAt) {
      endOf = endsAt;
    },
  };
}
