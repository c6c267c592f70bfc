// Who may enter when, on a clock that is moved by hand.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Gate } from '../../../adapters/openstack/gate.ts';
import { TransientError } from '../../../bus/errors.ts';
import { ManualClock } from '../kubernetes/manual-clock.ts';

const test = suite('gate');

function gateWith(slots: number) {
  const clock = new ManualClock();
  const gate = new Gate({ clock, slots });
  const entered: string[] = [];
  /** Enters as soon as it may. */
  const come = (name: string, { withinMs = 60_000, turn = 'last' as 'first' | 'last' } = {}): Promise<void> =>
    gate.enter(clock.now() + withinMs, turn).then(
      () => void entered.push(name),
      (error: unknown) => {
        assert.instance(error, TransientError);
        entered.push(`${name} gave up`);
      },
    );
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return { clock, gate, entered, come, settle };
}

test('no more enter than there are slots, and the others in their order (G1, G2)', async () => {
  const { gate, entered, come, settle } = gateWith(2);
  for (const name of ['a', 'b', 'c', 'd']) void come(name);
  await settle();
  assert.equal(entered, ['a', 'b']);
  gate.leave();
  await settle();
  assert.equal(entered, ['a', 'b', 'c']);
});

test('an authentication goes before those who wait (G2)', async () => {
  const { gate, entered, come, settle } = gateWith(1);
  for (const name of ['a', 'b']) void come(name);
  void come('token', { turn: 'first' });
  gate.leave();
  gate.leave();
  await settle();
  assert.equal(entered, ['a', 'token', 'b']);
});

test('nobody enters a paused gate; who cannot wait so long is told at once (G3)', async () => {
  const { clock, gate, entered, come, settle } = gateWith(1);
  gate.pause(1_000);
  void come('patient');
  void come('hasty', { withinMs: 1_000 });
  await settle();
  assert.equal(entered, ['hasty gave up']);
  clock.advance(999);
  await settle();
  assert.is(entered.length, 1);
  clock.advance(1);
  await settle();
  assert.equal(entered, ['hasty gave up', 'patient']);
});

test('a shorter pause ends no longer one (G3)', async () => {
  const { clock, gate, entered, come, settle } = gateWith(1);
  gate.pause(5_000);
  gate.pause(1_000);
  void come('a');
  clock.advance(4_999);
  await settle();
  assert.equal(entered, []);
  clock.advance(1);
  await settle();
  assert.equal(entered, ['a']);
});

test('who gave up holds no slot and keeps nobody from one (G1)', async () => {
  const { clock, gate, entered, come, settle } = gateWith(1);
  void come('a');
  void come('late', { withinMs: 1_000 });
  void come('b');
  clock.advance(1_000);
  gate.leave();
  await settle();
  assert.equal(entered, ['a', 'late gave up', 'b']);
  gate.leave();
  void come('c');
  await settle();
  assert.is(entered.at(-1), 'c');
});

test('who comes while others wait does not overtake them, even when a slot is free (G2)', async () => {
  const { clock, gate, entered, come, settle } = gateWith(1);
  gate.pause(1_000);
  void come('waits');
  // The clock is there before the timer is: the gate is open, and not yet told so.
  clock.now = () => Date.UTC(2031, 0, 1);
  void come('comes');
  await settle();
  assert.equal(entered, []);
  gate.leave();
  await settle();
  assert.equal(entered.slice(0, 1), ['waits']);
});

test.run();
