import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Agenda } from '../../../../adapters/simulated/ironic/agenda.ts';
import { handClock } from './open.ts';

const test = suite('agenda');

test('what is due is done in the order of its instants, each as of its own, with what follows from it', () => {
  const clock = handClock();
  const began = clock.now();
  const agenda = new Agenda(clock);
  const done: string[] = [];
  const note = (name: string) => (): void => {
    done.push(`${name} ${agenda.now() - began}`);
  };
  agenda.after(30, note('third'));
  agenda.after(10, () => {
    note('first')();
    agenda.after(5, note('follows'));
    agenda.after(100, note('later'));
  });
  agenda.after(30, note('fourth'));
  agenda.after(Number.POSITIVE_INFINITY, note('never'));
  const canceled = agenda.after(20, note('canceled'));
  agenda.cancel(canceled);
  clock.advance(50);
  agenda.proceed();
  assert.equal(done, ['first 10', 'follows 15', 'third 30', 'fourth 30']);
  assert.is(agenda.nextAt(), began + 110);
  assert.is(agenda.now(), began + 50);
});

test.run();
