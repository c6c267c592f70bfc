// Tables that fit the terminal, and texts that stay in sight however much is logged.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { reminderOn } from '../../../actors/cli/reminder.ts';
import { table } from '../../../actors/cli/terminal-text.ts';
import { nearest } from '../../../adapters/text/nearest.ts';
import { simulatedClock } from '../../world/clock.ts';
import { written } from '../../world/written.ts';

const test = suite('terminal text');

test('35.B: a table is no wider than the terminal: the widest columns are cut, and nothing is where it fits', () => {
  const head = ['KIND/NAME', 'STATE', 'ID'];
  const rows = [
    ['RoleAssignment/warehouse-deployer-of-operations', 'available', '0af76519-16cd-43dd-8448-eb211c80319c'],
  ];
  const lines = table(head, rows, undefined, 60).trimEnd().split('\n');
  for (const line of lines) assert.ok(line.length <= 60, line);
  assert.match(lines[1] ?? '', /^RoleAssignment\/\S+… +available +0af76519-\S+…$/);
  assert.is(table(head, rows, undefined, 200), table(head, rows));
  assert.ok(table(head, rows, undefined, 1).split('\n')[1]?.includes('available'), 'what is short stays whole');
});

test('35.B: addresses are written again a moment after many lines, and not after few', async () => {
  const clock = simulatedClock();
  let text = '';
  const reminder = reminderOn(
    written((more) => {
      text += more;
    }),
    clock,
  );
  const count = (): number => text.split('addresses\n').length - 1;
  reminder.log.write('starting\n'.repeat(100));
  await clock.sleep(10_000);
  assert.is(count(), 0);
  reminder.show('addresses\n');
  assert.is(count(), 1);
  reminder.log.write('line\n'.repeat(29));
  await clock.sleep(10_000);
  assert.is(count(), 1);
  reminder.log.write('line\nline\n');
  assert.is(count(), 1, 'what is logged together comes first');
  await clock.sleep(10_000);
  assert.is(count(), 2);
  reminder.log.write('line\n'.repeat(40));
  reminder.close();
  await clock.sleep(10_000);
  assert.is(count(), 2);
});

test('35.B: a third of the letters of the longer word may differ, so that short words have a nearest, too', () => {
  assert.is(nearest('wy', ['get', 'why', 'tree']), 'why');
  assert.is(nearest('gt', ['get', 'why', 'tree']), 'get');
  assert.is(nearest('xi', ['ui', 'get']), undefined);
  assert.is(nearest('conjure', ['convert', 'completion']), undefined);
});

test.run();
