// Helm, as a program on the PATH or in TROUPE_HELM.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { stringify } from 'yaml';

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

/** Output of the chart in a folder with these values. */
export function template(helm: Helm, chart: string, values: object, namespace = NAMESPACE): Promise<string> {
  return helm(['template', 'troupe', chart, '--namespace', namespace], { values });
}

/** Default namespace of Troupe. */
const NAMESPACE = 'troupe-system';
