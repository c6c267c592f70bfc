// Times and names for people.

/**
 * Characters that turn text around or hide in it are shown as what they are: a name is a name. Of JSON, whose own text holds none of
 * them, all strings are made so at once.
 */
export function readable(text: string): string {
  return text.replace(/[\p{Cf}\p{Zl}\p{Zp}\u007f-\u009f]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\\\u${code.toString(16).padStart(4, '0')}`;
  });
}

/** `0.4 s`, `40 s`, `5 min 20 s`, `3 h 5 min`, `2 d`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, ms) / 1_000;
  if (seconds < 0.0995) return `${Math.round(seconds * 1_000)} ms`;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3_600) return joined(Math.floor(whole / 60), 'min', whole % 60, 's');
  if (whole < 86_400) return joined(Math.floor(whole / 3_600), 'h', Math.floor((whole % 3_600) / 60), 'min');
  return joined(Math.floor(whole / 86_400), 'd', Math.floor((whole % 86_400) / 3_600), 'h');
}

function joined(great: number, unit: string, small: number, smaller: string): string {
  return small === 0 ? `${great} ${unit}` : `${great} ${unit} ${small} ${smaller}`;
}

/** Made when it is first needed: it costs more than all else that a module begins with. */
let dayFormat: Intl.DateTimeFormat | undefined;

/** `14:03:07.250`, with the day before it if that is not today. */
export function clock(at: number, { fraction = true }: { readonly fraction?: boolean } = {}): string {
  const moment = new Date(at);
  const time = [moment.getHours(), moment.getMinutes(), moment.getSeconds()].map(twoDigits).join(':');
  const text = fraction ? `${time}.${String(Math.floor(at) % 1_000).padStart(3, '0')}` : time;
  if (moment.toDateString() === new Date().toDateString()) return text;
  dayFormat ??= new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });
  return `${dayFormat.format(at)}, ${text}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}

/** Kinds as people count them: `1 Port`, `2 Ports`, `3 SecurityGroups`. */
export function countedKind(count: number, kind: string): string {
  const many = /[^aeiou]y$/.test(kind) ? `${kind.slice(0, -1)}ies` : /s$/.test(kind) ? kind : `${kind}s`;
  return `${grouped(count)} ${count === 1 ? kind : many}`;
}

/** Longest part after the last hyphen that is kept when a name loses its middle. */
const TAIL = 9;
const SHORT = 12;

/** A name in two parts, of which the first may be cut: names differ at the end. */
export function parted(name: string): readonly [string, string] {
  const hyphen = name.lastIndexOf('-');
  const isTail = hyphen > 0 && name.length - hyphen <= TAIL + 1;
  const cut = isTail ? hyphen : name.length < SHORT ? name.length : name.length - 5;
  return [name.slice(0, cut), name.slice(cut)];
}

/** `in 42 s`, or that it is due. */
export function countdown(ms: number): string {
  return ms <= 500 ? 'now' : `in ${duration(Math.ceil(ms / 1_000) * 1_000)}`;
}

/** `5,000`. A locale's own format takes longer to load than the first picture takes to draw. */
export function grouped(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
}

/** `1 object`, `2 objects`. */
export function counted(count: number, what: string): string {
  return `${grouped(count)} ${what}${count === 1 ? '' : 's'}`;
}

/** An event as people call it; one that XState makes says of which effect or delay it tells. Empty: it goes without one. */
export function eventLabel(type: string): string {
  const [, what, name] = /^xstate\.(done\.actor|error\.actor|done\.state|after)\.([^.]+)/.exec(type) ?? [];
  if (what === undefined) return type;
  const said = {
    'done.actor': `${name} done`,
    'error.actor': `${name} failed`,
    'done.state': 'done',
    after: `after ${name}`,
  };
  return said[what as keyof typeof said];
}
