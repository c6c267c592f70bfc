// Conditions brought up to date, and when there is nothing new to write.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Condition, conditionOf, timeOf, withConditions } from '../../../../adapters/ironic/host/condition.ts';
import { isSameStatus } from '../../../../adapters/ironic/host/last-updated.ts';

const test = suite('condition');

const NOW = Date.parse('2026-01-02T03:04:05.999Z');
const BEFORE = '2026-01-01T00:00:00Z';

const stored: Condition = {
  type: 'Valid',
  status: 'True',
  reason: 'Old',
  message: 'm',
  lastTransitionTime: BEFORE,
  observedGeneration: 1,
};
const options = { stored: [stored], generation: 2, now: NOW };

test('a new condition begins now, in whole seconds', () => {
  const [made] = withConditions([{ type: 'Valid', status: 'False', reason: 'R' }], { ...options, stored: undefined });
  assert.equal(made, {
    type: 'Valid',
    status: 'False',
    reason: 'R',
    message: '',
    lastTransitionTime: '2026-01-02T03:04:05Z',
    observedGeneration: 2,
  });
  assert.is(timeOf(0), '1970-01-01T00:00:00Z');
});

test('reason, message and generation follow without another time', () => {
  const [same] = withConditions([{ type: 'Valid', status: 'True', reason: 'New' }], options);
  assert.equal(same, { ...stored, reason: 'New', message: '', observedGeneration: 2 });
  const [other] = withConditions([{ type: 'Valid', status: 'Unknown', reason: 'Old', message: 'm' }], options);
  assert.is(other?.lastTransitionTime, '2026-01-02T03:04:05Z');
});

test('those judged stay in their place, others are kept, new ones come last', () => {
  const foreign = { ...stored, type: 'Foreign' };
  const types = withConditions(
    [
      { type: 'New', status: 'True', reason: 'R' },
      { type: 'Valid', status: 'True', reason: 'R' },
    ],
    { ...options, stored: [stored, foreign] },
  );
  assert.equal(
    types.map(({ type }) => type),
    ['Valid', 'Foreign', 'New'],
  );
  assert.is(types[1], foreign);
});

test('without a generation none is observed; a long message is cut', () => {
  const [made] = withConditions([{ type: 'Valid', status: 'True', reason: 'R', message: 'x'.repeat(40_000) }], {
    ...options,
    stored: null,
    generation: undefined,
  });
  assert.not('observedGeneration' in (made ?? {}));
  assert.is(made?.message.length, 32_768);
});

test('no conditions, no condition', () => {
  for (const none of [null, undefined, []]) assert.is(conditionOf(none, 'Valid'), undefined);
});

test('the same status at another time', () => {
  const status = { a: [1], lastUpdated: 'x' };
  assert.ok(isSameStatus({ lastUpdated: 'y', a: [1] } as object, status));
  assert.ok(isSameStatus({ a: [1] } as object, status));
  assert.not(isSameStatus({ a: [2], lastUpdated: 'x' } as object, status));
  for (const none of [null, undefined]) assert.not(isSameStatus(none, {}));
});

test.run();
