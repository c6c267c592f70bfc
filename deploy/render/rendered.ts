// All that is made by kustomize's part: install.yaml, and the files of the chart.
import { chart } from './chart.ts';
import { byDefault, chosen } from './choices.ts';
import { type Manifest, manifestsText, type Sources } from './kustomize.ts';

/** Where the pods get Troupe's image from. */
export interface Image {
  readonly repository: string;
  readonly digest: string;
}

const HEADER =
  '# Made of deploy/default by `npm run generate`; changes made here are lost. `kubectl apply --server-side -f` installs it.\n';

/**
 * Texts by their paths.
 *
 * @param render  kustomize
 * @throws {Error} the sources and the version of the package do not fit
 */
export async function rendered(
  render: (sources: Sources) => Promise<readonly Manifest[]>,
  version: string,
  image?: Image,
): Promise<ReadonlyMap<string, string>> {
  const plain = `troupe:${version}`;
  const all = await render(byDefault());
  if (!JSON.stringify(all).includes(`"image":"${plain}"`)) {
    throw new Error(
      `no pod has the image '${plain}': deploy/base/kustomization.yaml names the version of package.json`,
    );
  }
  const { repository, digest } = image ?? { repository: 'troupe', digest: '' };
  const files = chart(await chosen(render), {
    version,
    image: { repository, digest },
  });
  const objects = image === undefined ? all : all.map((each) => withImage(each, plain, `${repository}@${digest}`));
  return new Map([
    ['install.yaml', HEADER + manifestsText(objects)],
    ...[...files].map(([name, text]): [string, string] => [`chart/${name}`, text]),
  ]);
}

function withImage(manifest: Manifest, from: string, to: string): Manifest {
  const replaced = (key: string, value: unknown): unknown => (key === 'image' && value === from ? to : value);
  return JSON.parse(JSON.stringify(manifest), (key, value) => replaced(key, value)) as Manifest;
}
