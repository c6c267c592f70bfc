// The embedded API server as a part of a benchmark.
import { writeFile } from 'node:fs/promises';
import { systemClock } from '../../../actors/base/clock.ts';
import { startApiServer } from '../../../adapters/simulated/kubernetes/mod.ts';
import type { Part } from './mod.ts';

/** @param options.kubeconfig  where the kubeconfig is written to */
export async function serveApi({ kubeconfig }: { readonly kubeconfig: string }): Promise<Part> {
  const api = await startApiServer({ clock: systemClock() });
  await writeFile(kubeconfig, api.kubeconfig(), { mode: 0o600 });
  let before = api.requests();
  return {
    info: { url: api.url },
    counts: () =>
      Object.fromEntries(Object.entries(api.requests()).map(([verb, count]) => [verb, count - (before[verb] ?? 0)])),
    reset() {
      before = { ...api.requests() };
    },
    close: () => api.close(),
  };
}
