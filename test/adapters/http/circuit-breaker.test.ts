// Who calls a cloud that does not answer, on a clock that is moved by hand.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CircuitBreaker, CircuitBreakers } from '../../../adapters/http/circuit-breaker.ts';
import { TransientError } from '../../../bus/errors.ts';
import { ManualClock } from '../kubernetes/manual-clock.ts';

const test = suite('outage of a cloud');

function dead() {
  const clock = new ManualClock();
  const outage = new CircuitBreaker(clock, 'the cloud');
  const begin = () => outage.begin(clock.now() + 10_000);
  const fail = (): void => begin().failed('connection refused');
  const refusal = (): TransientError | undefined => {
    try {
      outage.check();
      return undefined;
    } catch (error) {
      assert.instance(error, TransientError);
      return error as TransientError;
    }
  };
  return { clock, outage, begin, fail, refusal };
}

test('after five calls in a row without an answer nothing is sent, and it is said why (HTTP-CIRCUIT-BREAKER-1)', () => {
  const { begin, fail, refusal } = dead();
  for (let call = 0; call < 4; call++) fail();
  assert.is(refusal(), undefined);
  begin().answered();
  for (let call = 0; call < 4; call++) fail();
  assert.is(refusal(), undefined, 'an answer begins the count anew');
  fail();
  assert.is(refusal()?.message, 'the cloud does not answer: connection refused');
  assert.is(refusal()?.retryAfterMs, 1_000);
  assert.throws(begin);
});

test('three hundred who would call it cost one call a pause, and pauses grow to half a minute (HTTP-CIRCUIT-BREAKER-1)', () => {
  const { clock, begin, fail, refusal } = dead();
  for (let call = 0; call < 5; call++) fail();
  let sent = 0;
  const pauses: number[] = [];
  for (let second = 0; second < 120; second++) {
    clock.advance(1_000);
    for (let object = 0; object < 300; object++) {
      if (refusal() !== undefined) continue;
      sent++;
      const trial = begin();
      assert.ok(refusal() !== undefined, 'one at a time');
      trial.failed('connection refused');
      pauses.push(refusal()?.retryAfterMs ?? 0);
    }
  }
  assert.equal(pauses.slice(0, 6), [2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  assert.is(sent, pauses.length);
  assert.ok(sent <= 8);
});

test('one answer ends it (HTTP-CIRCUIT-BREAKER-2)', () => {
  const { clock, begin, fail, refusal } = dead();
  for (let call = 0; call < 5; call++) fail();
  clock.advance(1_000);
  begin().answered();
  assert.is(refusal(), undefined);
});

test('those that were under way already make it no worse', () => {
  const { clock, begin, refusal } = dead();
  const inFlight = Array.from({ length: 16 }, begin);
  for (const trial of inFlight) trial.failed('connection refused');
  assert.is(refusal()?.retryAfterMs, 1_000);
  clock.advance(1_000);
  assert.is(refusal(), undefined);
});

test('who had no time proves nothing (HTTP-CIRCUIT-BREAKER-3)', () => {
  const { clock, outage, refusal } = dead();
  for (let call = 0; call < 20; call++) {
    const trial = outage.begin(clock.now() + 100);
    clock.advance(100);
    trial.failed('not answered by its deadline');
  }
  assert.is(refusal(), undefined);
  for (let call = 0; call < 5; call++) {
    const trial = outage.begin(clock.now() + 5_000);
    clock.advance(5_000);
    trial.failed('not answered by its deadline');
  }
  assert.ok(refusal() !== undefined);
});

test('a service that asks to be left alone is called by nobody until then, and then by one (HTTP-CIRCUIT-BREAKER-4)', () => {
  const { clock, outage, begin, refusal } = dead();
  const until = '2026-01-01T00:05:00Z';
  clock.now = () => Date.parse(until) - 300_000;
  const [asked, inFlight] = [begin(), begin()];
  outage.rest(300_000, 'network');
  asked.answered();
  inFlight.answered();
  assert.is(refusal()?.message, `service 'network' returned 503 with Retry-After; pausing its requests until ${until}`);
  assert.is(refusal()?.retryAfterMs, 300_000);
  clock.now = () => Date.parse(until) - 1;
  assert.ok(refusal() !== undefined);
  clock.now = () => Date.parse(until);
  const probe = begin();
  assert.is(refusal()?.retryAfterMs, 1_000, 'one at a time');
  outage.rest(60_000, 'network');
  probe.answered();
  assert.is(refusal()?.retryAfterMs, 60_000, 'it is not back yet');
  clock.now = () => Date.parse(until) + 60_000;
  begin().failed('connection refused');
  assert.is(refusal()?.message, 'the cloud does not answer: connection refused');
  clock.now = () => Date.parse(until) + 120_000;
  begin().answered();
  assert.is(refusal(), undefined);
});

test('no service is left alone for longer than ten minutes, and none for less than it last asked', () => {
  const { outage, refusal } = dead();
  outage.rest(1_000_000_000, 'network');
  assert.is(refusal()?.retryAfterMs, 600_000);
  outage.rest(1_000, 'network');
  assert.is(refusal()?.retryAfterMs, 600_000);
});

test('one service is the same under the paths of all projects, and another one at the same host', () => {
  const outages = new CircuitBreakers(new ManualClock(), 'the cloud');
  const one = outages.of('volumev3', 'https://cloud:8776/v3/one');
  assert.is(outages.of('volumev3', 'https://cloud:8776/v3/other'), one);
  assert.is.not(outages.of('network', 'https://cloud:8776/v3/one'), one);
  assert.is.not(outages.of('volumev3', 'https://elsewhere:8776/v3/one'), one);
});

test.run();
