// Timestamps and durations as values of CEL, exact to the nanosecond.
import { int64 } from './numbers.ts';

const SECOND = 1_000_000_000n;

/** Units of durations, in nanoseconds. */
const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: SECOND,
  m: 60n * SECOND,
  h: 3_600n * SECOND,
};

const order = (one: bigint, other: bigint): bigint => (one < other ? -1n : one > other ? 1n : 0n);

/** Quotient, rounded toward negative infinity. */
const floored = (value: bigint, divisor: bigint): bigint =>
  (value - (((value % divisor) + divisor) % divisor)) / divisor;

/** Fraction of a second with its point; empty for whole seconds. */
const fractionText = (nanoseconds: bigint): string =>
  nanoseconds === 0n ? '' : `.${String(nanoseconds).padStart(9, '0').replace(/0+$/, '')}`;

export class Duration {
  readonly nanoseconds: bigint;
  /** @throws {Error} a duration of more than 64 bits */
  constructor(nanoseconds: bigint) {
    this.nanoseconds = int64(nanoseconds);
  }
  /** Number of whole units, rounded toward zero. */
  in(unit: 'h' | 'm' | 's' | 'ms'): bigint {
    return this.nanoseconds / (UNITS[unit] ?? 1n);
  }
  compareTo({ nanoseconds }: Duration): bigint {
    return order(this.nanoseconds, nanoseconds);
  }
  toString(): string {
    const size = this.nanoseconds < 0n ? -this.nanoseconds : this.nanoseconds;
    return `${this.nanoseconds < 0n ? '-' : ''}${size / SECOND}${fractionText(size % SECOND)}s`;
  }
}

/** First and last second of a timestamp, since the epoch: years 1 to 9999. */
const [FIRST_SECOND, LAST_SECOND] = [-62_135_596_800n, 253_402_300_799n];

export class Timestamp {
  /** Time since the epoch. */
  readonly nanoseconds: bigint;
  /** Offset of the time zone in which the timestamp is written, in minutes. */
  readonly offsetMinutes: number;
  /** @throws {Error} the year is not between 1 and 9999 */
  constructor(nanoseconds: bigint, offsetMinutes = 0) {
    this.nanoseconds = nanoseconds;
    this.offsetMinutes = offsetMinutes;
    if (this.seconds < FIRST_SECOND || this.seconds > LAST_SECOND) throw new Error('timestamp overflow');
  }
  /** Whole seconds since the epoch, rounded down. */
  get seconds(): bigint {
    return floored(this.nanoseconds, SECOND);
  }
  plus(nanoseconds: bigint): Timestamp {
    return new Timestamp(this.nanoseconds + nanoseconds, this.offsetMinutes);
  }
  compareTo({ nanoseconds }: Timestamp): bigint {
    return order(this.nanoseconds, nanoseconds);
  }
  toString(): string {
    const local = new Date(Number(this.seconds) * 1000 + this.offsetMinutes * 60_000);
    const text = local.toISOString().slice(0, -5) + fractionText(this.nanoseconds - this.seconds * SECOND);
    const [minutes, sign] = [Math.abs(this.offsetMinutes), this.offsetMinutes < 0 ? '-' : '+'];
    const pad = (part: number): string => String(part).padStart(2, '0');
    return minutes === 0 ? `${text}Z` : `${text}${sign}${pad(Math.trunc(minutes / 60))}:${pad(minutes % 60)}`;
  }
  /** Date whose UTC fields are the calendar date and time of day in a time zone. */
  in(zone: string): Date {
    const time = Number(floored(this.nanoseconds, 1_000_000n));
    return new Date(time + offsetMinutes(time, zone) * 60_000);
  }
}

/** Offset of a time zone, in minutes. */
function offsetMinutes(time: number, zone: string): number {
  const minutes = minutesOf(/^([+-]?)(\d+):(\d+)$/.exec(zone));
  if (minutes !== undefined) return minutes;
  try {
    const timeZone = zone === '' || zone === 'Local' ? 'UTC' : zone;
    const text = new Date(time).toLocaleString('en-US', { timeZone, timeZoneName: 'longOffset' });
    return minutesOf(/([+-])(\d\d):(\d\d)$/.exec(text)) ?? 0;
  } catch (cause) {
    throw new Error(`unknown time zone ${zone}`, { cause });
  }
}

function minutesOf(offset: RegExpExecArray | null): number | undefined {
  if (offset === null) return undefined;
  const minutes = Number(offset[2]) * 60 + Number(offset[3]);
  return offset[1] === '-' ? -minutes : minutes;
}

/** Duration in the form of Go, such as `1h30m`; undefined if the text is none, or more than 64 bits. */
export function parseDuration(text: string): Duration | undefined {
  if (!/^[-+]?(0|((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)$/.test(text)) return undefined;
  let total = 0n;
  for (const [, whole = '', fraction = '', unit = ''] of text.matchAll(/(\d*)\.?(\d*)([a-zµμ]+)/g)) {
    total += (BigInt(whole + fraction) * (UNITS[unit] ?? 0n)) / 10n ** BigInt(fraction.length);
  }
  const signed = text.startsWith('-') ? -total : total;
  return BigInt.asIntN(64, signed) === signed ? new Duration(signed) : undefined;
}

/** Timestamp in the form of RFC 3339, with what Go forgives; undefined if the text is none. */
export function parseTimestamp(text: string): Timestamp | undefined {
  const match = /^(\d{4}-\d\d-\d\d)T(\d\d?):(\d\d):(\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))$/.exec(text);
  const [, date = '', hour, minute, second, fraction = '', sign, ...offset] = match ?? [];
  const day = new Date(`${date}T00:00:00Z`);
  if (match === null || Number.isNaN(day.getTime()) || !day.toISOString().startsWith(date)) return undefined;
  const [hours, minutes, seconds, zoneHours, zoneMinutes] = [hour, minute, second, ...offset].map((part = '0') =>
    Number(part),
  ) as [number, number, number, number, number];
  if (hours > 23 || minutes > 59 || seconds > 59 || zoneHours > 24 || zoneMinutes > 60) return undefined;
  const zone = (sign === '-' ? -1 : 1) * (zoneHours * 60 + zoneMinutes);
  const total = BigInt(day.getTime() / 1000 + (hours * 60 + minutes - zone) * 60 + seconds);
  return timestampAt(total, BigInt(fraction.slice(0, 9).padEnd(9, '0')), zone);
}

/** Timestamp of a number of seconds since the epoch; undefined if the year is not between 1 and 9999. */
export function timestampAt(seconds: bigint, nanoseconds = 0n, offset = 0): Timestamp | undefined {
  if (seconds < FIRST_SECOND || seconds > LAST_SECOND) return undefined;
  return new Timestamp(seconds * SECOND + nanoseconds, offset);
}
