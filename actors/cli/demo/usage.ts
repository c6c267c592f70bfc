// Usage of `troupe demo`.
import type { CommandUsage } from '../command.ts';
import { COMMON, DATA, RUN } from '../options.ts';

export const demo = {
  name: 'demo',
  about:
    'create and delete the cloud of a small company; --keep does not delete it; exit status: 0 passed and nothing is left, 1 failed, 2 error, 130 interrupted',
  details:
    'What is missing is started on this machine: a Kubernetes API server, NATS, and simulators of OpenStack, Ironic and a Windows node. The demo applies 135 objects of 36 kinds in any order, shows how each waits for what it needs and comes up, makes an edit, and deletes all. It takes half a minute, changes nothing else, and leaves nothing but a log in the folder of --data. A cluster that --kubeconfig names is used instead: the demo installs the definitions of all kinds there, which stay, and manages its objects while it runs. KUBECONFIG may only name a cluster on this machine.',
  own: ['keep', 'data', 'visualizer-bind-address', 'log-level'],
  options: {
    keep: { type: 'boolean', help: 'the landscape stays up, and so does what was started for it, until Ctrl-C' },
    ...DATA,
    ...RUN,
    ...COMMON,
  },
  examples: ['demo', 'demo --keep'],
  adapterFlags: ['process'],
  callsExternal: true,
  isDevelopment: true,
  load: () => import('./run.ts'),
} as const satisfies CommandUsage;
