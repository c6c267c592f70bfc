// Dates as RFC 3339, to the nanosecond: further digits are cut off.

const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;
const DAY = /^\d{4}-\d\d-\d\d$/;

/**
 * The date in UTC, without zeros at the end of its fraction: `2026-03-10T16:45:13.3Z`. Dates in this form, compared as texts
 * without the `Z`, are in the order of time.
 *
 * @returns undefined for what is no date
 */
export function utcDate(text: string): string | undefined {
  const match = RFC_3339.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const [offsetHours, offsetMinutes] = [Number(match[9] ?? 0), Number(match[10] ?? 0)];
  if (hour > 23 || minute > 59 || second > 59 || offsetHours > 23 || offsetMinutes > 59) return undefined;
  const local = new Date(0);
  local.setUTCFullYear(year, month - 1, day);
  if (local.getUTCMonth() !== month - 1 || local.getUTCDate() !== day) return undefined;
  local.setUTCHours(hour, minute, second);
  const offsetMs = (offsetHours * 60 + offsetMinutes) * 60_000 * (match[8] === '-' ? -1 : 1);
  // mutant: gateway-local-time - -> $1
  const utc = new Date(local.getTime() - offsetMs);
  if (utc.getUTCFullYear() < 0 || utc.getUTCFullYear() > 9_999) return undefined;
  // mutant: gateway-more-than-nanoseconds 0#2 -> 99
  const fraction = (match[7] ?? '').slice(0, 9).replace(/0+$/, '');
  return `${utc.toISOString().slice(0, 19)}${fraction === '' ? '' : `.${fraction}`}Z`;
}

/** As `utcDate`, also of a day alone: its first instant. */
export function searchedDate(text: string): string | undefined {
  return utcDate(DAY.test(text) ? `${text}T00:00:00Z` : text);
}

/** The value by which dates are compared. */
export function dateKey(text: string): string | undefined {
  const utc = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{0,8}[1-9])?Z$/.test(text) ? text : utcDate(text);
  return utc?.slice(0, -1);
}
