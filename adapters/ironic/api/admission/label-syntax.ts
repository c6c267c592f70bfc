// The syntax of keys and values of labels, as the API server knows it.

const NAME = /^(?:[A-Za-z0-9][A-Za-z0-9_.-]*)?[A-Za-z0-9]$/;
const SUBDOMAIN = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/;
/** In characters. */
const LONGEST_NAME = 63;
const LONGEST_SUBDOMAIN = 253;

/** A name, perhaps after a DNS subdomain and a slash. */
export function isLabelKey(text: string): boolean {
  const slash = text.indexOf('/');
  const prefix = text.slice(0, Math.max(slash, 0));
  const isPrefix = prefix.length <= LONGEST_SUBDOMAIN && SUBDOMAIN.test(prefix);
  return isName(text.slice(slash + 1)) && (slash < 0 || isPrefix);
}

export function isLabelValue(text: string): boolean {
  return text === '' || isName(text);
}

function isName(text: string): boolean {
  return text.length <= LONGEST_NAME && NAME.test(text);
}
