// A command of `troupe csi-proxy`. Types only.

export interface CsiProxyDeps {
  readonly env: NodeJS.ProcessEnv;
  /** Base of relative paths. */
  readonly cwd: string;
  /** Aborted when the process is asked to stop; used by commands that stay. */
  readonly stopSignal: () => AbortSignal;
  readonly out: NodeJS.WritableStream;
}

/** @returns the exit code */
export type CsiProxyCommand = (args: readonly string[], deps: CsiProxyDeps) => Promise<number>;
