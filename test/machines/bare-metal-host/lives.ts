// A life of a host with effects that answer as a test says, in a world that stores what is written and tells it back.
import { type Actor, createActor, fromPromise, SimulatedClock } from 'xstate';
import type { HostContext, HostView, WatchInput, WriteInput } from '../../../machines/bare-metal-host/context.ts';
import type { BareMetalHost, HostStatus } from '../../../machines/bare-metal-host/host.ts';
import { bareMetalHostMachine } from '../../../machines/bare-metal-host/machine.ts';
import type { HostNode, Outcome } from '../../../machines/bare-metal-host/outcome.ts';
import { isEqual } from '../../../machines/bare-metal-host/status.ts';
import { type Dependency, type Readiness, stateOf } from '../../../machines/lifecycle.ts';
import type { ErrorData } from '../../../machines/object.ts';
import { AT, BMC, host, IMAGE, type Parts } from './hosts.ts';

export const NODE: HostNode = { id: 'node-uuid', powerState: 'power off' };
export const ON: HostNode = { ...NODE, powerState: 'power on' };

type Kind = Outcome['kind'];
type Of<K extends Kind> = Omit<Extract<Outcome, { kind: K }>, 'kind' | 'at'>;
/** An answer of an operation. */
export function outcome<K extends Kind>(kind: K, more: Of<K>): Outcome {
  return { at: AT, kind, ...more } as unknown as Outcome;
}
export const done = (more: Of<'done'> = {}): Outcome => outcome('done', more);
export const waiting = (more: Partial<Of<'waiting'>> = {}): Outcome =>
  outcome('waiting', { pollAfterMs: 3_000, ...more });
export const failed = (errorType: Of<'failed'>['errorType'], message = 'it broke'): Outcome =>
  outcome('failed', { errorType, message });

export const transient: ErrorData = { code: 'transient', message: 'Ironic answered 500' };
export const terminal: ErrorData = { code: 'terminal', message: 'no such thing' };
export const conflict: ErrorData = { code: 'conflict', message: 'somebody else wrote it' };
export const fail = (error: unknown) => (): never => {
  throw error;
};

export function secret(readiness: Readiness | undefined, version = '1'): Dependency {
  const answer = readiness === undefined ? undefined : { readiness, uid: 'secret-1', version };
  return { kind: 'Secret', name: 'bmc', finalizers: ['f'], neededFor: 'always', answer };
}

export function firmware(attributes: Readonly<Record<string, boolean>>): Dependency {
  const answer = { readiness: 'ready', uid: 'settings-1', attributes } as const;
  return { kind: 'HostFirmwareSettings', name: 'node-1', finalizers: [], neededFor: 'never', answer };
}

export function view(parts: Parts = {}, changes: Partial<HostView> = {}): HostView {
  const made: BareMetalHost = host({ ...parts, spec: { ...BMC, ...parts.spec } });
  return {
    host: made,
    owned: true,
    heldBy: [],
    brings: false,
    isUnprepared: false,
    maxProvisioningRetries: 5,
    ...changes,
  };
}

/** By the name of the effect; `call` counts from 1. An effect without one never answers. */
export type Answers = Record<string, (call: number, input: Record<string, unknown>) => unknown>;

/** What succeeds at once, unless a test says otherwise. */
const DEFAULTS: Answers = {
  restore: () => undefined,
  addOwnFinalizer: () => undefined,
  capacity: () => ({ isFree: true, at: AT }),
  register: () => done({ node: NODE }),
  adopt: () => done(),
  attachDataImage: () => done(),
  service: () => done(),
  endClaims: () => undefined,
  removeOwnFinalizer: () => undefined,
};
/** Everything goes well at once. */
export const WELL: Answers = {
  inspect: () => done({ hardware: { hostname: 'node-1' } }),
  prepare: () => done(),
  power: (_, { target }) => done({ node: target === 'on' ? ON : NODE }),
  provision: () => done({ node: NODE }),
  deprovision: () => done({ node: NODE }),
  remove: () => done(),
};
/** The same, of a machine that is on. */
export const ON_FIRST: Answers = { ...WELL, register: () => done({ node: ON }) };

export const MINUTE = 60_000;
export const DEPLOYED = { state: 'provisioned', spec: { image: IMAGE }, provisioning: { image: IMAGE } };
export const RUNNING = { ...DEPLOYED, status: { poweredOn: true } };

/** What most tests do not ask about. */
const QUIET = new Set(['writeStatus', 'watch', 'claim']);

export interface Lifecycle {
  readonly actor: Actor<typeof bareMetalHostMachine>;
  readonly clock: SimulatedClock;
  /** Names of the effects that were asked for, without those that go by themselves. */
  readonly calls: string[];
  readonly all: string[];
  readonly inputs: Readonly<Record<string, Record<string, unknown>[]>>;
  /** What was told with the writes. */
  readonly events: string[];
  readonly measures: string[];
  /** States that it has stored. */
  readonly states: string[];
  /** What each claim yields. */
  readonly claims: (readonly string[])[];
  phase(): string;
  context(): HostContext;
  status(): HostStatus;
  stored(): HostStatus;
  /** The host is edited: its status stays as it is stored, unless the edit says otherwise. */
  edit(parts: Parts, changes?: Partial<HostView>): Promise<void>;
  depend(...dependencies: Dependency[]): Promise<void>;
  /** What a watch tells. */
  see(node: HostNode | undefined): Promise<void>;
  pass(ms: number): Promise<void>;
}

/** All that needs no time has happened: effects answer in promises alone. */
export async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

/** What one life does. */
interface Effects {
  run(name: string, input: unknown, signal: AbortSignal): Promise<unknown>;
  claim(withdrawnUids: readonly string[]): void;
}

const effectsOf = new WeakMap<object, Effects>();

/** The machine with the effects of whichever life it is: to provide for each life takes longer than the life. */
const provided = bareMetalHostMachine.provide({
  actors: Object.fromEntries(
    Object.keys(bareMetalHostMachine.implementations.actors).map((name) => [
      name,
      fromPromise(async ({ input, signal, system }) => effectsOf.get(system)?.run(name, input, signal)),
    ]),
  ) as never,
  actions: { claim: ({ context, system }) => effectsOf.get(system)?.claim(context.withdrawnUids) },
});

export async function live(
  answers: Answers,
  begun: HostView,
  { dependencies = [secret('ready')] }: { dependencies?: readonly Dependency[] } = {},
): Promise<Lifecycle> {
  const clock = new SimulatedClock();
  const [all, calls, events, measures, states]: [string[], string[], string[], string[], string[]] = [
    [],
    [],
    [],
    [],
    [],
  ];
  const inputs: Record<string, Record<string, unknown>[]> = {};
  const claims: (readonly string[])[] = [];
  let object = begun;
  let known = dependencies;
  let parent: WatchInput['parent'] | undefined;
  let edits = 3;
  const note = (name: string): void => {
    all.push(name);
    if (!QUIET.has(name)) calls.push(name);
  };
  const report = (): void => actor.send({ type: 'object.changed', object, dependencies: known, at: AT });
  const write = (input: WriteInput): void => {
    events.push(...input.events.map(({ reason }) => reason));
    measures.push(...input.measures.map(({ name }) => name));
    const state = input.status.provisioning?.state ?? '';
    if (states.at(-1) !== state) states.push(state);
    const taken = new Set(input.unannotate);
    const annotations = Object.entries(object.host.metadata?.annotations ?? {}).filter(([key]) => !taken.has(key));
    const metadata = { ...object.host.metadata, annotations: Object.fromEntries(annotations) };
    object = { ...object, host: { ...object.host, metadata, status: input.status } };
    report();
  };
  const effects: Effects = {
    async run(name, input, signal) {
      note(name);
      const reported = input as Record<string, unknown>;
      inputs[name] = [...(inputs[name] ?? []), reported];
      if (name === 'watch') {
        parent = (input as WatchInput).parent;
        signal.addEventListener('abort', () => {
          parent = undefined;
        });
      }
      const answer = Object.hasOwn(answers, name) ? answers[name] : DEFAULTS[name];
      const output =
        answer === undefined && name !== 'writeStatus'
          ? new Promise(() => undefined)
          : await answer?.(inputs[name]?.length ?? 0, reported);
      if (name === 'writeStatus') write(input as WriteInput);
      if (name === 'addOwnFinalizer') {
        object = { ...object, owned: true };
        report();
      }
      return output;
    },
    claim(withdrawnUids) {
      note('claim');
      claims.push(withdrawnUids);
    },
  };
  const input = { key: 'key', object, dependencies, at: AT, inDoubtUntil: 0, isOwnershipDisputed: false };
  const actor: Lifecycle['actor'] = createActor(provided, { clock, input });
  effectsOf.set(actor.system, effects);
  actor.start();
  actor.send({ type: 'lifecycle.started' });
  await settled();
  return {
    actor,
    clock,
    calls,
    all,
    inputs,
    events,
    measures,
    states,
    claims,
    phase: () => stateOf(actor.getSnapshot()),
    context: () => actor.getSnapshot().context,
    status: () => actor.getSnapshot().context.status,
    stored: () => object.host.status ?? {},
    async edit(parts, changes = {}) {
      const stored = object.host.status ?? {};
      const edited = view({ state: stored.provisioning?.state ?? '', ...parts }).host;
      if (!isEqual(edited.spec, object.host.spec)) edits += 1;
      const isStatusEdited = parts.status !== undefined || parts.provisioning !== undefined;
      const host = {
        metadata: { ...edited.metadata, generation: edits },
        spec: edited.spec ?? {},
        status: isStatusEdited ? (edited.status ?? {}) : stored,
      };
      object = { ...object, ...changes, host };
      report();
      await settled();
    },
    async depend(...dependencies) {
      known = dependencies;
      actor.send({ type: 'dependencies.changed', dependencies, at: AT });
      await settled();
    },
    async see(node) {
      if (parent === undefined) throw new Error('nobody looks on');
      parent.send({ type: 'observed', node, at: AT });
      await settled();
    },
    async pass(ms) {
      clock.increment(ms);
      await settled();
    },
  };
}
