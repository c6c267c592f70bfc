// Usage of `troupe get`.
import { Standing } from '../../diagnosis/findings.ts';
import { asQuestion, type CommandUsage } from '../command.ts';
import { COMMON, EVERYWHERE, PLACE } from '../options.ts';

export const get = {
  name: 'get',
  forms: ['[<kind>[,<kind>...]]', '<kind> <name>...', '<kind>/<name>...'],
  about:
    'list managed objects, one per line, with state, external id and first reason for waiting; exit status: 0 done, 1 a named object does not exist, 2 error',
  options: {
    state: {
      type: 'string',
      multiple: true,
      value: Object.values(Standing).join('|'),
      fallback: 'all',
      help: 'only objects in these states, comma-separated; may be repeated',
    },
    ...EVERYWHERE,
    output: {
      type: 'string',
      short: 'o',
      value: 'text|wide|json|yaml|name',
      default: 'text',
      help: 'wide: also since when and why, and nothing is cut; name: as kubectl prints it, such as for xargs',
    },
    ...PLACE,
    ...COMMON,
  },
  examples: [
    'get',
    'get network,subnet -n shop',
    'get network/app -o yaml',
    'get -A -o wide',
    'get --state failed -o name',
    'get -A --state waiting,failed',
  ],
  adapterFlags: ['process'],
  isQuery: true,
  load: asQuestion(async () => (await import('./get.ts')).answer),
} as const satisfies CommandUsage;
