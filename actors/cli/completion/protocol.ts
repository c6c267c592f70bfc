// Completion protocol between a shell and `troupe`: that of cobra, which kubectl uses too.

/** The command that answers. It is of no use to people, and no help names it. */
export const COMPLETE = '__complete';

/** Bits of the answer's last line. */
export const Directive = {
  /** Names of files are as good. */
  None: 0,
  /** No blank behind what was completed. */
  NoSpace: 2,
  NoFiles: 4,
} as const;
