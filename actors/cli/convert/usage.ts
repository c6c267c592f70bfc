// Usage of `troupe convert`.
import type { CommandUsage } from '../command.ts';
import { COMMON } from '../options.ts';

export const convert = {
  name: 'convert',
  forms: ['[<file>|-...]'],
  about:
    'manifests of Metal3 in another version of their API, without a cluster: YAML or JSON, from files or, without any and for -, standard input; comments, and what is of others, stay as they are; exit status: 0 converted, 1 something could not be converted, 2 error, such as a file that is not valid YAML',
  options: {
    to: { type: 'string', value: 'v1alpha1|v1beta1', fallback: 'the latest', help: 'the version' },
    write: {
      type: 'boolean',
      help: 'changes the files, but those with a document that cannot be converted, and tells which',
    },
    ...COMMON,
  },
  examples: ['convert host.yaml', 'convert --to v1alpha1 --write hosts/*.yaml'],
  load: () => import('./run.ts'),
} as const satisfies CommandUsage;
