// /healthz, /livez and /readyz: the server is well as soon as it listens.
import { pageNotFound } from '../base/api-error.ts';
import type { Sent } from '../wire/http.ts';

const ENDPOINTS: Readonly<Record<string, readonly string[]>> = {
  healthz: ['ping', 'log', 'etcd'],
  livez: ['ping', 'log', 'etcd'],
  readyz: ['ping', 'log', 'etcd', 'etcd-readiness', 'informer-sync', 'shutdown'],
};

export function isHealthPath(path: string): boolean {
  return Object.hasOwn(ENDPOINTS, path.split('/')[1] ?? '');
}

/** @throws {PlainAnswer} 404 there is no such check */
export function health(path: string, query: URLSearchParams): Sent {
  const [, endpoint = '', check, ...rest] = path.split('/');
  const checks = ENDPOINTS[endpoint] ?? [];
  const text = (body: string): Sent => ({ code: 200, body, type: 'text/plain; charset=utf-8' });
  if (check !== undefined) {
    if (rest.length > 0 || !checks.includes(check)) throw pageNotFound();
    return { ...text('ok'), mayBeSniffed: true };
  }
  if (!query.has('verbose')) return text('ok');
  const excluded = query.getAll('exclude');
  const lines = checks.map((name) => `[+]${name} ${excluded.includes(name) ? 'excluded: ' : ''}ok\n`);
  return text(`${lines.join('')}${endpoint} check passed\n`);
}
