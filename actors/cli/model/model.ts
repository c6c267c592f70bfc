// `troupe model <command>`: the cluster manager's model language. A command is loaded only when it is asked for.
import type { Program } from '../command-line.ts';
import { runTool, type Tool } from '../tool.ts';
import { type CommandName, NOTES, USAGES } from './usage.ts';

/** One command of the table below. */
export interface ModelCommand {
  /**
   * @param args  what follows the command's name
   * @returns the exit code: 0 all is well, 1 the model is not
   * @throws {TerminalError} the call makes no sense
   */
  run(args: readonly string[]): Promise<number>;
}

const COMMANDS: Readonly<Record<CommandName, () => Promise<ModelCommand>>> = {
  check: () => import('./check.ts'),
  fmt: () => import('./fmt.ts'),
  openapi: () => import('./openapi.ts'),
  types: () => import('./types.ts'),
  docs: () => import('./docs.ts'),
  crds: () => import('./crds.ts'),
  lsp: () => import('./lsp.ts'),
  diff: () => import('./diff.ts'),
  serve: () => import('./serve.ts'),
  routes: () => import('./routes.ts'),
  token: () => import('./token.ts'),
};

const MODEL: Tool<CommandName> = {
  name: 'model',
  about: "The cluster manager's model language; <dir> holds <service>/<version>/*.model",
  usages: USAGES,
  notes: NOTES,
  run: async (name, args) => (await COMMANDS[name]()).run(args),
  exitCode: () => 2,
};

/** Runs a command and returns the exit code: 0 all is well, 1 the model is wrong, 2 the call makes no sense. */
export function main(args: readonly string[], env: NodeJS.ProcessEnv, program: Program): Promise<number> {
  return runTool(MODEL, args, env, program);
}
