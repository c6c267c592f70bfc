// The command line, and what is packed.
import type { Change } from '../change.ts';

export const COMMAND_LINE: readonly Change[] = [
  {
    file: 'actors/cli/commands.ts',
    breaks: "paths are meant from the caller's folder",
    from: '  if (folder !== undefined) process.chdir(folder);\n',
    to: '',
    tests: ['test/actors/cli/callers-folder.test.ts'],
  },
  {
    file: 'actors/cli/callers-folder.ts',
    breaks: 'scripts of other packages are where they want to be',
    from: 'resolve(file) === PACKAGE && ',
    to: '',
    tests: ['test/actors/cli/callers-folder.test.ts'],
  },
  {
    file: 'actors/cli/commands.ts',
    breaks: 'what follows an option that is none is taken for a command',
    from: "    parsed({ name: 'troupe', options: allOptions(adapters) }, args.slice(0, name?.index));\n",
    to: '',
    tests: ['test/actors/cli/help.test.ts'],
  },
  {
    file: 'adapters/nearest.ts',
    breaks: 'two letters that were swapped are one mistake',
    from: 'const swap = isSwapped ? ',
    to: 'const swap = false ? ',
    tests: ['test/actors/cli/help.test.ts'],
  },
  {
    file: 'adapters/kubernetes/kubeconfig.ts',
    breaks: 'the context that is asked for goes before the current one',
    from: "asked ?? config['current-context']",
    to: "config['current-context']",
    tests: ['test/adapters/kubernetes/kubeconfig.test.ts'],
  },
  {
    file: 'adapters/kubernetes/kubeconfig.ts',
    breaks: 'credentials are those of the context that is asked for',
    from: '  if (context !== undefined) config.setCurrentContext(context);\n',
    to: '',
    tests: ['test/adapters/kubernetes/kubeconfig.test.ts'],
  },
  {
    file: 'deploy/build.ts',
    breaks: 'what is read at run time is packed',
    from: "  'adapters/ocm/types/client.ts',\n",
    to: '',
    tests: ['test/real/deploy/package.test.ts'],
  },
  {
    file: 'actors/process/load-adapters.ts',
    breaks: 'in a package troupe/adapter is JavaScript',
    from: '{extname(import.meta.url)}',
    to: "{'.ts'}",
    tests: ['test/real/deploy/package.test.ts'],
  },
];
