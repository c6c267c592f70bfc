// Helm, as a program on the PATH or in TROUPE_HELM, and the chart as it renders it.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { type Manifest, parseManifests } from '../../deploy/render/kustomize.ts';

export const CHART = fileURLToPath(new URL('../../deploy/chart', import.meta.url));
export const KEPT = { 'helm.sh/resource-policy': 'keep' };

const run = promisify(execFile);

export type Helm = (
  args: readonly string[],
  options?: { readonly values?: object; readonly kubeconfig?: string },
) => Promise<string>;

/** Undefined: there is no Helm. */
export async function findHelm(env: Readonly<Record<string, string | undefined>>): Promise<Helm | undefined> {
  const program = env['TROUPE_HELM'] || 'helm';
  try {
    await run(program, ['version']);
  } catch {
    return undefined;
  }
  return async (args, { values, kubeconfig } = {}) => {
    // A cluster of the caller's is none of Helm's business unless it is named.
    const { KUBECONFIG: _, ...rest } = env;
    const child = run(program, [...args, ...(values === undefined ? [] : ['--values', '-'])], {
      env: { ...rest, ...(kubeconfig !== undefined && { KUBECONFIG: kubeconfig }) },
      maxBuffer: 64 * 1024 * 1024,
    });
    child.child.stdin?.end(values === undefined ? '' : stringify(values));
    return (await child).stdout;
  };
}

/** What the chart is under these values. */
export async function templated(
  helm: Helm,
  values: object = {},
  namespace = 'troupe-system',
): Promise<readonly Manifest[]> {
  return parseManifests(await helm(['template', 'troupe', CHART, '--namespace', namespace], { values }));
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
