// Whose a node is, by what living hosts have recorded and what they are called.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isOfAnother } from '../../../../adapters/ironic/steps/owners.ts';
import type { Host } from '../../../../adapters/ironic/steps/step-host.ts';
import { UUID } from './builders.ts';

const test = suite('whose a node is');

const host = (name: string, namespace: string, ID?: string): Host => ({
  metadata: { name, namespace },
  ...(ID !== undefined && { status: { provisioning: { ID } } }),
});
const [NEW, KNOWN] = [host('one', 'ns'), host('one', 'ns', UUID)];

/** What it is called, who asks, and who else there is. */
const ROWS: readonly (readonly [string, string | null, Host, readonly Host[], boolean])[] = [
  ['nobody else is there', 'rack-7', KNOWN, [KNOWN], false],
  ['nobody has recorded it', null, NEW, [NEW, host('two', 'ns', 'other')], false],
  ['another has recorded it', null, NEW, [NEW, host('two', 'ns', UUID)], true],
  ['both have recorded it', 'rack-7', KNOWN, [KNOWN, host('two', 'other', UUID)], true],
  ["it has another's name", 'other~two', KNOWN, [KNOWN, host('two', 'other')], true],
  ['it has the name of one that is gone', 'other~two', KNOWN, [KNOWN], false],
  ["it has another's older name", 'two', NEW, [NEW, host('two', 'ns')], true],
  ['it has an older name of both', 'one', NEW, [NEW, host('one', 'other')], true],
  ['it has an older name of both, and is recorded', 'one', KNOWN, [KNOWN, host('one', 'other')], false],
];
for (const [title, name, self, hosts, expected] of ROWS) {
  test(`33.A2: ${title}: it is ${expected ? "another's" : 'free'}`, async () => {
    const cluster = { listObjects: async () => hosts as never, readObject: async () => undefined };
    assert.is(await isOfAnother(cluster, self, { uuid: UUID, name }), expected);
  });
}

test('33.A2: a host of a namespace that is not cared for here is asked for by the name of the node', async () => {
  const asked: string[] = [];
  const cluster = {
    listObjects: async () => [],
    async readObject(_: unknown, namespace: string, name: string) {
      asked.push(`${namespace}/${name}`);
      return host(name, namespace) as never;
    },
  };
  assert.is(await isOfAnother(cluster, KNOWN, { uuid: UUID, name: 'other~two' }), true);
  assert.is(await isOfAnother(cluster, KNOWN, { uuid: UUID, name: 'rack-7' }), false);
  assert.equal(asked, ['other/two']);
});

test.run();
