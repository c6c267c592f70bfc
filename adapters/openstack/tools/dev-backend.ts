// The cloud of `troupe dev`: the one of OS_CLIENT_CONFIG_FILE, or a simulated one that is kept in the folder.
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parse } from 'yaml';
import type { DevBackend, DevBackendPorts } from '../../api/adapter.ts';
import { startSimulator } from '../../simulated/openstack/mod.ts';
import { shellWord } from '../../text/shell-word.ts';
import { readClouds } from '../client/clouds-yaml.ts';

/** Network that samples import, as an administrator would have made it. */
const EXTERNAL_NETWORK = 'public';

/**
 * Writes a clouds.yaml to the folder.
 *
 * @throws {TerminalError} the file of OS_CLIENT_CONFIG_FILE cannot be read, or the simulated cloud cannot start
 */
export async function devBackend({ clock, folder, variable }: DevBackendPorts): Promise<DevBackend> {
  const file = variable('OS_CLIENT_CONFIG_FILE') || undefined;
  const real = file === undefined ? undefined : await readClouds(file);
  const simulator =
    real === undefined
      ? await startSimulator({ clock, file: resolve(folder, 'cloud.jsonl'), externalNetwork: EXTERNAL_NETWORK })
      : undefined;
  const cloudsYaml = simulator?.cloudsYaml('openstack') ?? real ?? '';
  // Absolute, since the path may be used from another directory.
  const clouds = resolve(folder, 'clouds.yaml');
  await writeFile(clouds, cloudsYaml, { mode: 0o600 });
  return {
    description: `cloud: ${simulator === undefined ? `as in ${file}` : `${simulator.authUrl} (simulated)`}`,
    usage: [
      `kubectl create secret generic openstack-clouds --from-file=clouds.yaml=${shellWord(clouds)}`,
      `# and in each object: cloudCredentialsRef: {secretName: openstack-clouds, cloudName: ${cloudNames(cloudsYaml)}}`,
    ],
    close: async () => simulator?.close(),
  };
}

/** The entries of a clouds.yaml, for people. */
function cloudNames(cloudsYaml: string): string {
  const { clouds } = (parse(cloudsYaml) ?? {}) as { readonly clouds?: object };
  return Object.keys(clouds ?? {}).join(' | ');
}
