// Where two servers answered differently, and the table in the docs that says where they may.
import { isList, isMap, same } from '../../../../adapters/text/json.ts';
import type { Seen } from './run.ts';

export interface Difference {
  /** `<case> #<step> <path>`, for example `version #1 body.gitVersion`. */
  readonly place: string;
  /** As JSON; `absent` where there is nothing. */
  readonly real: string;
  readonly embedded: string;
}

/** A row of the table. */
export interface Row {
  readonly id: string;
  /** Patterns of places: `…` stands for anything. */
  readonly places: readonly string[];
  readonly real: string;
  readonly embedded: string;
  readonly why: string;
}

const shown = (value: unknown): string => (value === undefined ? 'absent' : JSON.stringify(value));

/** The differences between what the same case showed on both servers, each at the deepest place. */
export function differences(name: string, real: readonly Seen[], embedded: readonly Seen[]): Difference[] {
  const found: Difference[] = [];
  const visit = (left: unknown, right: unknown, place: string): void => {
    if (same(left, right)) return;
    const maps = asMaps(left, right);
    if (maps === undefined) {
      found.push({ place, real: shown(left), embedded: shown(right) });
      return;
    }
    const [before, after] = maps;
    const knownBefore = found.length;
    for (const key of new Set([...before.keys(), ...after.keys()])) {
      visit(before.get(key), after.get(key), `${place}${place.endsWith(' ') ? '' : '.'}${key}`);
    }
    // Equal parts in another order: the place itself differs.
    if (found.length === knownBefore) found.push({ place, real: 'one order', embedded: 'another order' });
  };
  for (let index = 0; index < Math.max(real.length, embedded.length); index++) {
    const [one, other] = [real[index], embedded[index]];
    visit(one?.shown, other?.shown, `${name} ${(one ?? other)?.step} `);
  }
  return found;
}

type Parts = ReadonlyMap<string, unknown>;

/** Both as maps from key to part: by field, by `name` where all items have their own, or by place. */
function asMaps(left: unknown, right: unknown): readonly [Parts, Parts] | undefined {
  if (isMap(left) && isMap(right)) return [new Map(Object.entries(left)), new Map(Object.entries(right))];
  if (!isList(left) || !isList(right)) return undefined;
  const [before, after] = [byName(left), byName(right)];
  if (before !== undefined && after !== undefined) return [before, after];
  const byPlace = (list: readonly unknown[]): Parts => new Map(list.map((item, index) => [String(index), item]));
  return [byPlace(left), byPlace(right)];
}

function byName(list: readonly unknown[]): Parts | undefined {
  const parts = new Map<string, unknown>();
  for (const item of list) {
    const name = isMap(item) ? (item['name'] ?? item['resource']) : undefined;
    if (typeof name !== 'string' || parts.has(name)) return undefined;
    parts.set(name, item);
  }
  return list.length === 0 ? undefined : parts;
}

/** The rows of the table under a heading `## Differences`. @throws {Error} there is none, or a row is malformed */
export function readTable(markdown: string): Row[] {
  const section = /^## Differences$([\s\S]*?)(?=^## |(?![\s\S]))/m.exec(markdown)?.[1];
  if (section === undefined) throw new Error("no heading '## Differences'");
  const [head, rule, ...lines] = section.split('\n').filter((line) => line.startsWith('|'));
  if (head === undefined || rule === undefined) throw new Error('no table of differences');
  return lines.map((line) => {
    const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
    const [, id = '', places = '', real = '', embedded = '', why = ''] = cells;
    const codes = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
    const [realCode] = codes(real);
    const [embeddedCode] = codes(embedded);
    if (cells.length !== 7 || id === '' || why === '' || realCode === undefined || embeddedCode === undefined) {
      throw new Error(`a row needs an id, places, both answers in backticks and a reason: ${line}`);
    }
    return { id, places: codes(places), real: realCode, embedded: embeddedCode, why };
  });
}

function fits(pattern: string, value: string): boolean {
  const parts = pattern.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[\\s\\S]*')}$`).test(value);
}

/** What is not as the table says: differences it does not list, and places it lists that do not differ. */
export function unlisted(
  found: readonly Difference[],
  rows: readonly Row[],
): { readonly unknown: readonly Difference[]; readonly unseen: readonly string[] } {
  const explains = (row: Row, place: string, { place: where, real, embedded }: Difference): boolean =>
    fits(place, where) && fits(row.real, real) && fits(row.embedded, embedded);
  const unknown = found.filter((one) => !rows.some((row) => row.places.some((place) => explains(row, place, one))));
  const unseen = rows.flatMap((row) =>
    row.places
      .filter((place) => !found.some((one) => explains(row, place, one)))
      .map((place) => `${row.id}: ${place}: ${row.real} | ${row.embedded}`),
  );
  return { unknown, unseen };
}
