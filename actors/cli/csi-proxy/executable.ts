// What csi-proxy.exe runs: the commands that a node needs, by their names, and `serve` where flags stand alone, as the
// original is started.
import { TerminalError, TroupeError } from '../../../bus/errors.ts';
import { stopSignal } from '../../process/process.ts';
import type { Usage } from '../command-line.ts';
import { runTool, type Tool } from '../tool.ts';
import { call, ls } from './call.ts';
import type { CsiProxyCommand } from './command.ts';
import { serve } from './serve.ts';
import { USAGES } from './usage.ts';

const COMMANDS = { serve, call, ls } as const satisfies Readonly<Record<string, CsiProxyCommand>>;
type CommandName = keyof typeof COMMANDS;

const EXECUTABLE: Tool<CommandName> = {
  name: '',
  about: 'API groups for Windows nodes; without a command it serves',
  usages: {
    serve: named('serve', USAGES.serve),
    call: named('call', USAGES.call),
    ls: named('ls', USAGES.ls),
  },
  run: (name, args, env) => COMMANDS[name](args, { env, cwd: process.cwd(), stopSignal, out: process.stdout }),
  exitCode: (error) => (error instanceof TroupeError && !(error instanceof TerminalError) ? 1 : 2),
};

/** A command of `troupe csi-proxy` as it is called here. */
function named(name: string, usage: Usage): Usage {
  return { ...usage, name, examples: usage.examples.map((example) => example.replace(/^csi-proxy /, '')) };
}

const [first = '', ...rest] = process.argv.slice(2);
const args =
  first === '' || (first.startsWith('-') && first !== '-h') ? ['serve', ...process.argv.slice(2)] : [first, ...rest];
runTool(EXECUTABLE, args, process.env, 'csi-proxy.exe').then((code) => {
  process.exitCode = code;
});
