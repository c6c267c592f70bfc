// Usage of `troupe run`.
import type { CommandUsage } from '../command.ts';
import { GATEWAY_OPTIONS } from '../model/gateway-options.ts';
import { COMMON, RUN, WEBHOOK } from '../options.ts';

export const run = {
  name: 'run',
  about: 'the roles of a pod, against KUBECONFIG (or in a cluster) and NATS_URL',
  options: { ...RUN, ...WEBHOOK, ...GATEWAY_OPTIONS, ...COMMON },
  examples: ['run', 'run --roles watch,actors --namespace team-a'],
  adapterFlags: ['process'],
  callsExternal: true,
  load: () => import('./run.ts'),
} as const satisfies CommandUsage;
