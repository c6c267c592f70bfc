// `troupe machines`: the statecharts by which objects live, as data and as diagrams.
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import type { ConfiguredAdapter } from '../../../adapters/api/adapter.ts';
import { TerminalError } from '../../../bus/mod.ts';
import { type KnownMachine, knownMachines } from '../../visualizer/known-machines.ts';
import { definitionOf } from './definition.ts';
import { mermaidOf } from './mermaid.ts';

export interface MachinesDeps {
  adapters: readonly Pick<ConfiguredAdapter, 'kinds' | 'referencedKinds'>[];
  /** Names of machines; empty: all. */
  names: readonly string[];
  /** `text`, `json` or `mermaid`. */
  output: string | undefined;
  out: NodeJS.WritableStream;
}

/** `troupe machines`. @throws {TerminalError} no machine has such a name, or there is no such output */
export async function machines({ adapters, names, output = 'text', out }: MachinesDeps): Promise<number> {
  const chosen = chosenOf(knownMachines(adapters), names);
  switch (output) {
    case 'text':
      out.write(tableOf(chosen));
      return 0;
    case 'json': {
      // A single one has the format that an editor opens.
      const definitions = chosen.map(({ machine }) => definitionOf(machine));
      out.write(`${JSON.stringify(names.length === 1 ? definitions[0] : definitions, undefined, 2)}\n`);
      return 0;
    }
    case 'mermaid':
      out.write(chosen.map(({ name, machine }) => `%% ${name}\n${mermaidOf(machine)}`).join('\n'));
      return 0;
    default:
      throw new TerminalError(`--output must be text, json or mermaid; got '${output}'`);
  }
}

/** The built-in charts as a page of diagrams (`machines/README.md`). */
export function diagramsPage(adapters: MachinesDeps['adapters']): string {
  const parts = knownMachines(adapters).map(({ name, machine, kinds }) => {
    const whose = kinds.length === 0 ? 'whatever others refer to' : kinds.toSorted().join(', ');
    const states = describedStates(machine).map(([state, description]) => `| \`${state}\` | ${description} |\n`);
    return `
## ${name}

The life of ${whose}.

\`\`\`mermaid
${mermaidOf(machine)}\`\`\`

| state | |
| --- | --- |
${states.join('')}`;
  });
  return `<!-- Made by \`npm run generate\` from the machines themselves. -->
# Statecharts

How objects live. \`troupe machines\` lists them, adapters from outside included; with \`-o json\` they are written as
[Stately's editor](https://stately.ai/editor) opens them. Arrows are named after the events that lead there; those without a name are
taken at once, under a condition.
${parts.join('')}`;
}

/** The states that say what they are, as the trace names them. */
function describedStates({ root }: AnyStateMachine): readonly (readonly [state: string, description: string])[] {
  const below = (node: AnyStateNode): readonly (readonly [string, string])[] => [
    ...(node.description === undefined ? [] : [[nameOf(node), node.description] as const]),
    ...Object.values<AnyStateNode>(node.states).flatMap(below),
  ];
  return Object.values<AnyStateNode>(root.states).flatMap(below);
}

/** The first of several regions is the lifecycle itself (`stateOf`). */
function nameOf({ path, machine }: AnyStateNode): string {
  const isInLife =
    machine.root.type === 'parallel' && path.length > 1 && path[0] === Object.keys(machine.root.states)[0];
  return (isInLife ? path.slice(1) : path).join('.');
}

function chosenOf(known: readonly KnownMachine[], names: readonly string[]): readonly KnownMachine[] {
  if (names.length === 0) return known;
  return names.map((name) => {
    const found = known.find((each) => each.name === name);
    if (found !== undefined) return found;
    throw new TerminalError(`there is no machine '${name}'; there are ${known.map((each) => each.name).join(', ')}`);
  });
}

function tableOf(known: readonly KnownMachine[]): string {
  const rows = known.map(({ name, machine, kinds }) => [
    name,
    `${machine.root.type === 'atomic' ? 1 : leavesOf(machine.root)}`,
    kinds.length === 0 ? 'whatever is referred to' : kinds.toSorted().join(', '),
  ]);
  const all = [['MACHINE', 'STATES', 'KINDS'], ...rows];
  const widths = [0, 1].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map(
      ([name = '', states = '', kinds]) =>
        `${name.padEnd(widths[0] ?? 0)}   ${states.padEnd(widths[1] ?? 0)}   ${kinds}\n`,
    )
    .join('');
}

function leavesOf(node: AnyStateNode): number {
  const children = Object.values<AnyStateNode>(node.states);
  return children.length === 0 ? 1 : children.reduce((sum, child) => sum + leavesOf(child), 0);
}
