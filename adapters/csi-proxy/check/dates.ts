// Calendar days as text, `YYYY-MM-DD`, which sorts as time does.

/** @throws {RangeError} `text` is no day of the calendar */
export function parseDay(text: string): string {
  const day = new Date(`${text}T00:00:00Z`);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || Number.isNaN(day.valueOf()) || day.toISOString().slice(0, 10) !== text) {
    throw new RangeError(`a date is YYYY-MM-DD; got '${text}'`);
  }
  return text;
}

export function dayOf(instantMs: number): string {
  return new Date(instantMs).toISOString().slice(0, 10);
}

/** As many calendar months later; a day that month does not have becomes its last one. */
export function addMonths(day: string, months: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const lastOfMonth = new Date(Date.UTC(year, month + months, 0)).getUTCDate();
  return dayOf(Date.UTC(year, month - 1 + months, Math.min(date, lastOfMonth)));
}
