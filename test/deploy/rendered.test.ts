// long
// install.yaml and the chart are what kustomize makes of the sources. `npm run check` sees by checksums that they were made
// of these sources; this makes them once more.
import { readFile } from 'node:fs/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TROUPE_VERSION } from '../../actors/base/version.ts';
import { findKubectl, kustomized, type Manifest, parseManifests, type Sources } from '../../deploy/render/kustomize.ts';
import { rendered } from '../../deploy/render/rendered.ts';

const kubectl = await findKubectl(process.env);
if (kubectl === undefined) {
  console.log('skipped: no kubectl 1.22 or later on the PATH');
} else {
  const test = suite('rendered by kustomize');
  const made = new Map<string, Promise<readonly Manifest[]>>();
  /** Each combination of sources once. */
  const render = (sources: Sources): Promise<readonly Manifest[]> => {
    const key = JSON.stringify(sources);
    const manifests = made.get(key) ?? kustomized(kubectl, sources);
    made.set(key, manifests);
    return manifests;
  };

  test('install.yaml and the chart are up to date', async () => {
    for (const [name, text] of await rendered(render, TROUPE_VERSION)) {
      assert.is(await readFile(new URL(`../../deploy/${name}`, import.meta.url), 'utf8'), text, name);
    }
  });

  test('a release has its image by digest, in the file and in the chart', async () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    const files = await rendered(render, TROUPE_VERSION, { repository: 'registry.example.com/a/troupe', digest });
    const images = parseManifests(files.get('install.yaml') ?? '').flatMap(({ kind, spec }) =>
      kind === 'Deployment'
        ? (spec as unknown as { template: { spec: { containers: { image: string }[] } } }).template.spec.containers
        : [],
    );
    assert.equal(
      images.map(({ image }) => image),
      [`registry.example.com/a/troupe@${digest}`],
    );
    assert.match(files.get('chart/values.yaml') ?? '', `digest: ${digest}`);
    assert.match(files.get('chart/values.yaml') ?? '', 'repository: registry.example.com/a/troupe');
  });

  test('a version that the sources do not name is refused', async () => {
    try {
      await rendered(render, '9.9.9');
      assert.unreachable();
    } catch (error) {
      assert.match((error as Error).message, "no pod has the image 'troupe:9.9.9'");
    }
  });

  test.run();
}
