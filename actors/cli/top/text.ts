// The figures of `troupe top` for people. Pure.
import { duration } from '../../diagnosis/findings.ts';
import { State } from '../demo/history.ts';
import { table } from '../terminal-text.ts';
import type { CallFigures, Figures, KindFigures } from './figures.ts';

/** @param place  of the bus */
export function topText({ windowMs, objects, calls, events, leases }: Figures, place: string): string {
  const parts = [
    `last ${duration(windowMs)}, ${place}\n`,
    objects.length === 0 ? 'no object changed its state\n' : table(['CHANGED', 'OBJECTS', 'NOW'], objects.map(kindRow)),
    calls.length === 0
      ? 'nothing was called\n'
      : table(['SERVICE', 'CALLS', 'A MINUTE', 'ERRORS', 'MEDIAN', 'P95'], calls.map(callRow)),
    events.count === 0
      ? 'no events\n'
      : `${events.count} events, ${events.perMinute} a minute; kept or heard after ${milliseconds(events.lagMedianMs)}, 95 of 100 within ${milliseconds(events.lagP95Ms)}\n`,
    leases.length === 0
      ? 'no process holds a lease\n'
      : table(
          ['HOLDER', 'SHARDS', 'OTHER LEASES'],
          leases.map(({ holder, shards, others }) => [holder, `${shards}`, others.join(', ')]),
        ),
  ];
  return parts.join('\n');
}

function kindRow({ kind, states }: KindFigures): readonly string[] {
  const counted = Object.values(State).flatMap((state) => {
    const count = states[state] ?? 0;
    return count === 0 ? [] : [{ state, count }];
  });
  const total = counted.reduce((sum, { count }) => sum + count, 0);
  return [kind, `${total}`, counted.map(({ state, count }) => `${count} ${state}`).join(', ')];
}

function callRow({ service, calls, perMinute, errors, medianMs, p95Ms }: CallFigures): readonly string[] {
  return [service, `${calls}`, `${perMinute}`, `${errors}`, milliseconds(medianMs), milliseconds(p95Ms)];
}

function milliseconds(ms: number): string {
  return `${ms} ms`;
}
