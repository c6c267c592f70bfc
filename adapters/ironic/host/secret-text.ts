// Texts in a Secret. Pure; nothing of what is in one gets into an error.

/** `data` of a Secret: values in base64. */
export type SecretData = Readonly<Record<string, string>>;

/** The text under a key; undefined: there is none, or it is not UTF-8. */
export function secretText(data: SecretData, key: string): string | undefined {
  const value = Object.hasOwn(data, key) ? data[key] : undefined;
  if (typeof value !== 'string') return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(value, 'base64'));
  } catch {
    return undefined;
  }
}
