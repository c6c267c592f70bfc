// The string formats that the API server knows, each as lenient as there; a format it does not know is no rule. Each check takes
// time in proportion to the length of the text, since any client may send one.
import { isIPv4, isIPv6 } from 'node:net';
import { labelProblems, subdomainProblems } from './names.ts';

/** An address without the leading zeros of its parts, however many: the API server reads those of IPv4 as decimal. */
function withoutLeadingZeros(address: string): string {
  return address.replace(/(^|[.:])0+(?=[\da-f])/gi, '$1');
}

function isAddress(value: string): boolean {
  return isIPv4(value) || (isIPv6(value) && !value.includes('%'));
}

function isCidr(value: string): boolean {
  const match = /^([^/]+)\/(\d+)$/.exec(value);
  const address = withoutLeadingZeros(match?.[1] ?? '');
  return isAddress(address) && Number(match?.[2]) <= (isIPv4(address) ? 32 : 128);
}

function isDate(value: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(value)) return false;
  const [year, month, day] = value.split('-').map(Number) as [number, number, number];
  const date = new Date(Date.UTC(2000, month - 1, 1));
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

function isDateTime(value: string): boolean {
  const [date = '', time = ''] = value.toLowerCase().split('t');
  const match = /^(\d{2}):(\d{2}):(\d{2})(.\d+)?(z|[+-]\d{2}:\d{2})$/.exec(time);
  if (match === null || !isDate(date)) return false;
  const [, hour = '', minute = '', second = ''] = match;
  return hour <= '23' && minute <= '59' && second <= '59';
}

/** A scheme, or an absolute path; percent signs begin escapes, and nothing is a control character. */
function isRequestUri(value: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused
  if (value === '' || /[\x00-\x1f\x7f]/.test(value)) return false;
  if (value === '*') return true;
  const [, scheme, rest = value] = /^([a-zA-Z][a-zA-Z0-9+.-]*):(.*)$/s.exec(value) ?? [];
  if (scheme === undefined && !value.startsWith('/')) return false;
  if (!rest.startsWith('/')) return true;
  const [path = ''] = rest.split('?');
  const [, authority, target = path] = /^\/\/([^/]*)(.*)$/s.exec(path) ?? [];
  if (/%(?![0-9a-fA-F]{2})/.test(target)) return false;
  return scheme === undefined || authority === undefined || isAuthority(authority);
}

function isAuthority(authority: string): boolean {
  const [, user, host = ''] = /^(?:(.*)@)?([^@]*)$/s.exec(authority) ?? [];
  if (user !== undefined && !/^([A-Za-z0-9\-._:~!$&'()*+,;=%@])*$/.test(user)) return false;
  if (host.startsWith('[')) return /^\[[^\]]*\](:\d*)?$/.test(host);
  if (/:/.test(host) && !/^[^:]*(:\d*)?$/.test(host)) return false;
  return !/[ "<>\\^`{|}]/.test(host) && !/%(?!25|[89a-fA-F][0-9a-fA-F])/.test(host);
}

const UNITS = /^(ns|nano.*|us|µs|micro.*|ms|milli.*|s|sec.*|m|min.*|h|hr|hour.*|d|day.*|w|wk|week.*)$/i;

/** A sequence of numbers with units as Go writes durations, or a text with a number and the name of a unit in it. */
function isDuration(value: string): boolean {
  if (/^[-+]?(0|((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)$/.test(value)) return true;
  return [...value.matchAll(/(?<!\d)\d+[ \t\n\r\f]*([A-Za-zµ]+)/g)].some(([, unit = '']) => UNITS.test(unit));
}

function isHostname(value: string): boolean {
  if (Buffer.byteLength(value) > 255 || value.split('.').some((label) => Buffer.byteLength(label) > 63)) return false;
  return /^([a-zA-Z0-9\p{S}\p{L}](-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)\.)+([a-zA-Z\p{L}]){2,63})$/u.test(
    value,
  );
}

/** An address alone, or behind a name in angle brackets. */
function isEmail(value: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused
  if (/[\x00-\x08\x0a-\x1f\x7f]/.test(value)) return false;
  const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\-\\u{80}-\\u{10ffff}]+";
  const address = `(?:${atom}(?:\\.${atom})*|"(?:[^"\\\\]|\\\\.)*")@(?:${atom}(?:\\.${atom})*|\\[[^\\]]*\\])`;
  return new RegExp(`^(?:${address}|(?:(?:[A-Za-z0-9\\u{80}-\\u{10ffff} .'_-]|"[^"]*")*)<${address}>)$`, 'u').test(
    value.trim(),
  );
}

const uuid =
  (third: string, fourth: string) =>
  (value: string): boolean =>
    new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${third}-?${fourth}-?[0-9a-f]{12}$`, 'i').test(value);

const digitsOf = (value: string): number[] => [...value].map((digit) => (digit === 'X' ? 10 : Number(digit)));

function isIsbn10(value: string): boolean {
  const plain = value.replaceAll(/[\s-]+/g, '');
  if (!/^(\d{9}X|\d{10})$/.test(plain)) return false;
  return digitsOf(plain).reduce((total, digit, index) => total + (index + 1) * digit, 0) % 11 === 0;
}

function isIsbn13(value: string): boolean {
  const plain = value.replaceAll(/[\s-]+/g, '');
  if (!/^\d{13}$/.test(plain)) return false;
  return digitsOf(plain).reduce((total, digit, index) => total + (index % 2 === 0 ? digit : 3 * digit), 0) % 10 === 0;
}

function isCreditCard(value: string): boolean {
  const plain = value.replaceAll(/\D+/g, '');
  const known =
    /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/;
  if (!known.test(plain)) return false;
  const sum = digitsOf(plain)
    .reverse()
    .map((digit, index) => (index % 2 === 0 ? digit : digit * 2 > 9 ? digit * 2 - 9 : digit * 2))
    .reduce((total, digit) => total + digit, 0);
  return sum % 10 === 0;
}

const HEX = '[0-9a-f]';
const BYTE = '(?:25[0-5]|2[0-4]\\d|1\\d\\d?|[1-9]\\d?|0)';

/** Checks by name without dashes, which do not count. */
const CHECKS: Readonly<Record<string, (value: string) => boolean>> = {
  bsonobjectid: (value) => /^[0-9a-f]{24}$/i.test(value),
  byte: (value) => value !== '' && value.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(value),
  cidr: isCidr,
  creditcard: isCreditCard,
  date: isDate,
  datetime: isDateTime,
  duration: isDuration,
  email: isEmail,
  hexcolor: (value) => /^#?([0-9a-f]{3}|[0-9a-f]{6})$/i.test(value),
  hostname: isHostname,
  ipv4: (value) => value.includes('.') && isAddress(withoutLeadingZeros(value)),
  ipv6: (value) => value.includes(':') && isAddress(value),
  isbn: (value) => isIsbn10(value) || isIsbn13(value),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  k8slongname: (value) => subdomainProblems(value).length === 0,
  k8sshortname: (value) => labelProblems(value).length === 0,
  mac: (value) =>
    [':', '-'].some((mark) =>
      new RegExp(`^${HEX}{2}(${mark}${HEX}{2}){5}((${mark}${HEX}{2}){2}|(${mark}${HEX}{2}){14})?$`, 'i').test(value),
    ) || new RegExp(`^${HEX}{4}(\\.${HEX}{4}){2}(\\.${HEX}{4}|(\\.${HEX}{4}){7})?$`, 'i').test(value),
  password: () => true,
  rgbcolor: (value) => new RegExp(`^rgb\\(\\s*${BYTE}\\s*,\\s*${BYTE}\\s*,\\s*${BYTE}\\s*\\)$`).test(value),
  ssn: (value) => /^\d{3}[- ]\d{2}[- ]\d{4}$/.test(value),
  uri: isRequestUri,
  uuid: uuid(`${HEX}{4}`, `${HEX}{4}`),
  uuid3: uuid(`3${HEX}{3}`, `${HEX}{4}`),
  uuid4: uuid(`4${HEX}{3}`, `[89ab]${HEX}{3}`),
  uuid5: uuid(`5${HEX}{3}`, `[89ab]${HEX}{3}`),
};

/** Whether a string has the format; always true for formats that are not checked. */
export function hasFormat(format: string, value: string): boolean {
  return CHECKS[format.replaceAll('-', '')]?.(value) ?? true;
}

/** Whether the format says something about strings. */
export function isStringFormat(format: string): boolean {
  return format !== '' && Object.hasOwn(CHECKS, format.replaceAll('-', ''));
}
