// Recognition of an exhausted quota in the responses of the services: each has texts of its own, and most use a status
// code that may mean something else. Pure.
import type { HttpError } from './session.ts';

/** Neutron says 409, Nova and Keystone 403, Cinder, Manila and Glance 413. */
const STATUSES: ReadonlySet<number> = new Set([403, 409, 413]);

/** The first group names the exhausted resource; unified limits and Neutron name several. */
const WORDS: readonly RegExp[] = [
  // Neutron.
  /Quota exceeded for resources: \[([^\]]*)\]/g,
  // Nova: instances, cores and ram; and what has a name of several words.
  /Quota exceeded for ([\w ,-]+?): Requested/g,
  /Quota exceeded, too many ([\w ]+)/g,
  // Cinder: by number, by size, and by type of volume.
  /exceeded for quota '([^']+)'/g,
  /exceeds allowed (\S+) quota/g,
  // Nova, Manila, Cinder.
  /Maximum number of ([\w -]+?)(?: allowed)?(?: \(?\d+\)?)? exceed(?:ed|s)/g,
  // Keystone.
  /Unable to create additional ([\w ]+?), (?:the )?maximum of/g,
  // Unified limits, whosever: Glance, Nova.
  /Resource (\S+) is over (?:the )?limit/g,
];

/** Glance's own, which has no name. */
const STORAGE = /(?:exceeds the (?:storage )?quota|size of the data .* will exceed the limit)/;

/** The quotas that a refusal names; none where it does not say which; undefined: it is about something else. */
export function quotasOf({
  status,
  message,
  body,
}: Pick<HttpError, 'status' | 'message' | 'body'>): readonly string[] | undefined {
  if (!STATUSES.has(status)) return undefined;
  const isSaid = 'overLimit' in body || message.includes('OverQuota') || JSON.stringify(body).includes('OverQuota');
  // Any other conflict is none that passes.
  if (status === 409 && !isSaid) return undefined;
  for (const words of WORDS) {
    const names = [...message.matchAll(words)].flatMap(([, list = '']) => namesIn(list));
    if (names.length > 0) return names;
  }
  if (status === 413 && STORAGE.test(message)) return ['image storage'];
  return isSaid ? [] : undefined;
}

/** Suffix that a condition adds to the text of the service; `faultOf` and the hints recognize it. */
export function quotaMessage(message: string, quotas: readonly string[]): string {
  return `${message}; ${quotas.length === 0 ? 'a quota' : `quota ${quotas.map((each) => `'${each}'`).join(', ')}`}${USED_UP}`;
}

/** The quotas that such a message names, for people; undefined: it is none. */
export function quotaIn(message: string): string | undefined {
  if (!message.endsWith(USED_UP)) return undefined;
  return /; (a quota|quota '[^;]*')$/.exec(message.slice(0, -USED_UP.length))?.[1];
}

const USED_UP = ' is used up, and it is tried again by itself, within ten minutes each time';

function namesIn(list: string): readonly string[] {
  const names = list.split(',').map((name) => name.trim().replace(/^u?'(.*)'$/, '$1'));
  return [...new Set(names)].filter((name) => name !== '');
}
