import pino from 'pino';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../actors/clock.ts';
import { StatusWriter } from '../../actors/status-writer.ts';
import type { JsonObject, KubeObject, LifeView, ManagedKind } from '../../machines/kind.ts';

const test = suite('status writer');

/** A writer of phases; the API server takes a while for each write. */
function start() {
  const clock = systemClock();
  const written: JsonObject[] = [];
  let status: JsonObject = {};
  const object = (): KubeObject => ({
    apiVersion: 'example.org/v1',
    kind: 'Thing',
    metadata: { name: 'a', namespace: 'ns', uid: 'uid', resourceVersion: '1', generation: 1 },
    status,
  });
  const writer = new StatusWriter({
    kind: { status: ({ phase, waiting }: LifeView) => ({ phase, waiting: [...waiting] }) } as unknown as ManagedKind,
    clock,
    object,
    async write(next) {
      await clock.sleep(5);
      written.push(next);
      status = next;
    },
    log: pino({ level: 'silent' }),
    random: () => 0.5,
  });
  const enter = (phase: string, waiting: readonly string[] = []): void => {
    writer.enter();
    writer.consider({ phase, waiting, awaited: [], heldBy: [] } as unknown as LifeView, object());
  };
  return { clock, written, enter };
}

test('what a write under way is saying already is not written again (I8)', async () => {
  const { clock, written, enter } = start();
  enter('settling', ['Waiting']);
  enter('settling', ['Waiting']);
  await clock.sleep(30);
  assert.is(written.length, 1);
});

test('the newest state is written after the one that is under way', async () => {
  const { clock, written, enter } = start();
  enter('settling', ['Waiting']);
  enter('settling', ['Waiting for another']);
  enter('available');
  await clock.sleep(30);
  assert.equal(
    written.map(({ phase }) => phase),
    ['settling', 'available'],
  );
});

test.run();
