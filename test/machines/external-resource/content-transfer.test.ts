// Bringing content to a resource that was made empty: what the chart does, in which order, and what ends it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createActor, fromPromise, SimulatedClock } from 'xstate';
import type {
  AnnounceInput,
  EffectInput,
  FillInput,
  OwnershipInput,
  OwnershipOutput,
} from '../../../machines/external-resource/context.ts';
import { resourceStateOf } from '../../../machines/external-resource/lifecycle.ts';
import { externalResourceMachine } from '../../../machines/external-resource/machine.ts';
import type { Observation, UpdateOutcome } from '../../../machines/external-resource/operations.ts';
import { stateOf } from '../../../machines/lifecycle.ts';
import type { ErrorData } from '../../../machines/object.ts';
import { observation, owned, secret, terminal, transient, view } from './fixtures.ts';

const test = suite('filling');

interface Cloud {
  readonly content: 'empty' | 'full';
  /** What delegating answers; undefined: it cannot be. */
  readonly delegated?: UpdateOutcome;
  readonly delegate?: () => Promise<UpdateOutcome>;
  readonly fill?: (parent: FillInput['parent'], signal: AbortSignal) => Promise<unknown>;
  readonly announce?: (step: AnnounceInput['step']) => Promise<void>;
}

function start(cloud: () => Cloud) {
  const clock = new SimulatedClock();
  const calls: string[] = [];
  const look = (id = 'id-1'): Observation =>
    observation(cloud().content === 'full' ? { id } : { id, available: false, pollAfterMs: 15_000 });
  const machine = externalResourceMachine.provide({
    actors: {
      observe: fromPromise<Observation | undefined, EffectInput>(async ({ input }) => look(input.externalId)),
      update: fromPromise<UpdateOutcome, EffectInput>(async () => {
        calls.push('update');
        return { changed: false, ...(cloud().content === 'empty' && { empty: true }) };
      }),
      announce: fromPromise<void, AnnounceInput>(async ({ input: { step } }) => {
        calls.push(step);
        await cloud().announce?.(step);
      }),
      delegate: fromPromise<UpdateOutcome | undefined, EffectInput>(async () => {
        calls.push('delegate');
        return cloud().delegate?.() ?? cloud().delegated;
      }),
      fill: fromPromise<unknown, FillInput>(async ({ input: { parent }, signal }) => {
        calls.push('fill');
        return cloud().fill?.(parent, signal);
      }),
      watch: fromPromise(() => {
        calls.push('watch');
        return new Promise<never>(() => undefined);
      }),
      resolveOwnership: fromPromise<OwnershipOutput, OwnershipInput>(() => new Promise(() => undefined)),
      endClaims: fromPromise(() => new Promise<void>(() => undefined)),
      remove: fromPromise<void, EffectInput>(async () => {
        calls.push('remove');
      }),
    },
  });
  const object = view({ ...owned, externalId: 'id-1' });
  const input = { key: 'key', object, dependencies: [secret], at: 0, inDoubtUntil: 0, isOwnershipDisputed: false };
  const actor = createActor(machine, { clock, input });
  actor.start();
  actor.send({ type: 'lifecycle.started' });
  return {
    actor,
    calls,
    clock,
    phase: () => stateOf(actor.getSnapshot()),
    standing: () => resourceStateOf(actor.getSnapshot()),
  };
}

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 60; turn++) await Promise.resolve();
};

test('an attempt is announced before anything of it is done (CONTENT-TRANSFER-1)', async () => {
  let content: Cloud['content'] = 'empty';
  const stored = Promise.withResolvers<void>();
  const { calls, phase } = start(() => ({
    content,
    announce: (step) => (step === 'attempted' ? stored.promise : Promise.resolve()),
    fill: async () => {
      content = 'full';
    },
  }));
  await settled();
  assert.equal([calls, phase()], [['update', 'begun', 'delegate', 'attempted'], 'transferringContent.attempting']);
  stored.resolve();
  await settled();
  assert.equal([calls.slice(4), phase()], [['fill', 'update'], 'idle.available']);
});

test('that the external system fetches it is announced again after a lost race', async () => {
  let races = 2;
  const conflict: ErrorData = { code: 'conflict', message: 'another write was faster' };
  const { calls, phase } = start(() => ({
    content: 'empty',
    delegated: { changed: false, waiting: ['it is fetched'], pollAfterMs: 15_000 },
    announce: async (step) => {
      if (step === 'delegated' && races-- > 0) throw conflict;
    },
  }));
  await settled();
  assert.equal(calls, ['update', 'begun', 'delegate', 'delegated', 'delegated', 'delegated', 'watch']);
  assert.is(phase(), 'reconciling.awaitingReady');
});

test('an announcement that lost a race is made again, and nothing is done before', async () => {
  let races = 2;
  const conflict: ErrorData = { code: 'conflict', message: 'somebody was faster' };
  const { calls, phase } = start(() => ({
    content: 'empty',
    announce: async (step) => {
      if (step === 'attempted' && races-- > 0) throw conflict;
    },
    fill: () => new Promise(() => undefined),
  }));
  await settled();
  assert.equal(calls, ['update', 'begun', 'delegate', 'attempted', 'attempted', 'attempted', 'fill']);
  assert.is(phase(), 'transferringContent.uploading');
});

const FAILURES: readonly (readonly [string, (fail: () => Promise<never>) => Partial<Cloud>])[] = [
  ['delegating', (fail) => ({ delegate: fail })],
  ...(['begun', 'delegated', 'attempted'] as const).map((failing): (typeof FAILURES)[number] => [
    `announcing '${failing}'`,
    (fail) => ({
      ...(failing === 'delegated' && { delegated: { changed: false, waiting: ['it is fetched'] } }),
      announce: (step) => (step === failing ? fail() : Promise.resolve()),
    }),
  ]),
];

test('whichever step before the content is refused, or fails, nothing is brought', async () => {
  for (const [step, failing] of FAILURES) {
    for (const [code, state] of [
      ['terminal', 'failed'],
      ['transient', 'backingOff'],
    ] as const) {
      const cloud = failing(() => Promise.reject({ code, message: 'no' } satisfies ErrorData));
      const { calls, phase } = start(() => ({ content: 'empty', ...cloud }));
      await settled();
      assert.equal([phase(), calls.includes('fill')], [state, false], step);
    }
  }
});

test('what the foreign system fetches itself is looked at later, and not brought', async () => {
  const delegated = { changed: false, waiting: ['it is fetched'], pollAfterMs: 15_000 };
  const { calls, phase, clock, standing } = start(() => ({ content: 'empty', delegated }));
  await settled();
  assert.equal([calls, phase()], [['update', 'begun', 'delegate', 'delegated', 'watch'], 'reconciling.awaitingReady']);
  assert.equal([standing().waiting, standing().filling], [['it is fetched'], undefined]);
  clock.increment(15_000);
  await settled();
  assert.is(calls.filter((call) => call === 'delegate').length, 2);
});

test('nothing is brought to what somebody else wrote down as the resource (CONTENT-TRANSFER-2, EXTERNAL-RESOURCE-8)', async () => {
  const { actor, calls, phase } = start(() => ({ content: 'empty', announce: () => new Promise(() => undefined) }));
  await settled();
  assert.is(phase(), 'transferringContent.announcing');
  const object = view({ ...owned, externalId: 'id-9' });
  actor.send({ type: 'object.changed', object, dependencies: [secret], at: 0 });
  await settled();
  assert.equal(calls, ['update', 'begun']);
  assert.is(phase(), 'building.resolvingOwnership');
});

test('the deletion ends what is brought (CONTENT-TRANSFER-2)', async () => {
  let isEnded = false;
  const { actor, calls, phase } = start(() => ({
    content: 'empty',
    fill: (_, signal) =>
      new Promise(() => {
        signal.addEventListener('abort', () => {
          isEnded = true;
        });
      }),
  }));
  await settled();
  assert.is(phase(), 'transferringContent.uploading');
  const object = view({ ...owned, externalId: 'id-1', deleting: true, generation: 2 });
  actor.send({ type: 'object.changed', object, dependencies: [secret], at: 0 });
  await settled();
  assert.ok(isEnded);
  assert.ok(phase().startsWith('deleting.'), phase());
  assert.ok(calls.includes('remove'));
});

test('how far it is, and why it did not come, is told until it is tried again', async () => {
  const failure = Promise.withResolvers<never>();
  let fills = 0;
  const { clock, phase, standing } = start(() => ({
    content: 'empty',
    fill: (parent) => {
      fills++;
      parent.send({ type: 'content.progressed', progress: { bytes: 7 } });
      return fills === 1 ? failure.promise : new Promise(() => undefined);
    },
  }));
  await settled();
  assert.equal(standing().filling, { progress: { bytes: 7 } });
  failure.reject(transient);
  await settled();
  assert.equal([phase(), standing().filling], ['backingOff', { error: transient }]);
  clock.increment(120_000);
  await settled();
  assert.equal([phase(), fills, standing().filling], ['transferringContent.uploading', 2, { progress: { bytes: 7 } }]);
});

test('pauses grow from one failed attempt to the next, and one that is refused is the last', async () => {
  const errors: ErrorData[] = [transient, transient, transient, terminal];
  const { actor, clock, phase, calls } = start(() => ({
    content: 'empty',
    fill: async () => {
      throw errors.shift();
    },
  }));
  for (let attempts = 1; attempts <= 3; attempts++) {
    await settled();
    assert.equal([phase(), actor.getSnapshot().context.attempts], ['backingOff', attempts]);
    clock.increment(120_000);
  }
  await settled();
  assert.is(phase(), 'failed');
  clock.increment(3_600_000);
  await settled();
  assert.is(calls.filter((call) => call === 'fill').length, 4);
});

test.run();
