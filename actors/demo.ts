// `troupe demo`: a landscape of networks comes up and goes again.
//
// Invariants:
//   D1. Whatever goes wrong, and on Ctrl-C, what the demo made is deleted before it ends.
//   D2. It ends with 0 only if everything came up, everything went, and nothing is left.
import { createWriteStream } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Logger } from 'pino';
import { type Bus, type Clock, TerminalError, toErrorData } from '../bus/mod.ts';
import type { Config } from './config.ts';
import { installCrds } from './crds.ts';
import { credentials, type DemoCloud, demoCloud, type Inventory, type SecretData } from './demo-cloud.ts';
import { History, State } from './demo-history.ts';
import { openScreen, type Screen } from './demo-screen.ts';
import { callLines, creationLines, deletionOrder, kindsOf, type Stretch, seconds } from './demo-summary.ts';
import { countsOf, detailOf, Ink, layout, treeOf } from './demo-view.ts';
import { type Environment, openEnvironment } from './environment.ts';
import * as landscape from './landscape.ts';
import { openLog } from './log.ts';
import { aborted, drain, start } from './run.ts';
import type { Runtime } from './runtime.ts';

export interface DemoDeps {
  config: Config;
  clock: Clock;
  /** Ctrl-C. */
  signal: AbortSignal;
  /** Where what is started keeps its data, and the log. */
  folder: string;
  /** Leaves everything up until `signal`. */
  keep: boolean;
  /** A clouds.yaml of a real cloud; a simulated one is started without it. */
  cloudsFile?: string | undefined;
  /** Which cloud of it. */
  cloudName?: string | undefined;
  out: NodeJS.WritableStream & { readonly columns?: number; readonly rows?: number };
  /** Whether `out` understands ANSI sequences; otherwise every change is a line. */
  terminal: boolean;
}

const SAMPLES = new URL('../deploy/samples/network-landscape/', import.meta.url);
/** Time that each call to the simulated cloud takes, in milliseconds. */
const LATENCY_MS = 60;
/** Everything together may take so long to come up, and again to go, in milliseconds. */
const LIMIT_MS = 300_000;
/** The network that the landscape imports. */
const PUBLIC = 'public';
/** Conventional exit code after Ctrl-C. */
const INTERRUPTED = 130;

/** Runs the demo. Returns 0; 1 when something was not as it should be; 130 after Ctrl-C. @throws {TroupeError} it cannot begin */
export async function demo(deps: DemoDeps): Promise<number> {
  const { config, clock, folder, cloudsFile, out } = deps;
  const beganAt = clock.now();
  const say = (line: string): void => {
    out.write(`${line}\n`);
  };
  say('troupe demo: every Kubernetes object is an actor; watch them find their order');
  const environment = await openEnvironment({
    config,
    clock,
    folder,
    cloudsFile,
    latencyMs: LATENCY_MS,
    onProgress: (line) => say(`  ${line}`),
  });
  const closing: (() => Promise<unknown>)[] = [() => environment.close()];
  try {
    const logFile = join(resolve(folder), 'demo.log');
    const stream = createWriteStream(logFile, { mode: 0o600 });
    closing.push(() => new Promise<void>((done) => stream.end(done)));
    const log = openLog({ level: config.logLevel, readable: false, destination: stream });
    say(`  log: ${logFile}`);
    await installCrds(environment.client, clock, (line) => log.debug(line));
    const data = await credentials(environment.cloudsYaml, deps.cloudName);
    const cloud = demoCloud({ clock, data });
    closing.push(() => cloud.close());
    const runtime = await start(config, { bus: environment.bus, client: environment.client, clock, log });
    closing.push(() => drain(runtime, clock, log));
    return await new Demo({ ...deps, environment, runtime, cloud, data, say }).run(beganAt);
  } finally {
    for (const close of closing.reverse()) await close();
  }
}
