// A machine with effects of its own: one for each process and kind of object. Its states, and what XState has worked out of them, are
// those of the machine that it comes from, where `provide` makes all of them anew.
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
