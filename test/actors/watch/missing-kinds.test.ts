// Which of the kinds that the API server does not know are told of, how, and when.
import pino from 'pino';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MissingKinds } from '../../../actors/watch/missing-kinds.ts';
import type { Resource } from '../../../adapters/kubernetes/mod.ts';
import { ManualClock } from '../../adapters/kubernetes/manual-clock.ts';

const test = suite('missing kinds');

const kind = (realm: string, plural: string): Resource => ({
  realm,
  plural,
  group: `${realm}.example.org`,
  version: 'v1',
  kind: plural,
});
const [A, B, C, X] = [kind('abc', 'as'), kind('abc', 'bs'), kind('abc', 'cs'), kind('xyz', 'xs')] as const;
const FOLLOWED = kind('other', 'others');
const ABSENT = "info the kinds of 'abc' are not installed here";
const COMING = "info the kinds of 'abc' are being installed here";
const missed = (plural: string): string =>
  `warn the API server does not know '${plural}.abc.example.org': apply its CustomResourceDefinition (troupe crds --apply)`;
const NONE = 'warn the API server knows none of the kinds: apply their CustomResourceDefinitions (troupe crds --apply)';

function reported(kinds: readonly Resource[] = [A, B, C, X]) {
  const clock = new ManualClock();
  const said: string[] = [];
  const write = (line: string): void => {
    const { level, msg } = JSON.parse(line) as { readonly level: number; readonly msg: string };
    said.push(`${level === 30 ? 'info' : 'warn'} ${msg}`);
  };
  const missing = new MissingKinds({
    kinds,
    clock,
    log: pino({}, { write }),
    onAbsent: (realm) => said.push(`absent ${realm}`),
    onMissed: ({ plural }) => said.push(`missed ${plural}`),
  });
  return { clock, missing, said: () => said.splice(0) };
}

test('an adapter of which no kind is there is told once, when the last of them was looked for (MISSING-KINDS-1)', () => {
  const { missing, said } = reported();
  missing.missing(A);
  missing.missing(B);
  assert.equal(said(), []);
  missing.missing(C);
  assert.equal(said(), [ABSENT, 'absent abc']);
  // In a second namespace.
  for (const each of [A, B, C]) missing.missing(each);
  assert.equal(said(), []);
});

test('a kind is told of as soon as another of its adapter is there, whichever is heard of first (MISSING-KINDS-2)', () => {
  const { missing, said } = reported();
  missing.missing(A);
  assert.is(missing.there(B), false);
  assert.equal(said(), [missed('as'), 'missed as']);
  missing.missing(C);
  missing.missing(C);
  assert.equal(said(), [missed('cs'), 'missed cs']);
  assert.is(missing.there(C), true);
  assert.is(missing.there(C), false);
  missing.missing(C);
  assert.equal(said(), [missed('cs'), 'missed cs']);
});

test('while the kinds of an adapter come, those that are still to come have their time', () => {
  const { clock, missing, said } = reported();
  for (const each of [A, B, C]) missing.missing(each);
  said();
  assert.is(missing.there(A), false);
  assert.equal(said(), [COMING]);
  clock.advance(44_000);
  assert.is(missing.there(B), false);
  assert.equal(said(), []);
  clock.advance(1_000);
  assert.equal(said(), [missed('cs'), 'missed cs']);
  assert.is(missing.there(C), true);
  clock.advance(60_000);
  assert.equal(said(), []);
});

test('kinds that all go again are told once more, and nothing of what was waited for', () => {
  const { clock, missing, said } = reported();
  for (const each of [A, B, C]) missing.missing(each);
  missing.there(A);
  said();
  missing.missing(A);
  assert.equal(said(), [ABSENT, 'absent abc']);
  assert.is(clock.armed, 0);
});

test('where no kind of any adapter is there, somebody has to do something', () => {
  const { missing, said } = reported();
  for (const each of [A, B, C]) missing.missing(each);
  said();
  missing.missing(X);
  assert.equal(said(), ["info the kinds of 'xyz' are not installed here", 'absent xyz', NONE]);
});

test('what has no life here is none of it, and nothing is left behind', () => {
  const { clock, missing, said } = reported();
  missing.missing(FOLLOWED);
  assert.is(missing.there(FOLLOWED), false);
  for (const each of [A, B, C]) missing.missing(each);
  missing.there(A);
  assert.is(clock.armed, 1);
  missing.close();
  assert.is(clock.armed, 0);
  assert.equal(said(), [ABSENT, 'absent abc', COMING]);
});

test.run();
