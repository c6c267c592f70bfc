// How a shell asks `troupe` for completions, and is answered: as cobra does it, whose protocol kubectl speaks too.

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
