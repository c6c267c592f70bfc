// Page colors of object states: dark text on each of them can be read.
import { Standing } from '../../diagnosis/findings.ts';

export const FILLS: Readonly<Record<Standing, string>> = {
  [Standing.Absent]: '#ffb3b3',
  [Standing.Unseen]: '#ffe9a8',
  [Standing.Waiting]: '#e4e4e4',
  [Standing.Failing]: '#e8c5f0',
  [Standing.Failed]: '#ff9c9c',
  [Standing.Unavailable]: '#ffc9a8',
  [Standing.Available]: '#bfe8c4',
  [Standing.Paused]: '#ffe9a8',
  [Standing.Deleting]: '#b8e6ee',
};
