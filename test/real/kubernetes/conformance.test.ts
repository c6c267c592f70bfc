// needs: kube
// Conformance of the embedded API server: each case gets the answers of a real one, except for the differences in the
// table of the embedded server's README. `CASES=<part of a name>` runs some cases, and skips the check for unused rows.
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/base/clock.ts';
import { startApiServer } from '../../../adapters/simulated/kubernetes/mod.ts';
import { describeStep } from '../../adapters/kubernetes/conformance/case.ts';
import { CASES } from '../../adapters/kubernetes/conformance/cases.ts';
import { INSTALL, REMOVE } from '../../adapters/kubernetes/conformance/definitions.ts';
import {
  type Difference,
  differences,
  readTable,
  unlisted,
} from '../../adapters/kubernetes/conformance/differences.ts';
import { prepare, release, runCase } from '../../adapters/kubernetes/conformance/run.ts';
import { wire } from '../../adapters/kubernetes/conformance/wire.ts';

/** Concurrent cases: each mostly waits. */
const AT_ONCE = 8;
/** Comparisons that the suite must have made to prove anything. */
const LEAST_COMPARED = 300;

const path = process.env['KUBECONFIG'];
const wanted = process.env['CASES'] ?? '';

interface Outcome {
  readonly compared: number;
  readonly found: readonly Difference[];
}

async function compare(kubeconfig: string): Promise<Outcome> {
  const clock = systemClock();
  const server = await startApiServer({ clock, publishesAuthority: false }); // the real one has no such controller
  const real = await wire(readFileSync(kubeconfig, 'utf8'));
  const embedded = await wire(server.kubeconfig());
  const run = Math.floor(clock.random() * 36 ** 5)
    .toString(36)
    .padStart(5, 'a');
  const names = { run, group: `conformance-${run}.example.org` };
  const found: Difference[] = [];
  let compared = 0;
  const waiting = [...CASES.entries()].filter(([, { name }]) => name.includes(wanted));
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, one] = next;
      const [left, right] = await Promise.all([runCase(real, one, names, index), runCase(embedded, one, names, index)]);
      compared += left.length;
      found.push(...differences(one.name, left, right));
    }
  };
  try {
    await Promise.all([prepare(real, INSTALL, names), prepare(embedded, INSTALL, names)]);
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  } finally {
    await release(real, names);
    await Promise.all([prepare(real, REMOVE, names), prepare(embedded, REMOVE, names)]);
    real.close();
    embedded.close();
    await server.close();
  }
  return { compared, found };
}

function requestAt(place: string): string {
  const one = CASES.find(({ name }) => place.startsWith(`${name} #`));
  if (one === undefined) return '';
  return describeStep(one, place.slice(one.name.length + 1).split(' ')[0] ?? '');
}

if (path === undefined) {
  process.stdout.write('skipped: KUBECONFIG is not set\n');
} else {
  const test = suite('conformance of the embedded API server');

  test('case names are unique', () => {
    assert.is(new Set(CASES.map(({ name }) => name)).size, CASES.length);
  });

  test('both servers answer alike, except for the differences in the table, and each of these still exists', async () => {
    const readme = new URL('../../../adapters/simulated/kubernetes/README.md', import.meta.url);
    const rows = readTable(readFileSync(readme, 'utf8'));
    const { compared, found } = await compare(path);
    process.stdout.write(`${compared} answers and watches compared, ${found.length} differences\n`);
    const { unknown, unseen } = unlisted(found, rows);
    for (const { place, real, embedded } of unknown) {
      process.stdout.write(`${place} (${requestAt(place)})\n  real:     ${real}\n  embedded: ${embedded}\n`);
    }
    assert.is(unknown.length, 0, 'differences that are not in the table');
    if (wanted !== '') return;
    assert.equal(unseen, [], 'rows of the table whose difference is not seen');
    assert.ok(compared >= LEAST_COMPARED, `${compared} compared, ${LEAST_COMPARED} needed`);
  });

  test.run();
}
