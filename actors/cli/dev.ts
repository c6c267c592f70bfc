// `troupe dev`: all roles on this machine; what is not given is started on loopback.
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Counterpart } from '../../adapters/adapter.ts';
import { toErrorData } from '../../bus/mod.ts';
import { busUser } from '../process/bus-user.ts';
import { openEnvironment } from '../process/environment.ts';
import { aborted, drain, type RunDeps, start } from '../process/run.ts';
import type { Visualizer } from '../visualizer/server.ts';
import { type ServedWebhooks, startWebhooks } from '../webhooks/webhooks.ts';
import { installCrds } from './crds.ts';
import { openVisualizer } from './ui/running.ts';

export interface DevDeps extends RunDeps {
  folder: string;
  /** A variable of the environment, for the counterparts of adapters. */
  variable: (name: string) => string | undefined;
}

/** @throws {TroupeError} something given cannot be used */
export async function dev({ config, adapters, clock, log, signal, folder, variable }: DevDeps): Promise<number> {
  const onProgress = (line: string): void => log.info(line);
  const user = busUser(config.roles, adapters, config.nodeName);
  const environment = await openEnvironment({ config, adapters, user, clock, folder, lasting: true, onProgress });
  const counterparts: Counterpart[] = [];
  let visualizer: Visualizer | undefined;
  let webhooks: ServedWebhooks | undefined;
  try {
    const { client, bus, kubeconfig, natsUrl } = environment;
    for (const { counterpart } of adapters) {
      if (counterpart !== undefined) counterparts.push(await counterpart({ clock, folder, variable }));
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
    const runtime = await start(config, { adapters, bus, client, clock, log }, signal);
    // Whoever reads the path may be in another folder.
    const events = resolve(folder, 'nats-url');
    if (natsUrl !== undefined) await writeFile(events, natsUrl, { mode: 0o600 });
    process.stderr.write(
      [
        '',
        `  export KUBECONFIG=${kubeconfig}`,
        ...counterparts.flatMap(({ usage }) => usage.map((line) => `  ${line}`)),
        ...(natsUrl === undefined ? [] : [`  nats --server "$(cat ${events})" sub 'troupe.event.>'`]),
        ...(visualizer === undefined ? [] : [`  ${visualizer.url}   # all objects, in the browser: troupe ui`]),
        '',
        '',
      ].join('\n'),
    );
    await aborted(signal);
    await drain(runtime, clock, log);
  } finally {
    await visualizer?.close();
    await webhooks?.close();
    for (const counterpart of counterparts.reverse()) await counterpart.close();
    await environment.close();
  }
  return 0;
}
