// A command of `troupe`: its usage, which every call loads, and what it does, which is loaded when the command is called.
import type { Logger } from 'pino';
import type { Adapter, ConfiguredAdapter } from '../../adapters/api/adapter.ts';
import { TerminalError } from '../../bus/errors.ts';
import type { Clock } from '../../bus/time.ts';
import type { Config } from '../base/config.ts';
import type { ModelPlace } from '../process/load-models.ts';
import type { StartGateway } from '../process/run.ts';
import type { Ink } from './colors.ts';
import type { QueryCommand } from './command-context.ts';
import type { Usage } from './command-line.ts';
import type { Reminder } from './reminder.ts';

/** Options that commands read themselves; the others belong to the configuration. */
export interface OwnOptions {
  readonly keep?: boolean;
  readonly verbose?: boolean;
  readonly namespaced?: boolean;
  readonly 'all-namespaces'?: boolean;
  readonly 'no-open'?: boolean;
  readonly apply?: boolean;
  readonly namespace?: readonly string[];
  readonly output?: string;
  readonly since?: string;
  readonly type?: readonly string[];
  readonly watch?: boolean;
  readonly inspect?: string;
  readonly generation?: string;
  readonly otlp?: boolean;
  readonly 'per-second'?: string;
  readonly 'dry-run'?: boolean;
  readonly to?: string;
  readonly write?: boolean;
}

/** A call of a command. */
export interface CommandCall {
  readonly command: string;
  readonly config: Config;
  readonly adapters: readonly Adapter[];
  /** The adapters with their settings. @throws {TerminalError} a setting is wrong */
  configured(): readonly ConfiguredAdapter[];
  readonly env: NodeJS.ProcessEnv;
  /** All options that have a text. */
  readonly options: Readonly<Record<string, string>>;
  readonly own: OwnOptions;
  /** Positional arguments. */
  readonly names: readonly string[];
  /** Data directory of `troupe dev`. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly reminder: Reminder;
  /** Undefined: none were named, and the command has none of its own. */
  readonly models: ModelPlace | undefined;
  /** The gateway of the models, if any is asked for. */
  gateway(purpose: 'development' | undefined): Promise<StartGateway | undefined>;
  readonly out: NodeJS.WriteStream;
  readonly err: NodeJS.WriteStream;
  /** Whether `out` can be drawn upon. */
  readonly isTerminal: boolean;
  readonly ink: Ink;
  /** See `CommandContext.stopSignal`. */
  stopSignal(): AbortSignal;
}

export interface CommandModule {
  /** @returns the exit code */
  run(call: CommandCall): Promise<number> | number;
}

export interface CommandUsage extends Usage {
  /** Flags of adapters that are options of this command, too. */
  readonly adapterFlags?: readonly ('process' | 'definitions')[];
  /** All that it starts runs on this machine, what is done for a node included. */
  readonly isDevelopment?: boolean;
  /** It serves a small model where no models are named. */
  readonly hasSmallModel?: boolean;
  /** It calls external systems; for others, options of adapters only add kinds, and are not listed. */
  readonly callsExternal?: boolean;
  /** It changes nothing: exit code 1 is an answer, and an error is 2. */
  readonly isQuery?: boolean;
  load(): Promise<CommandModule>;
}

/** The namespace of a command that takes no more than one. @throws {TerminalError} there are several */
export function oneNamespace({ own: { namespace = [] } }: CommandCall, refusal: string): string | undefined {
  if (namespace.length > 1) throw new TerminalError(refusal);
  return namespace[0];
}

/** Loads a command whose input is a `CommandContext`. */
export function asQuestion(load: () => Promise<QueryCommand>): () => Promise<CommandModule> {
  return async () => {
    const answer = await load();
    return {
      run: (call) =>
        answer({
          ...call,
          adapters: call.configured(),
          namespace: oneNamespace(call, `'${call.command}' looks into one namespace`),
          output: call.own.output,
          reported: { ...call.own },
          home: call.env['HOME'],
        }),
    };
  };
}

export function print(out: NodeJS.WritableStream, text: string): number {
  out.write(text);
  return 0;
}
