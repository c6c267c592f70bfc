// The pages of the kinds: one for each, complete, with an example that the API server takes.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { systemClock } from '../../actors/base/clock.ts';
import { BUILT_IN } from '../../actors/process/adapters.ts';
import { installCrds } from '../../actors/process/install-crds.ts';
import { kubeClient } from '../../adapters/kubernetes/mod.ts';
import { startApiServer } from '../../adapters/simulated/kubernetes/mod.ts';
import type { JsonObject } from '../../bus/mod.ts';
import { kindPages } from '../../deploy/kind-pages.ts';

const test = suite('pages of kinds');
const KINDS = new URL('../../deploy/kinds/', import.meta.url);
const contracts = BUILT_IN.flatMap((adapter) => adapter.contracts);

test('35.B: a page a kind, 26 of OpenStack, 13 of Metal3 and 6 of Windows, and the index leads to all', async () => {
  const counts = [...Map.groupBy(contracts, ({ group }) => group).values()].map(({ length }) => length);
  assert.equal(counts, [26, 13, 6]);
  const index = await readFile(new URL('README.md', KINDS), 'utf8');
  const files = (await readdir(KINDS)).filter((name) => name.endsWith('.md') && name !== 'README.md');
  assert.is(files.length, contracts.length);
  for (const { kind, plural } of contracts) {
    const name = `${kind.toLowerCase()}.md`;
    assert.ok(files.includes(name), name);
    assert.match(index, `[${kind}](${name})`);
    const page = await readFile(new URL(name, KINDS), 'utf8');
    for (const part of [`# ${kind}\n`, '## Example\n', '## Spec\n', `\`${plural}\``])
      assert.ok(page.includes(part), `${name}: ${part}`);
    if (page.includes('`status.conditions`')) assert.match(page, '\n## Conditions\n', name);
  }
});

test('35.B: fields say whether they are required, immutable, have a default; references say to whom and when', async () => {
  const page = await readFile(new URL('subnet.md', KINDS), 'utf8');
  assert.match(page, /\| `spec\.resource\.networkRef` \| string \| \*\*required\*\*; immutable; /);
  assert.match(
    page,
    /\| `spec\.managementPolicy` \| string \| immutable; default `"managed"`; one of `managed`, `unmanaged`; /,
  );
  assert.match(
    page,
    /\| `spec\.resource\.networkRef` \| Network \| waited for before the resource is made; cannot go while this object exists \|/,
  );
  assert.throws(() => kindPages({ contracts, examples: new Map() }), /has no example/);
});

test('35.B: the API server takes each example', async () => {
  const clock = systemClock();
  const api = await startApiServer({ clock });
  const folder = await mkdtemp(join(tmpdir(), 'troupe-kinds-'));
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, api.kubeconfig(), { mode: 0o600 });
  const client = kubeClient({ clock, kubeconfig });
  try {
    await installCrds(client, clock, () => undefined, contracts);
    for (const { kind, plural, group } of contracts) {
      const page = await readFile(new URL(`${kind.toLowerCase()}.md`, KINDS), 'utf8');
      const object = parse(/```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? '') as JsonObject;
      const { apiVersion, metadata } = object as { readonly apiVersion: string; readonly metadata: JsonObject };
      assert.equal([object['kind'], apiVersion.split('/')[0]], [kind, group]);
      const body = { ...object, metadata: { ...metadata, namespace: 'default' } };
      const path = `/apis/${apiVersion}/namespaces/default/${plural}?fieldValidation=Strict`;
      await client.call({ method: 'POST', path, body });
    }
  } finally {
    await client.close();
    await api.close();
    await rm(folder, { recursive: true });
  }
});

test.run();
