// Usage of `troupe why`.
import type { CommandUsage } from '../command.ts';
import { COMMON, DATA, EVERYWHERE, PLACE, RUN } from '../options.ts';

export const why = {
  name: 'why',
  forms: ['<kind>/<name>', ''],
  about:
    'explain what an object waits for, down to the root cause, or list the root causes of a namespace or of all (-A); exit status: 0 nothing is waiting, 1 something is waiting, 2 error',
  options: {
    output: { type: 'string', short: 'o', value: 'text|json', default: 'text', help: 'json is for programs' },
    'nats-url': {
      ...RUN['nats-url'],
      fallback: "that of 'troupe dev', where its kubeconfig is used; else none",
      help: `tells whether a process hosts what waits; ${RUN['nats-url'].help}`,
    },
    data: DATA.data,
    ...EVERYWHERE,
    ...PLACE,
    ...COMMON,
  },
  examples: ['why network/app', 'why -n shop', 'why -A', 'why Subnet app -n shop -o json'],
  adapterFlags: ['process'],
  isQuery: true,
  load: () => import('./run.ts'),
} as const satisfies CommandUsage;
