// The commands that look and change nothing, each loaded when it is asked for.
import type { QueryCommand } from './command-context.ts';

export const queryCommands = {
  get: (): Promise<QueryCommand> => import('./get/get.ts'),
  tree: (): Promise<QueryCommand> => import('./tree/tree.ts'),
  graph: (): Promise<QueryCommand> => import('./graph/graph.ts'),
  top: (): Promise<QueryCommand> => import('./top/top.ts'),
};

/** Those that ask something of one object, in the same way. */
export const changeCommands = {
  retry: (): Promise<QueryCommand> => import('./retry.ts'),
  pause: async (): Promise<QueryCommand> => ({ answer: (await import('./pause.ts')).pause }),
  resume: async (): Promise<QueryCommand> => ({ answer: (await import('./pause.ts')).resume }),
};
