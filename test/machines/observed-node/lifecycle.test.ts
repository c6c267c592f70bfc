// What goes with the chart of what shows something of a node: its effects, when it may rest, and what people are told.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createActor, SimulatedClock } from 'xstate';
import type { LifecyclePorts, Step, UserEvent } from '../../../machines/lifecycle.ts';
import type { ErrorData, JsonObject, KubeObject } from '../../../machines/object.ts';
import {
  type Judgement,
  type ObservedNodeOptions,
  observedNodeLifecycle,
} from '../../../machines/observed-node/lifecycle.ts';
import { AT, host, settled, transient } from './lives.ts';

const test = suite('life of observed nodes');

const OBJECT: KubeObject = {
  apiVersion: 'v1',
  kind: 'Shown',
  metadata: { name: 'host-1', namespace: 'ns', uid: 'u', resourceVersion: '1', generation: 1 },
};
const NEWS: readonly UserEvent[] = [
  { type: 'Normal', reason: 'ValidationFailed', message: 'one' },
  { type: 'Normal', reason: 'ValidationFailed', message: 'two' },
];
const SAID: Judgement = {
  status: { is: 'new' },
  isChanged: true,
  news: NEWS,
  pollAfterMs: 60_000,
  rereadAfterMs: 300_000,
};

interface Played {
  readonly log: readonly string[];
  readonly reported: readonly string[];
  readonly clock: SimulatedClock;
  phase(): string;
  canPassivate(): boolean;
  depend(readiness: 'ready' | 'pending'): Promise<void>;
}

/** A life over ports that do as a test says; they note what is asked of them. */
async function play(
  ports: Partial<LifecyclePorts>,
  options: Partial<ObservedNodeOptions<JsonObject>> = {},
): Promise<Played> {
  const log: string[] = [];
  const reported: string[] = [];
  const life = observedNodeLifecycle<JsonObject>({
    manager: 'metal3/shown-status',
    fingerprint: (status) => JSON.stringify(status ?? {}),
    judge: () => SAID,
    isJudged: ({ status }) => status !== undefined,
    failurePauses: { firstMs: 30_000, limitMs: 300_000 },
    unreadable: { type: 'Warning', reason: 'Unreadable' },
    ...options,
  });
  const all = {
    now: () => AT,
    object: () => OBJECT,
    jitter: (delayMs: number) => delayMs,
    claim: () => undefined,
    call: async (operation: string) => {
      log.push(`call ${operation}`);
      return { was: 'read' };
    },
    callLong: (operation: string, { extra }: { extra?: object }) => {
      log.push(`hold ${operation} ${JSON.stringify(extra)}`);
      return new Promise(() => undefined);
    },
    storeStatus: async (manager: string, status: JsonObject) =>
      void log.push(`store ${manager} ${JSON.stringify(status)}`),
    recordEvents: (news: readonly UserEvent[]) => void log.push(`tell ${news.map(({ message }) => message)}`),
    ...ports,
  } as unknown as LifecyclePorts;
  const clock = new SimulatedClock();
  const hear = life.userEvents?.(OBJECT);
  let from: Step['from'];
  const input = {
    key: 'k',
    object: life.view(OBJECT, AT),
    dependencies: [host()],
    at: AT,
    inDoubtUntil: 0,
    isOwnershipDisputed: false,
  };
  const actor = createActor(
    life.provide(() => all),
    {
      clock,
      input,
      inspect(event) {
        if (event.type !== '@xstate.snapshot' || event.actorRef !== actor) return;
        const to = actor.getSnapshot();
        if (to === from) return;
        const news = hear?.({ cause: event.event, from, to });
        if (news !== undefined && to.value !== from?.value)
          reported.push(`${news.type} ${news.reason} ${news.message}`);
        from = to;
      },
    },
  );
  actor.start();
  actor.send({ type: 'lifecycle.started' });
  await settled();
  return {
    log,
    reported,
    clock,
    phase: () => JSON.stringify(actor.getSnapshot().value),
    canPassivate: () => life.canPassivate(actor.getSnapshot(), AT),
    async depend(readiness) {
      actor.send({ type: 'dependencies.changed', dependencies: [host(readiness)], at: AT });
      await settled();
    },
  };
}

const WATCHING = 'hold watch {"readAt":1000000,"pollAfterMs":60000}';

test('what is read is judged, stored as a whole, and told once it is stored', async () => {
  const { log } = await play({});
  assert.equal(log, ['call read', 'store metal3/shown-status {"is":"new"}', 'tell one,two', WATCHING]);
});

test('what is stored already is neither stored nor told (OBSERVED-NODE-4)', async () => {
  const { log } = await play({}, { judge: () => ({ ...SAID, isChanged: false }) });
  assert.equal(log, ['call read', WATCHING]);
});

test('a lost race is judged by the object as it is then (OBSERVED-NODE-4)', async () => {
  const conflict: ErrorData = { code: 'conflict', message: 'changed' };
  const generations: unknown[] = [];
  let version = 1;
  let stores = 0;
  await play(
    {
      object: () => ({ ...OBJECT, metadata: { ...OBJECT.metadata, generation: version } }),
      async storeStatus() {
        version += 1;
        stores += 1;
        if (stores === 1) throw conflict;
      },
    },
    {
      judge(object) {
        generations.push(object.metadata.generation);
        return SAID;
      },
    },
  );
  assert.equal(generations, [1, 2]);
});

test('it rests without a host, and not while it looks at a node', async () => {
  const played = await play({});
  assert.is(played.canPassivate(), false);
  await played.depend('pending');
  assert.equal([played.phase(), played.canPassivate()], ['"nodeMissing"', true]);
});

test('a node that cannot be read for long is told of, once; a system that is away is not', async () => {
  const failing = (error: ErrorData) =>
    play({
      call: async () => {
        throw error;
      },
    });
  const pass = async ({ clock }: Played): Promise<void> => {
    for (const ms of [30_000, 60_000, 120_000, 240_000, 300_000]) {
      clock.increment(ms);
      await settled();
    }
  };
  const one = await failing(transient);
  assert.equal(one.reported, []);
  await pass(one);
  assert.equal(one.reported, [`Warning Unreadable ${transient.message}`]);
  const away = await failing({ ...transient, fault: 'unreachable' });
  await pass(away);
  assert.equal(away.reported, []);
});

test.run();
