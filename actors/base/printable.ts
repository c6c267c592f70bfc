// Untrusted text (of clouds, files, objects, other programs) made safe for a terminal: the only place that knows
// terminal control characters.

/** Characters that move the cursor, end the line, change its direction or are invisible. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
/** The same but for what text of several lines is made of. */
const UNSEEN_IN_LINES = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** One line: whatever is no visible character is written as its code, `\u{202e}`. */
export function plain(text: string): string {
  return text.replaceAll(UNSEEN, codeOf);
}

/** Several lines, with tabs. */
export function plainLines(text: string): string {
  return text.replaceAll(UNSEEN_IN_LINES, codeOf);
}

/** JSON that means the same, and has no invisible character in it. */
export function plainJson(json: string): string {
  return json.replaceAll(UNSEEN_IN_LINES, (character) =>
    Array.from({ length: character.length }, (_, at) => unitOf(character.charCodeAt(at))).join(''),
  );
}

/** Plain data with all its texts as `plainLines` has them. */
export function plainData(value: unknown): unknown {
  if (typeof value === 'string') return plainLines(value);
  if (Array.isArray(value)) return value.map(plainData);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [plainLines(name), plainData(member)]));
}

function codeOf(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

function unitOf(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}
