// Usage of `troupe ui`.
import type { CommandUsage } from '../command.ts';
import { COMMON, DATA, KUBECONFIG } from '../options.ts';

export const ui = {
  name: 'ui',
  forms: ['[<kind>/<name>]'],
  about:
    "opens the page of the running 'troupe dev' in the browser, and prints its address; with an object it begins there; exit status: 0 done, 1 the object does not exist, 2 error",
  options: {
    'no-open': { type: 'boolean', help: 'prints the address alone' },
    namespace: {
      type: 'string',
      multiple: true,
      short: 'n',
      value: 'NAME',
      fallback: "the context's",
      help: 'where the object is',
    },
    kubeconfig: { ...KUBECONFIG, fallback: "dev's own" },
    ...DATA,
    ...COMMON,
  },
  examples: ['ui', 'ui network/app -n shop', 'ui --no-open'],
  adapterFlags: ['process'],
  load: () => import('./run.ts'),
} as const satisfies CommandUsage;
