// `troupe dev`: all roles on this machine; what is not given is started on loopback.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installCrds } from './crds.ts';
import { openEnvironment } from './environment.ts';
import { aborted, drain, type RunDeps, start } from './run.ts';

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
    onProgress: (line) => log.info(line),
  });
  try {
    const { client, bus, kubeconfig, cloudsYaml, natsUrl } = environment;
    await installCrds(client, clock, (line) => log.debug(line));
    const clouds = join(folder, 'clouds.yaml');
    await writeFile(clouds, cloudsYaml, { mode: 0o600 });
    const runtime = await start(config, { bus, client, clock, log }, signal);
    const events = join(folder, 'nats-url');
    if (natsUrl !== undefined) await writeFile(events, natsUrl, { mode: 0o600 });
    process.stderr.write(
      [
        '',
        `  export KUBECONFIG=${kubeconfig}`,
        `  kubectl create secret generic openstack-clouds --from-file=clouds.yaml=${clouds}`,
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
