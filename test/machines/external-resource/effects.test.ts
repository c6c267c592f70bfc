// What the effects of the chart do over the ports of the runtime.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type AnyActorLogic, createActor, toPromise } from 'xstate';
import type { EffectInput, RecordOutput } from '../../../machines/external-resource/context.ts';
import { withEffects } from '../../../machines/external-resource/effects.ts';
import type { LifePorts } from '../../../machines/life.ts';

const test = suite('effects of external resources');

/** Records `wanted` for an object whose status has `stored`, and after a refused write `later`. */
async function record(wanted: string, stored: string | undefined, later = stored) {
  const written: (string | null)[] = [];
  const ports = {
    object: () => ({ status: { id: written.length === 0 ? stored : later } }),
    recordId: async (_: string, id: string | null) => {
      written.push(id);
      if (later !== stored) throw { code: 'conflict', message: 'somebody was faster' };
    },
  } as unknown as LifePorts;
  const machine = withEffects(ports, { ambiguity: 'several' });
  const input: EffectInput = { key: 'key', externalId: wanted };
  const effect = createActor(machine.implementations.actors['record'] as AnyActorLogic, { input });
  const output = (await toPromise(effect.start())) as RecordOutput;
  return { written, output };
}

test('an id is never overwritten by another, seen before the write or by it (I4)', async () => {
  assert.equal(await record('mine', 'theirs'), { written: [], output: { kind: 'lost', externalId: 'theirs' } });
  const raced = await record('mine', undefined, 'theirs');
  assert.equal(raced, { written: ['mine'], output: { kind: 'lost', externalId: 'theirs' } });
});

test('an id that is stored already is not written again', async () => {
  assert.equal(await record('mine', 'mine'), { written: [], output: { kind: 'stored' } });
  assert.equal(await record('mine', undefined), { written: ['mine'], output: { kind: 'stored' } });
});

test.run();
