// Everything that the chart of a host can hear, for walks to all of its states.
import type { EventFromLogic } from 'xstate';
import { ErrorType } from '../../../machines/bare-metal-host/errors.ts';
import { bareMetalHostMachine } from '../../../machines/bare-metal-host/machine.ts';
import { AT } from './hosts.ts';
import { done, failed, NODE, ON, outcome, secret, terminal, transient, waiting } from './lives.ts';

type HostEvent = EventFromLogic<typeof bareMetalHostMachine>;
type Node = typeof bareMetalHostMachine.root;

const OUTCOMES = [
  done({ node: NODE }),
  done({ node: ON }),
  waiting(),
  outcome('pausing', { afterMs: 1_000 }),
  failed(ErrorType.Registration),
  outcome('failed', { errorType: ErrorType.Registration, message: 'no', until: 'change' }),
  outcome('absent', {}),
  outcome('stuck', { message: 'who knows' }),
];
/** What effects answer that are no operations on the node, by the id of their invoke. */
const OTHERS: Readonly<Record<string, readonly unknown[]>> = {
  restore: [undefined],
  addOwnFinalizer: [undefined],
  capacity: [
    { isFree: true, at: AT },
    { isFree: false, at: AT },
  ],
  watch: [],
  writeStatus: [undefined],
  endClaims: [undefined],
  removeOwnFinalizer: [undefined],
  service: [...OUTCOMES, outcome('due', {})],
};

function nodes(node: Node): readonly Node[] {
  return [node, ...Object.values(node.states).flatMap((child) => nodes(child as Node))];
}

/** All states below the root. */
export const allNodes: readonly Node[] = nodes(bareMetalHostMachine.root).slice(1);

/** Ids of the effects that states invoke. */
export const invokeIds: ReadonlySet<string> = new Set(allNodes.flatMap(({ invoke }) => invoke.map(({ id }) => id)));

export function answersAndTimers(): readonly HostEvent[] {
  const answers = [...invokeIds].flatMap((id) => [
    ...(OTHERS[id] ?? OUTCOMES).map((output) => ({ type: `xstate.done.actor.${id}`, output, actorId: id })),
    { type: `xstate.error.actor.${id}`, error: transient, actorId: id },
    { type: `xstate.error.actor.${id}`, error: terminal, actorId: id },
  ]);
  const timers = allNodes.flatMap((node) => node.after.map(({ eventType: type }) => ({ type })));
  const seen = [NODE, ON, undefined].map((node) => ({ type: 'observed', node, at: AT }));
  const dependencies = [[secret('ready')], [secret('absent')], [secret('ready', '2')]].map((some) => ({
    type: 'dependencies.changed',
    dependencies: some,
    at: AT,
  }));
  const events = [{ type: 'lifecycle.started' }, ...answers, ...timers, ...seen, ...dependencies];
  return events as unknown as readonly HostEvent[];
}
