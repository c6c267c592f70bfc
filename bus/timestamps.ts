// Instants as text.

/** Milliseconds since the epoch as RFC 3339 in UTC with microseconds. */
export function timestamp(at: number): string {
  const micros = Math.floor(at * 1_000);
  const seconds = new Date(Math.floor(micros / 1_000)).toISOString().slice(0, 20);
  return `${seconds}${String(micros % 1_000_000).padStart(6, '0')}Z`;
}

/** The inverse of `timestamp`, to the microsecond. */
export function parseTimestamp(text: string): number {
  const [, micros = '0'] = /\.\d{3}(\d{1,3})/.exec(text) ?? [];
  return Date.parse(text.replace(/(\.\d{3})\d+/, '$1')) + Number(micros.padEnd(3, '0')) / 1_000;
}
