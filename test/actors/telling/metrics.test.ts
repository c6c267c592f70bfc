// What is counted of the trace.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/clock.ts';
import { metrics } from '../../../actors/telling/metrics.ts';
import type { Trace } from '../../../bus/mod.ts';

const test = suite('metrics');

test('failures are counted by kind and by what is in the way', async () => {
  const counted = metrics({ clock: systemClock() });
  const nowhere = { emit: () => undefined } as unknown as Trace;
  const trace = counted.traced(nowhere);
  const actor = { realm: 'openstack', plural: 'networks', namespace: 'ns', name: 'net' };
  const emit = (data: Parameters<Trace['emit']>[0]['data']): void =>
    trace.emit({ actor, type: 'transition', traceparent: '', ...(data && { data }) });
  emit({ to: 'backingOff', failure: 'credentials' });
  emit({ to: 'backingOff', failure: 'credentials' });
  emit({ to: 'claiming.awaiting' });
  const { body } = await counted.text();
  const lines = body.split('\n').filter((line) => line.startsWith('troupe_failures_total'));
  assert.equal(lines, ['troupe_failures_total{realm="openstack",plural="networks",reason="credentials"} 2']);
});

test('what users are told is counted by kind and reason', async () => {
  const counted = metrics({ clock: systemClock() });
  counted.onNews('Network', 'Drifted');
  counted.onNews('Network', 'Drifted');
  const { body } = await counted.text();
  const lines = body.split('\n').filter((line) => line.startsWith('troupe_news_total'));
  assert.equal(lines, ['troupe_news_total{kind="Network",reason="Drifted"} 2']);
});

test.run();
