// The cluster manager's model language: what its tools never do to files, and where they stop.
import { type Change, noticedBy } from '../change.ts';

export const OCM: readonly Change[] = [
  ...noticedBy(['troupe model with hostile files'], {
    'utf-8-replaced': 'what is not UTF-8 is written back with replacement characters',
    'layout-changes-meaning': 'a file whose notes mean something else when laid out is laid out',
  }),
  ...noticedBy(['semantic errors'], {
    'ways-unbounded': 'more URLs than anybody can write down are no error',
  }),
  ...noticedBy(['troupe model in pipelines'], {
    'manifest-takes-changed': 'CLI-MANIFEST-1: what somebody changed goes with what was written',
    'manifest-outside': 'CLI-MANIFEST-3: a manifest takes away what is outside of the output',
  }),
  ...noticedBy(['store in memory'], {
    'memory-status-from-outside': 'OCM-STORE-4: a client writes what only the owner of an object sets',
  }),
  ...noticedBy(['docs'], {
    'link-runs-script': 'OCM-HTML-2: a link of a model runs a script',
  }),
];
