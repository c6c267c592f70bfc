// A story tells each thing once, by name.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ServedCall } from '../../adapters/simulated/openstack/mod.ts';
import type { JsonObject } from '../../bus/mod.ts';
import type { Raw } from '../world/watched-objects.ts';
import { linesOf } from './models/resources/cloud-log.ts';
import { story } from './story.ts';

const test = suite('chaos: stories');

const UID = '0af76519-16cd-43dd-8448-eb211c80319c';
const BEGAN = Date.parse('2026-01-01T00:00:00.000Z');
const time = (ms: number): string => new Date(BEGAN + ms).toISOString();

function change(ms: number, from: string, to: string, cause: string, more: JsonObject = {}): JsonObject {
  return { level: 30, time: time(ms), plural: 'ports', name: 'web-1', msg: 'state changed', from, to, cause, ...more };
}

function toldOf(log: readonly JsonObject[], calls: readonly Partial<ServedCall>[] = []): readonly string[] {
  const seen = {
    everSeen: () => ['Port/web-1'],
    history: () => [{ metadata: { uid: UID } }] as readonly unknown[] as readonly Raw[],
  };
  return story({
    beganAt: BEGAN,
    lines: [{ at: BEGAN, who: 'chaos', what: 'begins' }, ...linesOf(calls as readonly ServedCall[], seen)],
    logs: new Map([['one#1', log]]),
    kinds: [{ kind: 'Port', plural: 'ports' }],
  });
}

test('the steps of one object in one go are one line, in their order with what others do', () => {
  const log = [
    change(1_000, '', 'claiming', 'lifecycle.started'),
    change(1_500, 'claiming', 'building.creating', 'dependencies.changed'),
    change(1_600, 'building.creating', 'building.recording', 'xstate.done.actor.create'),
    change(1_650, 'building.recording', 'idle.available', 'xstate.done.actor.record'),
    change(3_000, 'idle.available', 'reconciling.updating', 'object.changed'),
    change(3_100, 'reconciling.updating', 'backingOff', 'xstate.error.actor.update', { error: 'the cloud is busy' }),
    change(3_200, 'backingOff', 'reconciling.updating', 'xstate.after.backoff.externalResource.lifecycle.backingOff'),
  ];
  // Of its third generation.
  const requestId = `req-00000003${UID.slice(8)}`;
  const call = { at: BEGAN + 1_590, method: 'POST', path: '/ports', status: 201, requestId };
  assert.equal(toldOf(log, [call]), [
    '   0.000 s  chaos  begins',
    '   1.000 s  one#1  Port/web-1: anew at claiming',
    '   1.500 s  one#1  Port/web-1: what it depends on changed: claiming -> building.creating -> building.recording -> idle.available',
    '   1.590 s  cloud  POST /ports 201 for Port/web-1',
    '   3.000 s  one#1  Port/web-1: its object changed: idle.available -> reconciling.updating',
    '   3.100 s  one#1  Port/web-1: update failed: the cloud is busy: reconciling.updating -> backingOff',
    '   3.200 s  one#1  Port/web-1: after its backoff: backingOff -> reconciling.updating',
  ]);
});

test('what many go through at once is one line', () => {
  const of = (ms: number, name: string): JsonObject => ({ ...change(ms, '', 'claiming', 'lifecycle.started'), name });
  assert.equal(
    toldOf([
      of(10, 'a'),
      of(20, 'b'),
      of(30, 'c'),
      of(900, 'd'),
      change(950, '', 'idle.available', 'lifecycle.started'),
    ]),
    [
      '   0.000 s  chaos  begins',
      '   0.010 s  one#1  Port/a, Port/b, Port/c: anew at claiming',
      '   0.900 s  one#1  Port/d: anew at claiming',
    ],
  );
});

test('what is said again and again is said once, and refusals are in words', () => {
  const waits = { level: 40, time: time(10), msg: 'mail waits', error: 'nats is away' };
  const id = '0a1b2c3d-0000-4000-8000-000000000000';
  const call = {
    at: BEGAN + 20,
    method: 'DELETE',
    path: `/ports/${id}`,
    status: 409,
    requestId: `req-${UID}`,
    answer: { NeutronError: { type: 'PortInUse', message: `Port ${id} is in use.`, detail: '' } },
  };
  assert.equal(toldOf([waits, waits, { ...waits, time: time(30) }], [call]), [
    '   0.000 s  chaos  begins',
    '   0.010 s  one#1  mail waits: nats is away (3 times)',
    '   0.020 s  cloud  DELETE /ports/0a1b2c3d 409 for Port/web-1: Port 0a1b2c3d is in use.',
  ]);
});

test.run();
