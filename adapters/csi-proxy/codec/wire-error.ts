/** Bytes, JSON or a value that a message cannot hold. `message` tells where, and never the text that may be a secret. */
export class WireError extends Error {
  override name = 'WireError';
  /** From the message that was asked for to what is wrong: `['v1.MountVolumeRequest', 'volumeId']`. */
  readonly path: readonly string[];
  readonly problem: string;
  constructor(problem: string, { path = [], ...options }: ErrorOptions & { path?: readonly string[] } = {}) {
    super([path.join('.'), problem].filter(Boolean).join(': '), options);
    this.path = path;
    this.problem = problem;
  }
}

/** The error with one more step in front of the way to what is wrong. */
export function errorAt(step: string, error: unknown): WireError {
  if (error instanceof WireError) return new WireError(error.problem, { path: [step, ...error.path] });
  return new WireError(error instanceof Error ? error.message : String(error), { path: [step], cause: error });
}
