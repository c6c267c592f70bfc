// Usage of `troupe crds`.
import type { CommandUsage } from '../command.ts';
import { COMMON, CONTEXT, KUBECONFIG } from '../options.ts';

export const crds = {
  name: 'crds',
  forms: ['[<Kind>...]'],
  about: 'prints the CustomResourceDefinitions, or applies them with --apply; exit status: 0 done, 2 error',
  options: {
    apply: { type: 'boolean', help: 'gives them to the cluster, and waits until it serves them' },
    kubeconfig: KUBECONFIG,
    context: CONTEXT,
    ...COMMON,
  },
  examples: ['crds', 'crds Network Subnet', 'crds --apply --kubeconfig ~/.kube/config'],
  adapterFlags: ['definitions'],
  load: () => import('./run.ts'),
} as const satisfies CommandUsage;
