// The listing of subjects over several pages, while subjects come and go in between.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mulberry32 } from '../../actors/base/clock.ts';
import { type ListPage, listSubjects } from '../../bus/nats-listing.ts';

const test = suite('nats listing');
const seed = Number(process.env['SEED'] ?? 20_261_121);

const name = (at: number): string => `s${String(at).padStart(6, '0')}`;

/** Pages as nats-server cuts them: sorted, by position. `between` runs after each. */
function server(subjects: Set<string>, size: number, between: () => void): ListPage {
  return async (offset) => {
    const page = { subjects: [...subjects].sort().slice(offset, offset + size), total: subjects.size };
    between();
    return page;
  };
}

test('one page, several pages and no subject at all are listed', async () => {
  for (const count of [0, 1, 99, 100, 101, 1_000]) {
    const subjects = new Set(Array.from({ length: count }, (_, at) => name(at)));
    const listed = await listSubjects(
      server(subjects, 100, () => undefined),
      10,
    );
    assert.equal([...listed].sort(), [...subjects].sort());
  }
});

test(`what is there all the time is listed, whatever is deleted and added meanwhile (seed ${seed})`, async () => {
  const random = mulberry32(seed);
  for (let trial = 0; trial < 300; trial += 1) {
    const stay = new Set<string>();
    const subjects = new Set<string>();
    for (let at = 0; at < 2_000; at += 1) {
      subjects.add(name(at));
      if (random() < 0.3) stay.add(name(at));
    }
    const churn = (): void => {
      const [from, to] = [Math.floor(random() * 2_000), Math.floor(random() * 2_000)];
      for (let at = from; at < to; at += 1) if (!stay.has(name(at))) subjects.delete(name(at));
      for (let at = to; at < from; at += 1) if (random() < 0.1) subjects.add(name(at));
    };
    const listed = await listSubjects(server(subjects, 150, churn), 20);
    for (const subject of stay) assert.ok(listed.has(subject), `trial ${trial}: ${subject}`);
  }
});

test.run();
