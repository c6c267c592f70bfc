// Usage of `troupe tree`.
import { asQuestion, type CommandUsage } from '../command.ts';
import { COMMON, EVERYWHERE, PLACE, WATCH } from '../options.ts';

export const tree = {
  name: 'tree',
  forms: ['', '<kind>/<name>'],
  about:
    'print the objects of a namespace as trees, dependents below their dependencies; or the dependencies of one object; exit status: 0 done, 2 error',
  options: {
    ...EVERYWHERE,
    dependents: { type: 'boolean', help: 'for one object: its dependents, and theirs' },
    watch: WATCH,
    output: { type: 'string', short: 'o', value: 'text|json|yaml', default: 'text', help: 'as data, for programs' },
    ...PLACE,
    ...COMMON,
  },
  examples: ['tree', 'tree -A', 'tree subnet/app -n shop', 'tree network/app --dependents', 'tree -n shop --watch'],
  adapterFlags: ['process'],
  isQuery: true,
  load: asQuestion(async () => (await import('./tree.ts')).answer),
} as const satisfies CommandUsage;
