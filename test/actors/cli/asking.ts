// Commands that look, asked in this process as a person would on the command line.
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { readConfig } from '../../../actors/base/config.ts';
import { Ink } from '../../../actors/cli/colors.ts';
import type { CommandContext, QueryCommand } from '../../../actors/cli/command-context.ts';
import { openstackWith } from '../../../adapters/openstack/mod.ts';
import type { World } from '../../world/world.ts';

export interface Answer {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A question about the namespace of a world, unless it says otherwise. */
export function questionIn(world: World, question: Partial<CommandContext> = {}): Omit<CommandContext, 'out' | 'err'> {
  return {
    config: readConfig({ KUBECONFIG: world.ground.kubeconfig }),
    adapters: [openstackWith({})],
    clock: world.clock,
    home: undefined,
    names: [],
    namespace: world.namespace,
    output: undefined,
    reported: {},
    isTerminal: false,
    ink: Ink.Plain,
    stopSignal: () => new AbortController().signal,
    ...question,
  };
}

export async function answerOf(
  { answer }: { readonly answer: QueryCommand },
  question: Omit<CommandContext, 'out' | 'err'>,
): Promise<Answer> {
  const [out, err] = [new PassThrough(), new PassThrough()];
  const written = Promise.all([text(out), text(err)]);
  try {
    const code = await answer({ ...question, out, err });
    out.end();
    err.end();
    const [said, complained] = await written;
    return { code, out: said, err: complained };
  } finally {
    out.end();
    err.end();
  }
}
