// A command of `troupe csi-proxy`. Types only.

export interface CsiProxyDeps {
  readonly env: NodeJS.ProcessEnv;
  /** Base of relative paths. */
  readonly cwd: string;
  /** Signal that is aborted when the process receives the signal to stop; used by long-running commands. */
  readonly stopSignal: () => AbortSignal;
  readonly out: NodeJS.WritableStream;
}

/** @returns the exit code */
export type CsiProxyCommand = (args: readonly string[], deps: CsiProxyDeps) => Promise<number>;
