// The `reserved` statements of a message or an enum.
import type { Reserved, ReservedName, ReservedRange } from './model.ts';
import { type Statement, tokenAt, unquoted } from './statements.ts';

/** 2^29 - 1, of the encoding: three bits of the key are the wire type. */
export const MAX_FIELD_NUMBER = 2 ** 29 - 1;
export const MAX_ENUM_NUMBER = 2 ** 31 - 1;

/** @param max  what `to max` is here */
export function reservedIn(body: readonly Statement[], max: number): Reserved {
  const ranges: ReservedRange[] = [];
  const names: ReservedName[] = [];
  for (const { head } of body) {
    const [keyword, ...rest] = head.filter(({ text }) => text !== ',');
    if (keyword?.text !== 'reserved') continue;
    for (let index = 0; index < rest.length; index += 1) {
      const token = tokenAt(rest, index);
      const from = integer(token.text);
      if (from === undefined) {
        names.push({ name: unquoted(token), at: token.at });
      } else if (rest[index + 1]?.text === 'to') {
        ranges.push({ from, to: integer(tokenAt(rest, index + 2).text) ?? max, at: token.at });
        index += 2;
      } else ranges.push({ from, to: from, at: token.at });
    }
  }
  return { ranges, names };
}

/** undefined: the text is no whole number. */
export function integer(text: string): number | undefined {
  if (/^-?0[0-7]+$/.test(text)) return Number.parseInt(text, 8);
  const [, minus, digits] = /^(-?)(0x[0-9a-f]+|[0-9]+)$/i.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits) * (minus === '-' ? -1 : 1);
}

export function isNumberReserved({ ranges }: Reserved, number: number): boolean {
  return ranges.some(({ from, to }) => from <= number && number <= to);
}

export function isNameReserved({ names }: Reserved, name: string): boolean {
  return names.some((reserved) => reserved.name === name);
}
