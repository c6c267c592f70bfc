import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AnswerMessage } from '../../../actors/mailbox/messages.ts';
import { Answers } from '../../../actors/object/answers.ts';

const test = suite('answers');
const ready: AnswerMessage = { to: 'uid-1', generation: 3, uid: 'uid-network', readiness: 'ready', externalId: 'id-n' };

test('an answer counts for the incarnation that it was given to, and for no other (P2)', () => {
  const answers = new Answers();
  answers.take('network', ready);
  assert.is(answers.of('network', 'uid-1', 3)?.readiness, 'ready');
  assert.is(answers.of('network', 'uid-2', 3), undefined);
  assert.is(answers.of('subnet', 'uid-1', 3), undefined);
});

test('an answer to an older claim counts no more', () => {
  const answers = new Answers();
  answers.take('network', ready);
  assert.is(answers.of('network', 'uid-1', 4), undefined);
});

test.run();
