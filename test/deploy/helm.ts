// The chart as Helm renders it.
import { fileURLToPath } from 'node:url';
import { type Helm, template } from '../../deploy/helm.ts';
import { type Manifest, parseManifests } from './manifests.ts';

export const CHART = fileURLToPath(new URL('../../deploy/chart', import.meta.url));

/** What the chart is under these values. */
export async function templated(helm: Helm, values: object = {}, namespace?: string): Promise<readonly Manifest[]> {
  return parseManifests(await template(helm, CHART, values, namespace));
}

/** Without what Helm and kubectl write for themselves. */
export function plain(manifest: Manifest): Manifest {
  const {
    annotations = {},
    labels = {},
    ...metadata
  } = manifest.metadata as Manifest['metadata'] & {
    readonly annotations?: Readonly<Record<string, string>>;
    readonly labels?: Readonly<Record<string, string>>;
  };
  const rest = (of: Readonly<Record<string, string>>, own: RegExp): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(of).filter(([key]) => !own.test(key)));
  const kept = {
    annotations: rest(annotations, /^(meta\.)?helm\.sh\//),
    labels: rest(labels, /^app\.kubernetes\.io\/managed-by$/),
  };
  const filled = Object.fromEntries(Object.entries(kept).filter(([, of]) => Object.keys(of).length > 0));
  return { ...manifest, metadata: { ...metadata, ...filled } };
}
