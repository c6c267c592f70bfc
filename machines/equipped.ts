// Machine with its own effects, for each process and kind of object. Its states, and XState's data about them, are
// those of the original machine, while `provide` makes all of them again.
import { type AnyStateMachine, StateMachine } from 'xstate';

/** Methods that XState binds to a machine when it is made. */
const BOUND = ['transition', 'getInitialSnapshot', 'getPersistedSnapshot', 'restoreSnapshot', 'start'] as const;

/** As `machine.provide(effects)`. */
export function equipped<Machine extends AnyStateMachine>(
  machine: Machine,
  effects: Parameters<Machine['provide']>[0],
): Machine {
  const { actors, actions, guards, delays } = machine.implementations;
  const own = Object.create(machine) as AnyStateMachine;
  own.implementations = {
    actors: { ...actors, ...effects.actors },
    actions: { ...actions, ...effects.actions },
    guards: { ...guards, ...effects.guards },
    delays: { ...delays, ...effects.delays },
  } as AnyStateMachine['implementations'];
  for (const name of BOUND) Object.assign(own, { [name]: StateMachine.prototype[name].bind(own) });
  return own as Machine;
}
