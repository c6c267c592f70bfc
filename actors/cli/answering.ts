// The commands that look and change nothing, each loaded when it is asked for.
import type { Answering } from './question.ts';

export const answering = {
  get: (): Promise<Answering> => import('./get/get.ts'),
  tree: (): Promise<Answering> => import('./tree/tree.ts'),
  graph: (): Promise<Answering> => import('./graph/graph.ts'),
  top: (): Promise<Answering> => import('./top/top.ts'),
};
