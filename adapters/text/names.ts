// Rules for names, label keys and label values, with the API server's wording.

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const KEY = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const LABEL_VALUE = `(${KEY})?`;
const CONFIG_KEY = '[-._a-zA-Z0-9]+';

const IS_LABEL = new RegExp(`^${LABEL}$`);
const IS_SUBDOMAIN = new RegExp(`^${SUBDOMAIN}$`);
const IS_KEY = new RegExp(`^${KEY}$`);
const IS_LABEL_VALUE = new RegExp(`^${LABEL_VALUE}$`);
const IS_CONFIG_KEY = new RegExp(`^${CONFIG_KEY}$`);

/** Limits of RFC 1123 and of the API, in bytes. */
const MAX_LABEL_BYTES = 63;
const MAX_SUBDOMAIN_BYTES = 253;

const KEY_RULE =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

function explained(rule: string, pattern: string, ...examples: readonly string[]): string {
  const given = examples.map((example) => `'${example}', `).join(' or ');
  return `${rule} (e.g. ${given}regex used for validation is '${pattern}')`;
}

const byteLength = (value: string): number => Buffer.byteLength(value);

/** What is wrong with a DNS-1123 subdomain, the form of most names. Empty when nothing is. */
export function subdomainProblems(value: string): string[] {
  const problems: string[] = [];
  if (byteLength(value) > MAX_SUBDOMAIN_BYTES) problems.push(`must be no more than ${MAX_SUBDOMAIN_BYTES} characters`);
  if (!IS_SUBDOMAIN.test(value)) {
    const rule =
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
    problems.push(explained(rule, SUBDOMAIN, 'example.com'));
  }
  return problems;
}

/** What is wrong with a DNS-1123 label, the form of the names of namespaces. */
export function labelProblems(value: string): string[] {
  const problems: string[] = [];
  if (byteLength(value) > MAX_LABEL_BYTES) problems.push(`must be no more than ${MAX_LABEL_BYTES} characters`);
  if (value.includes('.') && IS_SUBDOMAIN.test(value)) problems.push('must not contain dots');
  else if (!IS_LABEL.test(value)) {
    const rule =
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
    problems.push(explained(rule, LABEL, 'my-name', '123-abc'));
  }
  return problems;
}

/** What is wrong with a key of a label or an annotation, or with a finalizer. */
export function keyProblems(value: string): string[] {
  const parts = value.split('/');
  if (parts.length > 2) {
    const rule = explained(`a valid label key ${KEY_RULE}`, KEY, 'MyName', 'my.name', '123-abc');
    return [`${rule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const problems: string[] = [];
  const name = parts.at(-1) ?? '';
  const prefix = parts.length === 2 ? parts[0] : undefined;
  if (prefix === '') problems.push('prefix part must be non-empty');
  else if (prefix !== undefined) problems.push(...subdomainProblems(prefix).map((problem) => `prefix part ${problem}`));
  if (name === '') problems.push('name part must be non-empty');
  else if (byteLength(name) > MAX_LABEL_BYTES) problems.push(`name part must be no more than ${MAX_LABEL_BYTES} bytes`);
  if (!IS_KEY.test(name)) problems.push(`name part ${explained(KEY_RULE, KEY, 'MyName', 'my.name', '123-abc')}`);
  return problems;
}

export function labelValueProblems(value: string): string[] {
  const problems: string[] = [];
  if (byteLength(value) > MAX_LABEL_BYTES) problems.push(`must be no more than ${MAX_LABEL_BYTES} bytes`);
  if (!IS_LABEL_VALUE.test(value)) {
    const rule = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character`;
    problems.push(explained(rule, LABEL_VALUE, 'MyValue', 'my_value', '12345'));
  }
  return problems;
}

/** What is wrong with a key of `data` in a Secret or a ConfigMap. */
export function configKeyProblems(value: string): string[] {
  const problems: string[] = [];
  if (byteLength(value) > MAX_SUBDOMAIN_BYTES) problems.push(`must be no more than ${MAX_SUBDOMAIN_BYTES} characters`);
  if (!IS_CONFIG_KEY.test(value)) {
    const rule = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
    problems.push(explained(rule, CONFIG_KEY, 'key.name', 'KEY_NAME', 'key-name'));
  }
  if (value === '.') problems.push(`must not be '.'`);
  else if (value.startsWith('..')) problems.push(value === '..' ? `must not be '..'` : `must not start with '..'`);
  return problems;
}

/** What makes a name unfit to be a segment of a path. */
export function segmentProblems(value: string): string[] {
  if (value === '.' || value === '..') return [`may not be '${value}'`];
  return ['/', '%']
    .filter((character) => value.includes(character))
    .map((character) => `may not contain '${character}'`);
}

/** What is wrong with a name that only has to fit between two slashes of a path. */
export function pathSegmentProblems(value: string): string[] {
  if (value === '.' || value === '..') return [`may not be '${value}'`];
  return ['/', '%'].filter((character) => value.includes(character)).map((one) => `may not contain '${one}'`);
}
