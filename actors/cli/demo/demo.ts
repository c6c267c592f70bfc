// `troupe demo`: the cloud of a small company is created and deleted.
//
// Invariants:
//   CLI-DEMO-1. Whatever goes wrong, and on Ctrl-C, what the demo made is deleted before it ends.
//   CLI-DEMO-2. It exits with 0 only if everything came up, everything was deleted, and nothing is left.
import { createWriteStream } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Adapter } from '../../../adapters/api/adapter.ts';
import { metal3 } from '../../../adapters/ironic/mod.ts';
import { windows } from '../../../adapters/windows/mod.ts';
import { type Clock, TerminalError } from '../../../bus/mod.ts';
import type { Config } from '../../base/config.ts';
import { openLog } from '../../base/log.ts';
import { configure, settingsFor, type Texts } from '../../process/adapters.ts';
import { busUser } from '../../process/bus-user.ts';
import { openEnvironment } from '../../process/environment.ts';
import { serveHttpEndpoints } from '../../process/http-endpoints.ts';
import { installCrds } from '../../process/install-crds.ts';
import { drain, start } from '../../process/run.ts';
import { openVisualizer } from '../ui/running.ts';
import { cloudInUse, credentials, demoCloud } from './cloud.ts';
import { startImageHost } from './images.ts';
import { credentialsObject } from './landscape.ts';
import { modelInUse } from './models.ts';
import { Demo } from './performance.ts';
import { racksInUse } from './racks.ts';
import type { ShowDeps } from './show.ts';
import { windowsInUse } from './windows.ts';

export interface DemoDeps {
  config: Config;
  adapters: readonly Adapter[];
  /** The environment and the command line, for the adapters. */
  env: Texts;
  options: Texts;
  clock: Clock;
  /** Sends the requests to the served model. */
  fetch: typeof globalThis.fetch;
  /** Ctrl-C. */
  signal: AbortSignal;
  /** Folder of the data of what is started, and of the log. */
  folder: string;
  /** Leaves everything up until `signal`. */
  keep: boolean;
  /** A clouds.yaml of a real cloud; a simulated one is started without it. */
  cloudsFile?: string | undefined;
  /** Name of the cloud in it. */
  cloudName?: string | undefined;
  out: ShowDeps['out'];
  /** See `ShowDeps`. */
  terminal: boolean;
  ink: ShowDeps['ink'];
}

const PURPOSE = 'development';

/**
 * Runs the demo.
 *
 * @returns 0; 1 when something was not as it should be; 130 when `signal` ended it early and all was cleaned up
 * @throws {TroupeError} it cannot begin: an input cannot be used, or the namespace has another owner
 */
export async function demo(deps: DemoDeps): Promise<number> {
  const { env, options, clock, cloudsFile, out } = deps;
  const model = modelInUse(deps.adapters);
  const all = [...deps.adapters, ...(model === undefined ? [] : [model.adapter])];
  const config = {
    ...deps.config,
    roles: new Set([...deps.config.roles, ...(model === undefined ? [] : [model.role])]),
  };
  // Errors of the command line are reported before anything is started.
  const said = all.map((adapter) => configure(adapter, env, options, PURPOSE));
  const user = busUser(config.roles, said, config.nodeName);
  const folder = resolve(deps.folder);
  const say = (line: string): void => {
    out.write(`${line}\n`);
  };
  say('troupe demo: every object is an actor');
  // The reader has ended (`| head`): as good as Ctrl-C. The listener stays, for what is written while cleaning up.
  const unread = new AbortController();
  let outputError: NodeJS.ErrnoException | undefined;
  out.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') outputError = error;
    unread.abort();
  });
  const signal = AbortSignal.any([deps.signal, unread.signal]);
  const closing: (() => Promise<unknown>)[] = [];
  try {
    const onProgress = (line: string): void => say(`  ${line}`);
    const opened = await openEnvironment({ config, adapters: said, user, clock, folder, lasting: false, onProgress });
    closing.push(() => opened.close());
    const used = await cloudInUse(cloudsFile, clock);
    closing.push(async () => used.simulator?.close());
    onProgress(used.description);
    const racks = await racksInUse(clock, opened.cluster, settingsFor(metal3, env, options, PURPOSE));
    closing.push(async () => racks.simulator?.close());
    onProgress(racks.description);
    const storage = await windowsInUse(clock, config, settingsFor(windows, env, options, PURPOSE));
    onProgress(storage.description);
    // A cluster that was given has no kinds of ours beyond those that are installed there.
    const isServed = model !== undefined && opened.cluster === 'started';
    const adapters = (isServed ? all : deps.adapters).map((adapter) =>
      configure(storage.over(adapter), env, { ...options, ...racks.options }, PURPOSE),
    );
    const pages = await serveHttpEndpoints(config, opened.client, clock, { hasBus: true });
    closing.push(() => pages.close());
    const environment = { ...opened, ...used, client: pages.client, bus: pages.follow(opened.bus) };
    const { client, bus } = environment;
    const file = createWriteStream(join(folder, 'demo.log'), { mode: 0o600 });
    closing.push(() => new Promise<void>((done) => file.end(done)));
    const log = openLog({ level: config.logLevel, readable: false, destination: file });
    say(`  log: ${file.path}`);
    const contracts = adapters.flatMap((adapter) => adapter.contracts);
    await installCrds(client, clock, (line) => log.debug(line), contracts);
    const data = await credentials(environment.cloudsYaml, deps.cloudName);
    const cloud = demoCloud({ clock, data });
    closing.push(() => cloud.close());
    const images = await startImageHost();
    closing.push(() => images.close());
    const visualizer = await openVisualizer(config, { adapters, bus, client, clock, log }, folder);
    closing.push(async () => visualizer?.close());
    if (visualizer !== undefined) onProgress(`all objects, in the browser: ${visualizer.url}`);
    const runtime = await start(config, { adapters, bus, client, metrics: pages.metrics, clock, log }, signal);
    pages.began(runtime);
    closing.push(() => drain(runtime, clock, log));
    const gateway = isServed ? await model.start({ client, clock, log, metrics: pages.metrics }) : undefined;
    closing.push(async () => gateway?.close());
    const code = await new Demo({
      ...deps,
      signal,
      folder,
      environment,
      runtime,
      visualizer,
      cloud,
      racks,
      storage,
      gateway,
      secret: credentialsObject(data),
      images,
      say,
    }).run();
    if (outputError !== undefined)
      throw new TerminalError(`the output cannot be written: ${outputError.message}`, { cause: outputError });
    return code;
  } finally {
    for (const close of closing.reverse()) await close();
  }
}
