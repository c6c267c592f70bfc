// Which objects there are under which choice of an installation, told from what a renderer gives for each combination.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { byDefault, type Choice, type Chosen, chosen, sourcesOf } from '../../deploy/render/choices.ts';
import type { Manifest, Sources } from '../../deploy/render/kustomize.ts';

const test = suite('choices of an installation');

const own: Choice = { value: 'own', on: { resource: 'default' }, isOn: true };
const split: Choice = { value: 'split', on: { components: ['roles'] }, isOn: false };
const CHOICES = [own, split];

function object(name: string, text = ''): Manifest {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { text } };
}

function render(objects: (on: { own: boolean; split: boolean }) => readonly Manifest[]): Promise<readonly Chosen[]> {
  return chosen(
    async ({ resource, components = [] }: Sources) =>
      objects({ own: resource === 'default', split: components.includes('roles') }),
    CHOICES,
  );
}

function terms(of: readonly Chosen[]): Readonly<Record<string, object>> {
  return Object.fromEntries(
    of.map(({ manifest, when }) => [JSON.stringify(manifest['data']), Object.fromEntries(when)]),
  );
}

test('sources follow from what is on', () => {
  assert.equal(sourcesOf([]), { resource: 'base', components: [] });
  assert.equal(sourcesOf([own, split]), { resource: 'default', components: ['roles'] });
  assert.equal(byDefault(CHOICES), { resource: 'default', components: [] });
});

test('an object hangs on the choices that bring it or take it away, and on no others', async () => {
  const of = await render((on) => [
    object('a', 'always'),
    ...(on.own ? [object('b', 'own')] : []),
    ...(on.split ? [] : [object('c', 'together')]),
    ...(on.own && on.split ? [object('d', 'both')] : []),
  ]);
  assert.equal(terms(of), {
    '{"text":"always"}': {},
    '{"text":"own"}': { own: true },
    '{"text":"together"}': { split: false },
    '{"text":"both"}': { own: true, split: true },
  });
});

test('an object that a choice changes is there once for each text', async () => {
  const of = await render((on) => [object('pods', on.own ? 'with certificates' : 'without')]);
  assert.equal(terms(of), { '{"text":"with certificates"}': { own: true }, '{"text":"without"}': { own: false } });
});

test('what no conjunction says is refused, by name', async () => {
  try {
    await render((on) => (on.own || on.split ? [object('either')] : []));
    assert.unreachable();
  } catch (error) {
    assert.match((error as Error).message, 'ConfigMap///either is there under combinations that are not one condition');
  }
});

test.run();
