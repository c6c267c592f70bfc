// Usage of `troupe run`.
import type { CommandUsage } from '../command.ts';
import { GATEWAY_OPTIONS } from '../model/gateway-options.ts';
import { COMMON, RUN, WEBHOOK } from '../options.ts';

export const run = {
  name: 'run',
  about:
    'run the roles of a pod, with the cluster of KUBECONFIG, or the one it is in, and the bus of NATS_URL; exit status: 0 ended by a signal, 2 error',
  options: { ...RUN, ...WEBHOOK, ...GATEWAY_OPTIONS, ...COMMON },
  examples: ['run', 'run --roles watch,actors --namespace team-a'],
  adapterFlags: ['process'],
  callsExternal: true,
  load: () => import('./run.ts'),
} as const satisfies CommandUsage;
