// Comparison of spec and external resource, field by field, from the status. Pure.

export type Mark = 'same' | 'specified' | 'observed' | 'untold';

export interface Line {
  readonly mark: Mark;
  readonly text: string;
}

export interface Differences {
  readonly lines: readonly Line[];
  /** Fields that differ; of what is not there yet none. */
  readonly count: number;
  readonly isThere: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** References name objects, and the status has IDs: the two cannot be compared. */
const REFERENCE = /Refs?$/;

/**
 * Only fields that the spec sets.
 *
 * @param isSettled  nothing is left to do: fields that the status does not show are as specified
 * @returns undefined: there is nothing to compare
 */
export function differencesOf(object: Fields, isSettled: boolean): Differences | undefined {
  const [spec, status] = [fieldsIn(object['spec'], 'resource'), fieldsIn(object['status'], 'resource')];
  if (spec === undefined) return undefined;
  const lines: Line[] = [];
  let count = 0;
  for (const [name, wanted] of Object.entries(spec)) {
    if (REFERENCE.test(name)) continue;
    const found = status?.[name];
    if (covers(found, wanted)) {
      lines.push(...marked('same', name, wanted));
    } else if (found === undefined && isSettled) {
      lines.push(...marked('untold', name, wanted));
    } else {
      count += 1;
      if (found !== undefined) lines.push(...marked('observed', name, found));
      lines.push(...marked('specified', name, wanted));
    }
  }
  const isThere = status !== undefined;
  return lines.length === 0 ? undefined : { lines, count: isThere ? count : 0, isThere };
}

function fieldsIn(value: unknown, name: string): Fields | undefined {
  const inner = (value as Fields | undefined)?.[name];
  return typeof inner === 'object' && inner !== null ? (inner as Fields) : undefined;
}

/** Tells if the observed value contains all of the wanted one; lists must have the same length. */
function covers(found: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    if (!Array.isArray(found)) return wanted.length === 0 && found === undefined;
    const isWhole = wanted.every((item) => found.some((each) => covers(each, item)));
    return isWhole && wanted.length === found.length;
  }
  if (typeof wanted === 'object' && wanted !== null) {
    const own = typeof found === 'object' && found !== null ? (found as Fields) : {};
    return Object.entries(wanted).every(([name, each]) => REFERENCE.test(name) || covers(own[name], each));
  }
  return found === wanted || (found !== undefined && String(found) === String(wanted));
}

function marked(mark: Mark, name: string, value: unknown): readonly Line[] {
  const text = yaml({ [name]: value }).trimEnd();
  return text.split('\n').map((line) => ({ mark, text: line }));
}

/** As people write YAML. */
export function yaml(value: unknown, depth = 0): string {
  const indent = '  '.repeat(depth);
  if (Array.isArray(value)) {
    if (value.length === 0) return `${indent}[]\n`;
    return value.map((item) => `${indent}- ${yaml(item, depth + 1).trimStart()}`).join('');
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(([, part]) => part !== undefined);
    if (entries.length === 0) return `${indent}{}\n`;
    return entries
      .map(([key, part]) => {
        const isNested = typeof part === 'object' && part !== null && Object.keys(part).length > 0;
        const name = quoted(key);
        return isNested ? `${indent}${name}:\n${yaml(part, depth + 1)}` : `${indent}${name}: ${yaml(part).trimStart()}`;
      })
      .join('');
  }
  return `${indent}${typeof value === 'string' ? quoted(value) : String(value)}\n`;
}

/** In quotes where it would be read as something else. */
function quoted(text: string): string {
  const isPlain =
    /^[A-Za-z0-9/._][^\n:#]*$/.test(text) &&
    !/^(true|false|null|yes|no|on|off|~|[\d.]+)$/i.test(text) &&
    text.trim() === text;
  return isPlain ? text : JSON.stringify(text);
}
