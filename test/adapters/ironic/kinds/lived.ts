// One object with the life of its kind, over an API server and operations that a test plays.
import { type AnyActorRef, createActor, SimulatedClock } from 'xstate';
import type { DeclaredKind } from '../../../../adapters/api/adapter.ts';
import type {
  Dependency,
  DependencyAnswer,
  LifecyclePorts,
  ObjectVersion,
  UserEvent,
} from '../../../../machines/lifecycle.ts';
import type { ErrorData, JsonObject, KubeObject } from '../../../../machines/object.ts';

export interface Lived {
  /** What was done, in order: effects and operations by name. */
  readonly done: readonly string[];
  readonly object: () => KubeObject;
  readonly phase: () => string;
  /** What an operation answers from now on: a value, or an error to be thrown. */
  answer(operation: string, with_: unknown): void;
  /** Somebody else changes the object. */
  change(patch: {
    readonly metadata?: object;
    readonly spec?: JsonObject;
    readonly status?: JsonObject;
  }): Promise<void>;
  hear(answer: DependencyAnswer): Promise<void>;
  pass(ms: number): Promise<void>;
}

export interface LivedOptions {
  /** Of operations, by their names; a function is asked with the object as it is. */
  readonly answers: Readonly<Record<string, unknown>>;
  /** Of the only reference. */
  readonly other?: DependencyAnswer;
  /** What an earlier life has asked for, and not recorded. */
  readonly intents?: readonly JsonObject[];
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export async function live(
  kind: DeclaredKind,
  given: KubeObject,
  { answers, other, intents: listed = [], at }: LivedOptions,
): Promise<Lived> {
  const clock = new SimulatedClock();
  const now = (): number => at + clock.now();
  const said = new Map(Object.entries(answers));
  const done: string[] = [];
  let object = given;
  let intents = listed;
  let answered = other;
  const actor: { current?: AnyActorRef } = {};

  const dependencies = (): readonly Dependency[] =>
    kind.references(object).map((reference) => ({ ...reference, answer: answered }));
  const report = (next: KubeObject): void => {
    object = next;
    const view = kind.life.view(object, now());
    actor.current?.send({ type: 'object.changed', object: view, dependencies: dependencies(), at: now() });
  };
  const withMetadata = (metadata: object): KubeObject => ({ ...object, metadata: { ...object.metadata, ...metadata } });
  const call = async (operation: string): Promise<unknown> => {
    done.push(operation);
    const known = said.get(operation);
    const answer: unknown = typeof known === 'function' ? known(object) : known;
    if (typeof answer === 'object' && answer !== null && 'code' in answer) throw answer as ErrorData;
    return answer;
  };
  const ports = {
    now,
    random: () => 0,
    jitter: (delayMs: number) => delayMs,
    object: () => object,
    call,
    callOnce(operation: string) {
      const intent = kind.life.intent?.({ object, dependencies: {} });
      if (intent !== undefined) intents = [...intents, intent];
      return call(operation);
    },
    intents: () => intents,
    discardIntents() {
      intents = [];
    },
    claim: () => undefined,
    async addOwnFinalizer() {
      done.push('addOwnFinalizer');
      report(withMetadata({ finalizers: [...(object.metadata.finalizers ?? []), kind.finalizer] }));
    },
    async setOwnerReference() {
      done.push('setOwnerReference');
      const owner = { apiVersion: 'metal3.io/v1alpha1', kind: 'BareMetalHost', name: 'h', uid: answered?.uid ?? '' };
      report(withMetadata({ ownerReferences: [owner] }));
    },
    async patchObjectSpec({ namespace, name }: ObjectVersion, _manager: string, spec: JsonObject) {
      await call(`patch ${namespace}/${name} ${JSON.stringify(spec)}`);
    },
    async labelReferenced() {
      done.push('labelReferenced');
    },
    recordEvents(news: readonly UserEvent[]) {
      for (const { reason, message } of news) done.push(`tell ${reason}: ${message}`);
    },
    async storeStatus(_manager: string, status: JsonObject) {
      if (JSON.stringify(status) === JSON.stringify(object.status)) return;
      done.push('storeStatus');
      report({ ...object, status });
    },
    async endClaims() {
      done.push('endClaims');
    },
    async removeOwnFinalizer() {
      done.push('removeOwnFinalizer');
    },
  } as unknown as LifecyclePorts;

  const input = {
    key: 'key',
    object: kind.life.view(object, now()),
    dependencies: dependencies(),
    at: now(),
    inDoubtUntil: 0,
    isOwnershipDisputed: false,
  };
  const settled = async (): Promise<void> => {
    for (let turns = 0; turns < 10; turns++) {
      await new Promise(setImmediate);
      // What is due at once is done at once.
      clock.increment(0);
    }
  };
  const created = createActor(
    kind.life.provide(() => ports),
    { clock, input },
  );
  actor.current = created;
  created.start();
  created.send({ type: 'lifecycle.started' });
  await settled();
  return {
    done,
    object: () => object,
    phase: () => JSON.stringify(created.getSnapshot().value).replaceAll(/["{}]/g, '').replaceAll(':', '.'),
    answer: (operation, with_) => void said.set(operation, with_),
    async change({ metadata = {}, ...parts }) {
      report({ ...withMetadata(metadata), ...parts });
      await settled();
    },
    async hear(answer) {
      answered = answer;
      created.send({ type: 'dependencies.changed', dependencies: dependencies(), at: now() });
      await settled();
    },
    async pass(ms) {
      clock.increment(ms);
      await settled();
    },
  };
}
