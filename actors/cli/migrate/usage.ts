// Usage of `troupe migrate`.
import type { CommandUsage } from '../command.ts';
import { COMMON, CONTEXT, KUBECONFIG } from '../options.ts';

export const migrate = {
  name: 'migrate',
  forms: ['<realm>'],
  about:
    'rewrite every object of a group once, unchanged, so that the API server stores it in the version of its definition; continues after an interruption; exit status: 0 done, 1 an object could not be written, 2 error, 130 interrupted',
  options: {
    'per-second': { type: 'string', value: 'N', default: '50', help: 'how many objects at most' },
    'dry-run': { type: 'boolean', help: 'says what would be written, and tries it with one object of each kind' },
    namespace: {
      type: 'string',
      multiple: true,
      short: 'n',
      value: 'NAME',
      fallback: 'all',
      help: 'only objects of these, comma-separated; may be repeated. The definitions still list the former version',
    },
    kubeconfig: KUBECONFIG,
    context: CONTEXT,
    ...COMMON,
  },
  examples: ['migrate metal3 --dry-run', 'migrate metal3 --per-second 200'],
  load: () => import('./run.ts'),
} as const satisfies CommandUsage;
