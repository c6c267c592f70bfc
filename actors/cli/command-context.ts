// Input of the read-only commands, and their output formats.
import type { ConfiguredAdapter } from '../../adapters/api/adapter.ts';
import { hint } from '../../adapters/text/nearest.ts';
import { type Clock, TerminalError } from '../../bus/mod.ts';
import type { Config } from '../base/config.ts';
import { plainJson } from '../base/printable.ts';
import type { Ink } from './colors.ts';

export interface ClusterDeps {
  readonly config: Pick<Config, 'kubeconfig' | 'inCluster'> & Partial<Pick<Config, 'context' | 'env'>>;
  readonly adapters: readonly ConfiguredAdapter[];
  readonly clock: Clock;
  readonly home: string | undefined;
}

export interface CommandContext extends ClusterDeps {
  readonly config: Config;
  /** Positional arguments. */
  readonly names: readonly string[];
  /** Namespace; by default that of the kubeconfig's context. */
  readonly namespace: string | undefined;
  readonly output: string | undefined;
  /** Other options. */
  readonly reported: Readonly<Record<string, unknown>>;
  readonly out: NodeJS.WritableStream & { readonly columns?: number; readonly rows?: number };
  /** Stream for output that is no answer. */
  readonly err: NodeJS.WritableStream;
  /** Whether `out` is a terminal that can be redrawn. */
  readonly isTerminal: boolean;
  readonly ink: Ink;
  /** Signal for watching commands: aborted at Ctrl-C. Until this is called, a signal ends the process. */
  stopSignal(): AbortSignal;
}

/** Read-only command. @returns the exit code: 0, or 1 if the answer is a problem */
export type QueryCommand = (question: CommandContext) => Promise<number>;

/** @throws {TerminalError} the command has no such output */
export function outputOf<Output extends string>(output: string | undefined, all: readonly Output[]): Output {
  const found = all.find((each) => each === (output ?? all[0]));
  if (found !== undefined) return found;
  const listed = `${all.slice(0, -1).join(', ')} or ${all.at(-1)}`;
  throw new TerminalError(`--output must be ${listed}; got '${output}'${hint(output ?? '', all)}`);
}

/** Plain data for programs. */
export async function asText(output: 'json' | 'yaml', data: object): Promise<string> {
  if (output === 'json') return `${plainJson(JSON.stringify(data, undefined, 2))}\n`;
  const { stringify } = await import('yaml');
  // An object that comes up twice is written twice.
  return stringify(data, { aliasDuplicateObjects: false });
}
