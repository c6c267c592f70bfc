// Colors of object states.
import type { Standing } from '../diagnosis/findings.ts';

/** Whether states have colors too. */
export const Ink = { Color: 'color', Plain: 'plain' } as const;
export type Ink = (typeof Ink)[keyof typeof Ink];

/** Parameters of the ANSI sequences that set them. */
export const COLORS: Readonly<Record<Standing, string>> = {
  absent: '31',
  unseen: '33',
  waiting: '37',
  failing: '35',
  failed: '31',
  unavailable: '31',
  available: '32',
  paused: '33',
  deleting: '36',
};
