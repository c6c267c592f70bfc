// `troupe dev`: all roles on this machine; what is not given is started on loopback.
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parse } from 'yaml';
import { openEnvironment } from '../process/environment.ts';
import { aborted, drain, type RunDeps, start } from '../process/run.ts';
import { installCrds } from './crds.ts';

export interface DevDeps extends RunDeps {
  folder: string;
  /** A clouds.yaml of a real cloud; a simulated one is started without it. */
  cloudsFile: string | undefined;
}

/** @throws {TroupeError} something given cannot be used */
export async function dev({ config, clock, log, signal, folder, cloudsFile }: DevDeps): Promise<number> {
  const environment = await openEnvironment({
    config,
    clock,
    folder,
    cloudsFile,
    lasting: true,
    onProgress: (line) => log.info(line),
  });
  try {
    const { client, bus, kubeconfig, cloudsYaml, natsUrl } = environment;
    await installCrds(client, clock, (line) => log.debug(line));
    // Whoever reads the paths may be in another folder.
    const clouds = resolve(folder, 'clouds.yaml');
    await writeFile(clouds, cloudsYaml, { mode: 0o600 });
    const runtime = await start(config, { bus, client, clock, log }, signal);
    const events = resolve(folder, 'nats-url');
    if (natsUrl !== undefined) await writeFile(events, natsUrl, { mode: 0o600 });
    process.stderr.write(
      [
        '',
        `  export KUBECONFIG=${kubeconfig}`,
        `  kubectl create secret generic openstack-clouds --from-file=clouds.yaml=${clouds}`,
        `  # and in each object: cloudCredentialsRef: {secretName: openstack-clouds, cloudName: ${cloudNames(cloudsYaml)}}`,
        ...(natsUrl === undefined ? [] : [`  nats --server "$(cat ${events})" sub 'troupe.event.>'`]),
        '',
        '',
      ].join('\n'),
    );
    await aborted(signal);
    await drain(runtime, clock, log);
  } finally {
    await environment.close();
  }
  return 0;
}

/** The entries of a clouds.yaml, for people. */
function cloudNames(cloudsYaml: string): string {
  const { clouds } = (parse(cloudsYaml) ?? {}) as { readonly clouds?: object };
  return Object.keys(clouds ?? {}).join(' | ');
}
