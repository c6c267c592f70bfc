// What is made of the manifests' sources.
import { type Change, noticedBy } from '../change.ts';

export const DEPLOY: readonly Change[] = [
  ...noticedBy(['choices of an installation'], {
    'choices-unchecked': 'an object is there under combinations that its condition does not say',
  }),
  ...noticedBy(['manifests as templates'], {
    'template-braces': 'braces of a manifest are read as an action',
  }),
  ...noticedBy(['generated files of deploy/'], {
    'sums-miss-gone': 'a file that has gone is not missed',
    'viewers-write': 'who views may write',
    'editors-of-machines': 'every editor of a namespace changes machines of the cluster',
    'node-reads-all-secrets': 'each Windows node reads the Secrets of the whole cluster',
  }),
];
