// Effects: the promise actors of lifecycles. Each is given the ports of the object that it acts for.
//
// An effect is like XState's `fromPromise` in all that a machine or a reader of it can see. It costs less: it has an `AbortController`
// only if it asks for the signal, and keeps one snapshot for each status.
import { type AnyActorRef, fromPromise, type PromiseActorLogic, type PromiseSnapshot } from 'xstate';
import type { LifecyclePorts, PortsOf } from './lifecycle.ts';

/** What an effect is run with. */
export interface EffectRun<Input> {
  /** Of the object that it acts for. */
  readonly ports: LifecyclePorts;
  readonly input: Input;
  /** Aborted when the state that invoked the effect is left. */
  readonly signal: AbortSignal;
}

/** What XState offers to the logic of an actor. */
interface Scope {
  readonly self: AnyActorRef;
  readonly system: { _relay(source: unknown, target: unknown, event: object): void };
}

interface Settled {
  readonly type: string;
  readonly data?: unknown;
}

const RESOLVED = 'xstate.promise.resolve';
const REJECTED = 'xstate.promise.reject';
const STOPPED = 'xstate.stop';

/** Makes effects. */
export type EffectMaker = <Output, Input extends { readonly key: string } = { readonly key: string }>(
  run: (given: EffectRun<Input>) => Promise<Output>,
) => PromiseActorLogic<Output, Input>;

/** Makes effects over the ports of their objects; every input names its object by `key`. */
export function effectsOver(portsOf: PortsOf): EffectMaker {
  return <Output, Input extends { readonly key: string }>(run: (given: EffectRun<Input>) => Promise<Output>) => {
    const controllers = new WeakMap<AnyActorRef, AbortController>();
    const logic = {
      transition(state: PromiseSnapshot<Output, Input>, { type, data }: Settled, { self }: Scope): object {
        if (state.status !== 'active') return state;
        if (type === RESOLVED) return { ...state, status: 'done', output: data, input: undefined };
        if (type === REJECTED) return { ...state, status: 'error', error: data, input: undefined };
        if (type !== STOPPED) return state;
        controllers.get(self)?.abort();
        controllers.delete(self);
        return { ...state, status: 'stopped', input: undefined };
      },
      start({ status, input }: PromiseSnapshot<Output, Input>, { self, system }: Scope): void {
        if (status !== 'active' || input === undefined) return;
        const given: EffectRun<Input> = {
          ports: portsOf(input.key),
          input,
          get signal() {
            const controller = controllers.get(self) ?? new AbortController();
            controllers.set(self, controller);
            return controller.signal;
          },
        };
        const end = (type: string) => (data: unknown) => {
          if (self.getSnapshot().status === 'active') system._relay(self, self, { type, data });
        };
        const running = async (): Promise<Output> => run(given);
        running().then(end(RESOLVED), end(REJECTED));
      },
    };
    return Object.assign(fromPromise<Output, Input>(unreachable), logic) as unknown as PromiseActorLogic<Output, Input>;
  };
}

/** In the place of a promise creator, which `start` does not call. */
function unreachable(): never {
  throw new Error('an effect is started by its own logic');
}
