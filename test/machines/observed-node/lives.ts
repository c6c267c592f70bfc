// Lives that show something of a node, with effects that answer as a test says.
import { type Actor, createActor, fromPromise, SimulatedClock } from 'xstate';
import { type Dependency, type Readiness, stateOf } from '../../../machines/lifecycle.ts';
import type { ErrorData, JsonObject } from '../../../machines/object.ts';
import type { ObservedContext, ObservedView } from '../../../machines/observed-node/context.ts';
import { observedNodeMachine } from '../../../machines/observed-node/machine.ts';

export const AT = 1_000_000;
export const VIEW: ObservedView = { generation: 1, deleting: false, says: 'nothing' };
export const LACKING = { waiting: ['Waiting for schema/s to be ready'] };
export const FAILURE_MS = 30_000;
export const REREAD_MS = 7_200_000;

export const transient: ErrorData = { code: 'transient', message: 'Ironic answered 500' };
export const absent: ErrorData = { code: 'absent', message: 'Ironic does not know the node' };
export const conflict: ErrorData = { code: 'conflict', message: 'somebody else wrote it' };

const HOST = { kind: 'BareMetalHost', name: 'host-1', finalizers: [], neededFor: 'always' } as const;
/** Nothing was heard of it. */
export const UNHEARD: Dependency = { ...HOST, answer: undefined };

export function host(
  readiness: Readiness = 'ready',
  attributes: JsonObject = { state: 'available', operationalStatus: 'OK' },
  externalId = 'node-1',
): Dependency {
  return { ...HOST, answer: { readiness, uid: 'host-1', attributes, externalId } };
}

export function made(readiness?: Readiness, name = 'schema-1'): Dependency {
  const answer = readiness === undefined ? undefined : { readiness, uid: name };
  return { kind: 'FirmwareSchema', name, finalizers: [], neededFor: 'never', answer };
}

/** By the name of the effect; `call` counts from 1. An effect without one never answers. */
export type Answers = Record<string, (call: number, input: Record<string, unknown>) => unknown>;

/** Everything goes well, and the node rests. */
export const WELL: Answers = {
  read: () => ({ reading: { is: 'read' }, at: AT }),
  furnish: () => ({ waiting: [] }),
  store: () => ({ pollAfterMs: 300_000, rereadAfterMs: REREAD_MS }),
};

export const fail = (error: ErrorData) => (): never => {
  throw error;
};

export interface Lifecycle {
  readonly actor: Actor<typeof observedNodeMachine>;
  /** Names of the effects, in order; those that were given up have a `-` before them. */
  readonly effects: string[];
  readonly inputs: Readonly<Record<string, Record<string, unknown>[]>>;
  phase(): string;
  tags(): readonly string[];
  context(): ObservedContext;
  change(changes: Partial<ObservedView>): Promise<void>;
  depend(...dependencies: readonly Dependency[]): Promise<void>;
  pass(ms: number): Promise<void>;
}

export async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

export async function live(
  answers: Answers = WELL,
  { dependencies = [host()], object = VIEW }: { dependencies?: readonly Dependency[]; object?: ObservedView } = {},
): Promise<Lifecycle> {
  const clock = new SimulatedClock();
  const effects: string[] = [];
  const inputs: Record<string, Record<string, unknown>[]> = {};
  let known = dependencies;
  let now = object;
  const effect = (name: string) =>
    fromPromise<unknown, Record<string, unknown>>(async ({ input, signal }) => {
      effects.push(name);
      inputs[name] = [...(inputs[name] ?? []), input];
      const answer = answers[name];
      signal.addEventListener('abort', () => effects.push(`-${name}`));
      return answer === undefined ? new Promise(() => undefined) : answer(inputs[name]?.length ?? 0, input);
    });
  const names = Object.keys(observedNodeMachine.implementations.actors);
  const machine = observedNodeMachine.provide({
    actors: Object.fromEntries(names.map((name) => [name, effect(name)])) as never,
    actions: { claim: () => void effects.push('claim') },
    delays: { failurePause: FAILURE_MS },
  });
  const input = { key: 'key', object, dependencies, at: AT, inDoubtUntil: 0, isOwnershipDisputed: false };
  const actor = createActor(machine, { clock, input });
  actor.start();
  actor.send({ type: 'lifecycle.started' });
  await settled();
  return {
    actor,
    effects,
    inputs,
    phase: () => stateOf(actor.getSnapshot()),
    tags: () => [...actor.getSnapshot().tags],
    context: () => actor.getSnapshot().context,
    async change(changes) {
      now = { ...now, ...changes };
      actor.send({ type: 'object.changed', object: now, dependencies: known, at: AT });
      await settled();
    },
    async depend(...others) {
      known = others;
      actor.send({ type: 'dependencies.changed', dependencies: known, at: AT });
      await settled();
    },
    async pass(ms) {
      clock.increment(ms);
      await settled();
    },
  };
}
