// `troupe dev`: all roles on this machine; what is not given is started on loopback.
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Adapter, ConfiguredAdapter, DevBackend } from '../../../adapters/api/adapter.ts';
import { REALM as MODELS } from '../../../adapters/ocm/kinds/resource.ts';
import { shellWord } from '../../../adapters/text/shell-word.ts';
import { toErrorData } from '../../../bus/mod.ts';
import { configure, settingsFor, type Texts } from '../../process/adapters.ts';
import { busUser } from '../../process/bus-user.ts';
import { openEnvironment } from '../../process/environment.ts';
import { type HttpEndpoints, serveHttpEndpoints } from '../../process/http-endpoints.ts';
import { installCrds } from '../../process/install-crds.ts';
import { aborted, drain, type Gateway, type RunDeps, start } from '../../process/run.ts';
import type { Visualizer } from '../../visualizer/server.ts';
import { type ServedWebhooks, startWebhooks } from '../../webhooks/webhooks.ts';
import type { Reminder } from '../reminder.ts';
import { smallModelUsage } from '../small-model.ts';
import { firstSteps } from '../tutorial-path.ts';
import { openVisualizer } from '../ui/running.ts';

export interface DevDeps extends Omit<RunDeps, 'adapters'> {
  adapters: readonly Adapter[];
  /** Environment and command-line options, for the adapters. */
  env: Texts;
  options: Texts;
  folder: string;
  /** The models are the small one, which is only for an API server that is started here. */
  isSmallModel: boolean;
  /** Whether each change of an object is logged. */
  isVerbose: boolean;
  /** Output of the addresses, which keeps them visible. */
  reminder: Pick<Reminder, 'show'>;
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
  isSmallModel,
  isVerbose,
  reminder,
  gateway: startGateway,
}: DevDeps): Promise<number> {
  const onProgress = (line: string): void => log.info(line);
  // Options are checked before anything is started.
  const said = all.map((adapter) => configure(adapter, env, options, PURPOSE));
  const user = busUser(config.roles, said, config.nodeName);
  const environment = await openEnvironment({ config, adapters: said, user, clock, folder, lasting: true, onProgress });
  const counterparts: DevBackend[] = [];
  let pages: HttpEndpoints | undefined;
  let visualizer: Visualizer | undefined;
  let webhooks: ServedWebhooks | undefined;
  let gateway: Gateway | undefined;
  try {
    const { cluster, kubeconfig, natsUrl } = environment;
    // A given cluster gets only kinds that were asked for.
    const isModelLeftOut = isSmallModel && cluster === 'given';
    pages = await serveHttpEndpoints(config, environment.client, clock, { hasBus: true });
    const { client, metrics } = pages;
    const bus = pages.follow(environment.bus);
    const adapters: ConfiguredAdapter[] = [];
    for (const adapter of all) {
      if (isModelLeftOut && adapter.realm === MODELS) continue;
      const settings = settingsFor(adapter, env, options, PURPOSE);
      const started = await adapter.devBackend?.({ ...settings, clock, folder, cluster });
      if (started !== undefined) counterparts.push(started);
      adapters.push(configure(adapter, env, { ...options, ...started?.options }, PURPOSE));
    }
    for (const { description } of counterparts) onProgress(description);
    webhooks = startWebhooks(config, { client, adapters, clock, log, metrics });
    if (webhooks !== undefined) pages.ask(webhooks, 'beside others');
    webhooks?.ended.catch((error: unknown) => log.error({ error: toErrorData(error).message }, 'no webhooks'));
    await installCrds(
      client,
      clock,
      (line) => log.debug(line),
      adapters.flatMap(({ contracts }) => contracts),
    );
    // The page shows the activity; only problems are printed beside it by default.
    const isQuiet = !isVerbose && log.level === 'info';
    const deps = { adapters, bus, client, metrics, clock, log: isQuiet ? log.child({}, { level: 'warn' }) : log };
    visualizer = await openVisualizer(config, deps, folder);
    gateway = isModelLeftOut ? undefined : await startGateway?.({ client, clock, log, metrics });
    const runtime = await start(config, deps, signal);
    pages.began(runtime);
    // Absolute, since the path may be used from another directory.
    const events = resolve(folder, 'nats-url');
    if (natsUrl !== undefined) await writeFile(events, natsUrl, { mode: 0o600 });
    reminder.show(
      [
        '',
        `  export KUBECONFIG=${shellWord(kubeconfig)}`,
        ...counterparts.flatMap(({ usage }) => usage.map((line) => `  ${line}`)),
        ...modelLines(gateway, isSmallModel).map((line) => `  ${line}`),
        ...(natsUrl === undefined ? [] : [`  nats --server "$(cat ${shellWord(events)})" sub 'troupe.event.>'`]),
        ...(visualizer === undefined ? [] : [`  ${visualizer.url}   # all objects, in the browser: troupe ui`]),
        '',
        firstSteps(adapters),
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
    await pages?.close();
    for (const devBackend of counterparts.reverse()) await devBackend.close();
    await environment.close();
  }
  return 0;
}

/** Lines about the models over HTTP. */
function modelLines(gateway: Gateway | undefined, isSmall: boolean): readonly string[] {
  if (gateway === undefined) return [];
  return isSmall ? smallModelUsage(gateway) : [`${gateway.curl} ${gateway.url}/api   # the models over HTTP`];
}
