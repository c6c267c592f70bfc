// The credentials of the bus's users and of its server, all from one book; and how they are replaced while all run.
//
// Invariants:
//   CLI-BOOK-1. A new credential is accepted before it is shown: a new key is shown only after the server knows it, a new
//       certificate only after all clients trust its authority, and an old one ends only after no process shows it any more.
//       In between lies the grace, in which what was written reaches all processes.
//   CLI-BOOK-2. The same book makes the same files, and a run that has nothing to do changes nothing.
//   CLI-BOOK-3. The key of an authority is never kept: it signs one certificate. A new certificate is one of a new authority.
import {
  type BusUser,
  type JsonObject,
  newSeed,
  parseJsonObject,
  publicKeyOf,
  serverUsers,
  TerminalError,
} from '../../../bus/mod.ts';

/** All that is replaced together. Certificates and keys are in PEM. */
export interface Generation {
  readonly madeAt: number;
  readonly hosts: readonly string[];
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
  /** NKey seeds by user. */
  readonly seeds: Readonly<Record<string, string>>;
}

/** Progress of a rotation. */
export const Phase = {
  /** There is none: one generation. */
  Steady: 'steady',
  /** The server knows both; the old one is shown. */
  Announced: 'announced',
  /** The server knows both; the new one is shown. */
  Switched: 'switched',
} as const;
export type Phase = (typeof Phase)[keyof typeof Phase];

export interface Book {
  readonly phase: Phase;
  /** When it came to this phase: milliseconds since the epoch. */
  readonly since: number;
  /** The old one first. */
  readonly generations: readonly Generation[];
}

export interface Wanted {
  readonly users: readonly BusUser[];
  /** Names and addresses of the server, beside localhost. */
  readonly hosts: readonly string[];
  readonly now: number;
  /** Time that what was written takes to reach all processes, at most. */
  readonly graceMs: number;
  /** Whether a rotation is to begin now. */
  readonly rotate: boolean;
  /** Age at which a rotation begins automatically; undefined: never. */
  readonly rotateAfterMs?: number | undefined;
}

/** A certificate for the hosts, and the authority that signed it. */
export type Certify = (
  hosts: readonly string[],
  now: number,
) => Promise<Pick<Generation, 'authority' | 'certificate' | 'key'>>;

/** The book after one step, or as it is. */
export async function advanced(book: Book | undefined, wanted: Wanted, certify: Certify): Promise<Book> {
  const { now, graceMs } = wanted;
  if (book === undefined) {
    return { phase: Phase.Steady, since: now, generations: [await made(wanted, certify)] };
  }
  const generations = book.generations.map((generation) => withSeeds(generation, wanted.users));
  const known = { ...book, generations };
  const [older, newer] = generations;
  if (older === undefined) throw new TerminalError('the book of the bus is empty');
  switch (book.phase) {
    case Phase.Steady:
      if (!isDue(older, wanted)) return known;
      return { phase: Phase.Announced, since: now, generations: [older, await made(wanted, certify)] };
    case Phase.Announced:
      return now < book.since + graceMs ? known : { ...known, phase: Phase.Switched, since: now };
    case Phase.Switched:
      if (now < book.since + graceMs) return known;
      return { phase: Phase.Steady, since: now, generations: newer === undefined ? [older] : [newer] };
  }
}

/** Owner of a file: the server, or a user. */
export type Place = string;
export const SERVER: Place = 'server';
export type Files = Readonly<Record<string, string>>;

/** The files of the book: by place, then by name. */
export function filesOf(
  { phase, generations }: Book,
  users: readonly BusUser[],
  root: string | undefined,
): ReadonlyMap<Place, Files> {
  // mutant: key-shown-early ?: -> $3
  const shown = phase === Phase.Announced ? generations[0] : generations.at(-1);
  if (shown === undefined) throw new TerminalError('the book of the bus is empty');
  const known = users.map((user) => ({
    ...user,
    publicKeys: generations.map(({ seeds }) => publicKeyOf(seeds[placeOf(user)] ?? '')),
  }));
  const authorities = generations.map(({ authority }) => authority).join('');
  return new Map<Place, Files>([
    [SERVER, { 'users.conf': serverUsers(known, root), 'tls.crt': shown.certificate, 'tls.key': shown.key }],
    ...users.map((user): [Place, Files] => [
      placeOf(user),
      { nkey: shown.seeds[placeOf(user)] ?? '', 'ca.crt': authorities },
    ]),
  ]);
}

/** Name of a user. */
export function placeOf({ name, node }: Pick<BusUser, 'name' | 'node'>): Place {
  return node === undefined ? name : `${name}.${node}`;
}

export function bookText(book: Book): string {
  return `${JSON.stringify(book)}\n`;
}

/** @throws {TerminalError} it is none, or one of another release */
export function parseBook(text: string): Book {
  const book = parseJsonObject(text) as (JsonObject & Partial<Book>) | undefined;
  const isBook =
    Object.values<unknown>(Phase).includes(book?.phase) &&
    typeof book?.since === 'number' &&
    Array.isArray(book.generations) &&
    book.generations.length === (book.phase === Phase.Steady ? 1 : 2) &&
    book.generations.every(isGeneration);
  if (!isBook) throw new TerminalError('the book of the bus cannot be read: delete it, and everything is made again');
  return book as unknown as Book;
}

function isGeneration(value: unknown): value is Generation {
  const its = (value ?? {}) as Readonly<Record<keyof Generation, unknown>>;
  const isText = (text: unknown): boolean => typeof text === 'string';
  return (
    typeof its.madeAt === 'number' &&
    Array.isArray(its.hosts) &&
    [its.authority, its.certificate, its.key].every(isText) &&
    its.seeds instanceof Object &&
    Object.values(its.seeds).every(isText)
  );
}

function isDue({ madeAt, hosts }: Generation, { rotate, rotateAfterMs, now, hosts: wanted }: Wanted): boolean {
  const isOld = rotateAfterMs !== undefined && now >= madeAt + rotateAfterMs;
  return rotate || isOld || !wanted.every((host) => hosts.includes(host));
}

async function made({ users, hosts, now }: Wanted, certify: Certify): Promise<Generation> {
  return withSeeds({ madeAt: now, hosts, ...(await certify(hosts, now)), seeds: {} }, users);
}

/** Users become known; their keys are needed only later. */
function withSeeds(generation: Generation, users: readonly BusUser[]): Generation {
  const missing = users.map(placeOf).filter((place) => generation.seeds[place] === undefined);
  if (missing.length === 0) return generation;
  return {
    ...generation,
    seeds: { ...generation.seeds, ...Object.fromEntries(missing.map((place) => [place, newSeed()])) },
  };
}
