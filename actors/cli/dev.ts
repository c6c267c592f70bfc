// `troupe dev`: all roles on this machine; what is not given is started on loopback.
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Adapter, ConfiguredAdapter, DevBackend } from '../../adapters/api/adapter.ts';
import { toErrorData } from '../../bus/mod.ts';
import { configure, settingsFor, type Texts } from '../process/adapters.ts';
import { busUser } from '../process/bus-user.ts';
import { openEnvironment } from '../process/environment.ts';
import { aborted, drain, type Gateway, type RunDeps, start } from '../process/run.ts';
import type { Visualizer } from '../visualizer/server.ts';
import { type ServedWebhooks, startWebhooks } from '../webhooks/webhooks.ts';
import { installCrds } from './crds.ts';
import { openVisualizer } from './ui/running.ts';

export interface DevDeps extends Omit<RunDeps, 'adapters'> {
  adapters: readonly Adapter[];
  /** The environment, and what was said on the command line, for the adapters. */
  env: Texts;
  options: Texts;
  folder: string;
}

const PURPOSE = 'development';

/** @throws {TroupeError} something given cannot be used */
export async function dev({
  config,
  adapters: all,
  env,
  options,
  clock,
  log,
  signal,
  folder,
  gateway: startGateway,
}: DevDeps): Promise<number> {
  const onProgress = (line: string): void => log.info(line);
  // What is wrong in what was said is told before anything is started.
  const said = all.map((adapter) => configure(adapter, env, options, PURPOSE));
  const user = busUser(config.roles, said, config.nodeName);
  const environment = await openEnvironment({ config, adapters: said, user, clock, folder, lasting: true, onProgress });
  const counterparts: DevBackend[] = [];
  let visualizer: Visualizer | undefined;
  let webhooks: ServedWebhooks | undefined;
  let gateway: Gateway | undefined;
  try {
    const { client, cluster, bus, kubeconfig, natsUrl } = environment;
    const adapters: ConfiguredAdapter[] = [];
    for (const adapter of all) {
      const settings = settingsFor(adapter, env, options, PURPOSE);
      const started = await adapter.devBackend?.({ ...settings, clock, folder, cluster });
      if (started !== undefined) counterparts.push(started);
      adapters.push(configure(adapter, env, { ...options, ...started?.options }, PURPOSE));
    }
    for (const { description } of counterparts) onProgress(description);
    webhooks = startWebhooks(config, { client, adapters, clock, log });
    webhooks?.ended.catch((error: unknown) => log.error({ error: toErrorData(error).message }, 'no webhooks'));
    await installCrds(
      client,
      clock,
      (line) => log.debug(line),
      adapters.flatMap(({ contracts }) => contracts),
    );
    visualizer = await openVisualizer(config, { adapters, bus, client, clock, log }, folder);
    gateway = await startGateway?.({ client, clock, log });
    const runtime = await start(config, { adapters, bus, client, clock, log }, signal);
    // Whoever reads the path may be in another folder.
    const events = resolve(folder, 'nats-url');
    if (natsUrl !== undefined) await writeFile(events, natsUrl, { mode: 0o600 });
    process.stderr.write(
      [
        '',
        `  export KUBECONFIG=${kubeconfig}`,
        ...counterparts.flatMap(({ usage }) => usage.map((line) => `  ${line}`)),
        ...(gateway === undefined ? [] : [`  curl ${gateway.url}/api   # the models over HTTP`]),
        ...(natsUrl === undefined ? [] : [`  nats --server "$(cat ${events})" sub 'troupe.event.>'`]),
        ...(visualizer === undefined ? [] : [`  ${visualizer.url}   # all objects, in the browser: troupe ui`]),
        '',
        '',
      ].join('\n'),
    );
    await aborted(signal);
    await gateway?.close();
    await drain(runtime, clock, log);
  } finally {
    await gateway?.close();
    await visualizer?.close();
    await webhooks?.close();
    for (const devBackend of counterparts.reverse()) await devBackend.close();
    await environment.close();
  }
  return 0;
}
