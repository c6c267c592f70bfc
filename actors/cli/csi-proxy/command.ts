// What a command of `troupe csi-proxy` is. Types only.

export interface CsiProxyDeps {
  readonly env: NodeJS.ProcessEnv;
  /** What relative paths are relative to. */
  readonly cwd: string;
  /** Aborted when the process is told to stop; asked for by commands that stay. */
  readonly stopSignal: () => AbortSignal;
  readonly out: NodeJS.WritableStream;
}

/** @returns the exit code */
export type CsiProxyCommand = (args: readonly string[], deps: CsiProxyDeps) => Promise<number>;
