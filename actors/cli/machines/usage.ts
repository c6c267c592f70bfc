// Usage of `troupe machines`.
import type { CommandUsage } from '../command.ts';
import { COMMON } from '../options.ts';

export const machines = {
  name: 'machines',
  forms: ['[<machine>...]'],
  about:
    'the statecharts by which objects live: which there are, as JSON that Stately opens, or as Mermaid diagrams; exit status: 0 done, 2 error',
  options: {
    output: {
      type: 'string',
      short: 'o',
      value: 'text|json|mermaid',
      default: 'text',
      help: 'json of one alone is an object, of several a list',
    },
    ...COMMON,
  },
  examples: ['machines', 'machines externalResource -o json', 'machines deletionGuard -o mermaid'],
  adapterFlags: ['process'],
  load: () => import('./run.ts'),
} as const satisfies CommandUsage;
