// Usage of `troupe graph`.
import { asQuestion, type CommandUsage } from '../command.ts';
import { COMMON, EVERYWHERE, PLACE } from '../options.ts';

export const graph = {
  name: 'graph',
  about:
    'print the references in a namespace or in all (-A), with colors for states, for Graphviz or Mermaid; exit status: 0 done, 2 error',
  options: {
    ...EVERYWHERE,
    output: { type: 'string', short: 'o', value: 'dot|mermaid|json|yaml', default: 'dot', help: 'the language' },
    ...PLACE,
    ...COMMON,
  },
  examples: ['graph', 'graph -n shop -o mermaid', 'graph -A -o json'],
  adapterFlags: ['process'],
  isQuery: true,
  load: asQuestion(async () => (await import('./graph.ts')).answer),
} as const satisfies CommandUsage;
