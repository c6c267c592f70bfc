// The command line, and what is packed.
import { type Change, noticedBy } from '../change.ts';

export const COMMAND_LINE: readonly Change[] = [
  ...noticedBy(["the caller's folder"], {
    'callers-folder': "paths are meant from the caller's folder",
    'callers-folder-of-others': 'scripts of other packages are where they want to be',
  }),
  ...noticedBy(['troupe retry'], {
    'resumes-what-others-paused': 'what others paused is resumed',
  }),
  ...noticedBy(['the folder of dev'], {
    'link-written-through': 'nothing is written through a symbolic link that a folder came with',
  }),
  ...noticedBy(["the page's server"], {
    'other-site-answered': 'a page of another site gets nothing',
  }),
  ...noticedBy(['help'], {
    'command-after-no-option': 'what follows an option that is none is taken for a command',
    'nearest-swap': 'two letters that were swapped are one mistake',
  }),
  ...noticedBy(['kubeconfig'], {
    'context-asked-for': 'the context that is asked for goes before the current one',
    'credentials-of-context': 'credentials are those of the context that is asked for',
  }),
  ...noticedBy(['npm package'], {
    'packed-at-run-time': 'what is read at run time is packed',
    'package-is-javascript': 'in a package troupe/adapter is JavaScript',
  }),
];
