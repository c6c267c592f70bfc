// Usage of `troupe dev`.
import type { CommandUsage } from '../command.ts';
import { GATEWAY_OPTIONS } from '../model/gateway-options.ts';
import { COMMON, DATA, RUN, WEBHOOK } from '../options.ts';

export const dev = {
  name: 'dev',
  about:
    'run all roles on this machine; starts an API server, NATS and simulated systems that are not given; exit status: 0 ended by a signal, 2 error',
  details:
    'Without --kubeconfig or KUBECONFIG an API server is started, without NATS_URL a NATS server, without OS_CLIENT_CONFIG_FILE and IRONIC_ENDPOINT simulators. Without --models it serves a small model over HTTP, on the API server that it started. It prints their addresses and stays until Ctrl-C; the next start continues with the data in the directory. With --kubeconfig it installs the definitions of all kinds in that cluster, which stay, and manages its objects. KUBECONFIG may only name a cluster on this machine.',
  own: ['data', 'verbose'],
  options: {
    verbose: { type: 'boolean', short: 'v', help: 'logs each change of an object, a line each' },
    ...DATA,
    ...RUN,
    ...WEBHOOK,
    ...GATEWAY_OPTIONS,
    ...COMMON,
  },
  examples: ['dev', 'dev --verbose', 'dev --data cluster-a'],
  adapterFlags: ['process'],
  callsExternal: true,
  isDevelopment: true,
  hasSmallModel: true,
  load: () => import('./run.ts'),
} as const satisfies CommandUsage;
