// Which states of a machine its generated paths reach.
import {
  type AnyMachineSnapshot,
  type AnyStateMachine,
  createActor,
  type EventFromLogic,
  type SnapshotFrom,
} from 'xstate';

/** Leaf states of a machine, as dotted paths. */
export function leaves(machine: AnyStateMachine): readonly string[] {
  const walk = (node: AnyStateMachine['root']): string[] => {
    const children = Object.values(node.states) as AnyStateMachine['root'][];
    return children.length === 0 ? [node.path.join('.')] : children.flatMap(walk);
  };
  return walk(machine.root);
}

/** Contexts that are followed on from one state; more lead nowhere new, and their number is exponential. */
const CONTEXTS_A_STATE = 8;

/**
 * Leaf states on the shortest paths of `events` from `input`, breadth first. (`getShortestPaths` of xstate follows
 * every context, which for a machine of forty states and a dozen context fields does not end.)
 *
 * @param events  those that may happen in a state
 */
export function reached<Machine extends AnyStateMachine>(
  machine: Machine,
  input: unknown,
  events: (snapshot: SnapshotFrom<Machine>) => readonly EventFromLogic<Machine>[],
): ReadonlySet<string> {
  const found = new Set<string>();
  const contexts = new Map<string, Set<string>>();
  const next = stepsOf(machine, input);
  const queue: AnyMachineSnapshot[] = [machine.getInitialSnapshot(next.scope, input as never)];
  for (let snapshot = queue.shift(); snapshot !== undefined; snapshot = queue.shift()) {
    const value = JSON.stringify(snapshot.value);
    const seen = contexts.get(value) ?? new Set();
    contexts.set(value, seen);
    if (seen.size >= CONTEXTS_A_STATE) continue;
    const context = JSON.stringify(snapshot.context);
    if (seen.has(context)) continue;
    seen.add(context);
    for (const leaf of activeLeaves(snapshot.value)) found.add(leaf);
    for (const event of events(snapshot as SnapshotFrom<Machine>)) queue.push(next.after(snapshot, event));
  }
  return found;
}

/** Steps in which nothing is executed. (`transition` of xstate makes an actor for each, without the input that ours take.) */
function stepsOf(machine: AnyStateMachine, input: unknown) {
  const nothing = (): void => undefined;
  const self = createActor(machine, { input: input as never });
  const scope = {
    self,
    system: self.system,
    id: '',
    sessionId: '',
    logger: nothing,
    defer: nothing,
    stopChild: nothing,
    emit: nothing,
    actionExecutor: nothing,
  };
  return {
    scope,
    after: (snapshot: AnyMachineSnapshot, event: EventFromLogic<AnyStateMachine>): AnyMachineSnapshot =>
      machine.transition(snapshot, event, scope) as AnyMachineSnapshot,
  };
}

/** The events that can happen: answers come only from effects that run, timers only in the state that armed them. */
export function possible<Event extends { readonly type: string }>(
  snapshot: { readonly value: unknown; readonly children: Readonly<Record<string, unknown>> },
  events: readonly Event[],
): readonly Event[] {
  const active = activeLeaves(snapshot.value);
  return events.filter(({ type }) => {
    const [, kind, , id = ''] = type.split('.');
    if (!type.startsWith('xstate.')) return true;
    if (kind !== 'after') return id in snapshot.children;
    const state = type.split('.').slice(4).join('.');
    return active.some((leaf) => leaf === state);
  });
}

function activeLeaves(value: unknown, prefix = ''): readonly string[] {
  if (typeof value === 'string') return [prefix === '' ? value : `${prefix}.${value}`];
  return Object.entries(value as Record<string, unknown>).flatMap(([name, inner]) =>
    activeLeaves(inner, prefix === '' ? name : `${prefix}.${name}`),
  );
}
