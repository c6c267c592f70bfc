// The string formats that the API server knows; a format it does not know is no rule.
import { isIP, isIPv4, isIPv6 } from 'node:net';
import { labelProblems, subdomainProblems } from '../objects/names.ts';

function isDateTime(value: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/.exec(value);
  if (match === null) return false;
  const [hour, minute, second] = [Number(match[4]), Number(match[5]), Number(match[6])];
  return isDate(value.slice(0, 10)) && hour < 24 && minute < 60 && second < 61;
}

function isDate(value: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(value)) return false;
  const [year, month, day] = value.split('-').map(Number) as [number, number, number];
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

function isCidr(value: string): boolean {
  const match = /^([^/]+)\/(\d{1,3})$/.exec(value);
  const [, address = '', prefix = ''] = match ?? [];
  if (prefix.length > 1 && prefix.startsWith('0')) return false;
  if (isIPv4(address)) return Number(prefix) <= 32;
  return isIPv6(address) && Number(prefix) <= 128;
}

function isUri(value: string): boolean {
  // An absolute URI or an absolute path, as a request line would take it.
  return value.startsWith('/') || /^[a-zA-Z][a-zA-Z0-9+.-]*:\S*$/.test(value);
}

const uuid =
  (version: string) =>
  (value: string): boolean =>
    new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}-?[0-9a-f]{4}-?[0-9a-f]{12}$`, 'i').test(value);

/** Go's `time.ParseDuration`, which needs a unit, and the words of the formats library (`2 days`). */
function isDuration(value: string): boolean {
  const go = /^[-+]?(\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))*$/;
  return (
    value === '0' || go.test(value) || /^\d+\s*(ns|us|ms|s|m|h|d|w|days?|hours?|minutes?|seconds?|weeks?)$/.test(value)
  );
}

const CHECKS: Readonly<Record<string, (value: string) => boolean>> = {
  'date-time': isDateTime,
  datetime: isDateTime,
  date: isDate,
  duration: isDuration,
  uuid: uuid('[0-9a-f]{4}'),
  uuid3: uuid('3[0-9a-f]{3}'),
  uuid4: (value) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i.test(value),
  uuid5: (value) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i.test(value),
  ipv4: (value) => isIPv4(value),
  ipv6: (value) => isIPv6(value),
  ip: (value) => isIP(value) !== 0,
  cidr: isCidr,
  mac: (value) => /^([0-9a-f]{2}[:-]){5}([0-9a-f]{2})$|^([0-9a-f]{4}\.){2}[0-9a-f]{4}$/i.test(value),
  uri: isUri,
  hostname: (value) => value.length <= 255 && /^([a-zA-Z0-9_]([a-zA-Z0-9_-]*[a-zA-Z0-9])?\.?)+$/.test(value),
  email: (value) => /^[^\s@]+@[^\s@]+$/.test(value),
  byte: (value) => value.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(value),
  'k8s-short-name': (value) => labelProblems(value).length === 0,
  'k8s-long-name': (value) => subdomainProblems(value).length === 0,
};

/** Whether a string has the format; always true for formats that are not checked. */
export function hasFormat(format: string, value: string): boolean {
  return CHECKS[format]?.(value) ?? true;
}

/** Whether the format says something about strings. */
export function isStringFormat(format: string): boolean {
  return Object.hasOwn(CHECKS, format) || format === 'password';
}
