// Values of HTTP headers that arrive as they were sent.

/**
 * Whether a value is text that no client, proxy or server changes on its way in a header. Blanks around a value are stripped
 * (RFC 9110, 5.5), and control characters are refused or replaced.
 */
export function isHeaderValue(value: string): boolean {
  return value !== '' && value === value.trim() && !/\p{C}/u.test(value);
}
