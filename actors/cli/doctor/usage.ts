// Usage of `troupe doctor`.
import type { CommandUsage } from '../command.ts';
import { BUS_READER_OPTIONS, COMMON, CONTEXT, KUBECONFIG, RUN, TEXT_OR_JSON } from '../options.ts';

export const doctor = {
  name: 'doctor',
  about:
    'check cluster, definitions, permissions, bus, clouds and clocks; changes nothing; exit status: 0 no problem, 1 problems, 2 some checks were not possible',
  options: {
    output: TEXT_OR_JSON,
    namespace: { ...RUN.namespace, help: 'only objects and permissions there, comma-separated; may be repeated' },
    roles: { ...RUN.roles, help: 'whose rights are examined' },
    kubeconfig: { ...KUBECONFIG, fallback: '~/.kube/config' },
    context: CONTEXT,
    ...BUS_READER_OPTIONS,
    ...COMMON,
  },
  examples: ['doctor', 'doctor -n team-a --roles watch,actors', 'doctor -o json'],
  adapterFlags: ['definitions', 'process'],
  callsExternal: true,
  isQuery: true,
  load: () => import('./run.ts'),
} as const satisfies CommandUsage;
