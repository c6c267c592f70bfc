// Error text of Ironic, extracted from the formats in which it reports errors.
//
// Invariants:
//   IRONIC-ERROR-TEXT-1. Only what has one of Ironic's forms is quoted: whatever else answers there may have said anything.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { isObject } from './node.ts';

/** Maximum length of a reported text, in characters. */
const LONGEST = 2_000;
/** JSON in JSON is unwrapped so often at most. */
const WRAPS = 4;

/** A fault's own words, and those of what stands before Ironic's own code. */
const WORDS = ['faultstring', 'description', 'message', 'detail', 'title'] as const;

export interface Said {
  readonly text: string;
  /** `fault`: the text is about the request. `other`: the path is unknown, or the response is not from Ironic. */
  readonly kind: 'fault' | 'other';
}

/**
 * The words of a refusal.
 *
 * @param body  of the answer: `{error_message}`, which holds words, an object with them, or either as JSON text; or `{error}`
 * @param hide  takes secrets out, before anything is cut
 * @returns an empty text if there is none, or if it is not from Ironic
 */
export function wordsOf(body: JsonObject, hide: (text: string) => string): Said {
  const { text, isFault } = unwrapped(body['error_message'] ?? body['error']);
  const safe = hide(text).trim();
  return {
    text: safe.length > LONGEST ? `${safe.slice(0, LONGEST)}…` : safe,
    kind: isFault && safe !== '' ? 'fault' : 'other',
  };
}

function unwrapped(value: Json | undefined): { readonly text: string; readonly isFault: boolean } {
  let reported = value;
  for (let wrap = 0; wrap < WRAPS; wrap++) {
    if (typeof reported === 'string') {
      const inner = parsed(reported);
      if (inner === undefined) return { text: reported, isFault: true };
      reported = inner;
      continue;
    }
    if (!isObject(reported)) break;
    // Own members only: an inherited member is not part of the response.
    const holder: JsonObject = reported;
    const word = WORDS.find((each) => Object.hasOwn(holder, each) && holder[each] !== '' && holder[each] !== null);
    if (word === undefined) break;
    const inner = holder[word];
    if (typeof inner === 'string' && parsed(inner) === undefined) {
      return { text: inner, isFault: word === 'faultstring' };
    }
    reported = inner;
  }
  return { text: '', isFault: false };
}

/** What JSON text holds, where that is an object or a text. */
function parsed(text: string): JsonObject | string | undefined {
  if (!/^\s*[{"]/.test(text)) return undefined;
  try {
    const value = JSON.parse(text) as Json;
    return typeof value === 'string' || isObject(value) ? value : undefined;
  } catch {
    return undefined; // it only looks like JSON: words
  }
}
