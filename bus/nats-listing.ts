// Subjects of a stream.

import type { Connection } from './connection.ts';
import { query } from './nats-api.ts';
import { Operation } from './nats-names.ts';

/** One page: up to a fixed number of subjects from `offset`, in the order of their bytes. */
export type ListPage = (offset: number) => Promise<{ readonly subjects: readonly string[]; readonly total: number }>;

/** Subjects read twice at each page's start, so that deletions between two pages hide nothing. */
const OVERLAP = 1_000;

/** Pages of `stream info`: nats-server sorts the subjects that match and answers 100,000 of them. */
export function pagesOf(connection: Connection, stream: string, filter: string): ListPage {
  return async (offset) => {
    const answer = await query(connection, Operation.streamInfo(stream), { subjects_filter: filter, offset });
    const { subjects } = answer['state'] as { subjects?: Record<string, number> };
    const page = Object.keys(subjects ?? {}).sort();
    return { subjects: page, total: Number(answer['total'] ?? page.length) };
  };
}

/**
 * All subjects. One that is there from the first call to the last is always listed. Pages are cut by position: where
 * subjects before a cut vanish meanwhile, later ones move across it. So each page starts before the end of the last one,
 * and further back until it begins with something already listed.
 */
export async function listSubjects(page: ListPage, overlap: number = OVERLAP): Promise<Set<string>> {
  const first = await page(0);
  const all = new Set(first.subjects);
  let last = first.subjects.at(-1);
  let offset = first.subjects.length;
  let complete = offset >= first.total;
  let back = overlap;
  while (last !== undefined && !complete) {
    const from = Math.max(0, offset - back);
    const { subjects, total } = await page(from);
    const begin = subjects[0];
    if (from > 0 && (begin === undefined || begin > last)) {
      back *= 2; // more than the overlap was deleted: what lies between the pages was not read
      continue;
    }
    for (const subject of subjects) all.add(subject);
    const end = subjects.at(-1) ?? last;
    if (end > last) last = end;
    offset = from + subjects.length;
    complete = offset >= total;
    back = overlap;
  }
  return all;
}
