// Steps from events of the trace: the state that an object entered, and the cause. Fields from others may be anything:
// texts are read as texts, and anything else as none.
import { addressKey, type Json, type ReceivedEvent } from '../../bus/mod.ts';
import { spanIdOf } from '../base/change-trace.ts';
import { QUARANTINED } from '../object/object-machines.ts';
import { toneOfTags } from './status-colors.ts';
import { StatusColor, type Step } from './wire.ts';

/** Types of events that report a state. */
export const TRANSITION = 'transition';
export const DELETED = 'deleted';
export const STATE_EVENTS = [TRANSITION, QUARANTINED, DELETED] as const;

/** A step, and what is not shown of it. */
export interface ToldStep extends Omit<Step, 'by'> {
  /** Uid of the incarnation. */
  readonly uid: string;
  /** Attempts that failed in a row by then, and when the first did; 0: none. */
  readonly attempts: number;
  readonly failingSince: number;
  /** 0: not tried again automatically, or not known. */
  readonly retryAt: number;
  /** Span of the step that let it continue; empty: none of another object. */
  readonly bySpan: string;
}

/** Undefined: the event reports no state. */
export function toldBy({ actor, type, data, at }: ReceivedEvent): ToldStep | undefined {
  const from = textOf(data['from']);
  const count = { attempts: numberOf(data['attempts']), failingSince: numberOf(data['failingSince']) };
  const retryAt = numberOf(data['retryAt']);
  const base = { key: addressKey(actor), uid: textOf(data['uid']), at, from, bySpan: '', ...count, retryAt };
  if (type === DELETED) return { ...base, to: '', cause: DELETED, tone: StatusColor.Deleting };
  if (type === QUARANTINED) {
    const failure = textOf(data['error']);
    return { ...base, to: QUARANTINED, cause: QUARANTINED, tone: StatusColor.Quarantined, failure };
  }
  if (type !== TRANSITION) return undefined;
  const { tags, links, to, cause } = data;
  const failure = textOf(data['failure']);
  return {
    ...base,
    to: textOf(to),
    cause: textOf(cause),
    tone: toneWhile(count.attempts, toneOfTags(Array.isArray(tags) ? tags : [])),
    bySpan: spanIdOf(Array.isArray(links) ? textOf(links[0]) : ''),
    ...(failure !== '' && { failure }),
  };
}

/** @param by  key of the object whose answer let it continue; undefined: none, or it is not known */
export function stepOf({ key, at, from, to, cause, tone, failure }: ToldStep, by: string | undefined): Step {
  return { key, at, from, to, cause, tone, ...(by !== undefined && { by }), ...(failure !== undefined && { failure }) };
}

/** While it is tried again the last attempt is still one that failed. */
function toneWhile(attempts: number, tone: StatusColor): StatusColor {
  return attempts > 0 && tone === StatusColor.Busy ? StatusColor.Failing : tone;
}

function numberOf(value: Json | undefined): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
