// Usage of `troupe rbac`.
import type { CommandUsage } from '../command.ts';
import { GATEWAY_OPTIONS } from '../model/gateway-options.ts';
import { COMMON, RUN } from '../options.ts';

export const rbac = {
  name: 'rbac',
  about:
    'prints what a process may do in the cluster: no more than its roles and the kinds of its adapters ask for; exit status: 0 done, 2 error',
  options: {
    namespaced: {
      type: 'boolean',
      help: 'a Role for each namespace that -n names, and what only a ClusterRole grants',
    },
    namespace: { ...RUN.namespace, help: 'namespaces for --namespaced, comma-separated; may be repeated' },
    roles: { ...RUN.roles, help: 'whose rights are printed' },
    'ocm-writes-as': GATEWAY_OPTIONS['ocm-writes-as'],
    ...COMMON,
  },
  examples: [
    'rbac',
    'rbac --adapters ./src/mod.ts --only-adapters',
    'rbac --namespaced -n team-a,team-b --roles watch,actors',
  ],
  adapterFlags: ['process'],
  load: () => import('./run.ts'),
} as const satisfies CommandUsage;
