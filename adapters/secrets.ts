// Takes secrets out of what a foreign system says, however it spells them.
//
// Invariants:
//   X1. A secret is told neither as it is, nor as JSON, a URL, HTML or base64 would spell it, nor as a part of a longer text
//       in base64, whatever stands before it there.

import type { Json } from '../bus/bus.ts';

const HIDDEN = '***';
/** Of a secret inside of a longer text in base64: shorter pieces say too little to be worth what they would hide. */
const LEAST_BASE64 = 6;
const HTML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** @returns what hides the secrets in a text; empty ones and `undefined` are no secrets */
export function hiding(secrets: readonly (string | undefined)[]): (text: string) => string {
  const spellings = new Set(secrets.flatMap((secret) => (secret ? spellingsOf(secret) : [])));
  if (spellings.size === 0) return (text) => text;
  // The longest first, or the rest of it would stay; hexadecimal digits come in either case.
  const sorted = [...spellings].sort((one, other) => other.length - one.length);
  const pattern = new RegExp(sorted.map((spelling) => escaped(spelling)).join('|'), 'gi');
  return (text) => text.replace(pattern, HIDDEN);
}

/** All texts of a value without what is to be hidden, names of members included. */
export function hidden(value: Json, hide: (text: string) => string): Json {
  if (typeof value === 'string') return hide(value);
  if (Array.isArray(value)) return value.map((item: Json) => hidden(item, hide));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [hide(name), hidden(member, hide)]));
}

function spellingsOf(secret: string): readonly string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const ascii = json.replace(/[^\x20-\x7e]/g, hexEscape);
  const jsons = [json, ascii, ascii.replaceAll('/', '\\/')];
  const url = strictUrl(secret);
  const plain = [
    secret,
    // A body that is quoted inside of a JSON text is escaped once more.
    ...jsons,
    ...jsons.map((text) => JSON.stringify(text).slice(1, -1)),
    encodeUrl(secret),
    url,
    url.replaceAll('%20', '+'),
    // A form, as browsers and we send it.
    new URLSearchParams([['', secret]]).toString().slice(1),
    url.replaceAll('%2F', '/'),
    strictUrl(url),
    secret.replaceAll(/[&<>"']/g, (character) => HTML[character] ?? character),
    secret.replaceAll("'", '&#x27;'),
    secret.replaceAll('\\', '\\\\').replaceAll("'", "\\'"),
  ];
  // mutant: secret-in-base64 return -> $1.1
  return [...plain, ...base64sOf(secret), ...base64sOf(json)];
}

/** In each of the three places where a text may begin among groups of three bytes, without the characters it shares. */
function base64sOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const pieces = [0, 1, 2].flatMap((before) => {
    const padded = Buffer.concat([Buffer.alloc(before), bytes]);
    const first = Math.ceil((before * 8) / 6);
    const last = Math.floor((padded.length * 8) / 6);
    const piece = padded.toString('base64').slice(first, last);
    return piece.length >= LEAST_BASE64 ? [piece] : [];
  });
  const whole = bytes.toString('base64');
  return [whole, whole.replace(/=+$/, ''), ...pieces].flatMap((text) => [
    text,
    text.replaceAll('+', '-').replaceAll('/', '_'),
    strictUrl(text),
    text.replaceAll('/', '\\/'),
  ]);
}

function encodeUrl(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** As everybody but JavaScript does it. */
function strictUrl(text: string): string {
  return encodeUrl(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

function hexEscape(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
