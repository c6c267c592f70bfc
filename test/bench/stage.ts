// What a benchmark plays on: the parts, each in a process of its own, and the ways to ask them.
import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../actors/base/clock.ts';
import { rolesWith } from '../../actors/base/config.ts';
import { BUILT_IN } from '../../actors/process/adapters.ts';
import { userOf } from '../../actors/process/bus-user.ts';
import { installCrds } from '../../actors/process/install-crds.ts';
import { metal3Contracts } from '../../adapters/ironic/api/contracts.ts';
import { type KubeClient, kubeClient } from '../../adapters/kubernetes/mod.ts';
import { openstackContracts } from '../../adapters/openstack/mod.ts';
import { type Clock, type NatsServer, natsProgram, startNatsServer } from '../../bus/mod.ts';
import { type SecuredServer, securedServer, seedFile } from '../bus/secured-server.ts';
import { sum } from './figures.ts';
import type { ActorsCounts } from './parts/actors.ts';
import type { CloudPace } from './parts/cloud.ts';
import type { IronicPartOptions } from './parts/ironic.ts';
import type { PartName, Question, Usage } from './parts/mod.ts';
import type { Profile } from './parts/profiler.ts';

/** As in the image (Dockerfile). */
const MALLOC = { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '8192', MALLOC_TRIM_THRESHOLD_: '8192' };
/** As with the executable: what is compiled already needs nothing that strips types, 25 MB of every process. */
export const COMPILE_CACHE = fileURLToPath(new URL('../../node_modules/.cache/compile', import.meta.url));
const CHILD = fileURLToPath(new URL('./part.ts', import.meta.url));
/** The user of the bus where it asks for one. */
const ALL_ROLES = userOf(new Set(rolesWith(BUILT_IN)), BUILT_IN);
/** Of the kernel's clock ticks, a second: what /proc counts processor time in on Linux. */
const TICKS_PER_SECOND = 100;
/** After so long without a message or a write there is nothing left to be done. */
const QUIET_MS = 3_000;

export interface StageOptions {
  readonly latencyMs: number;
  readonly inFlight: number;
  /** How long the simulated cloud works on servers and volumes. */
  readonly work?: Omit<CloudPace, 'latencyMs'>;
  /** An Ironic with machines in place of the simulated cloud. */
  readonly ironic?: Omit<IronicPartOptions, 'latencyMs'>;
  /** The real ones instead of the embedded API server and the simulated cloud. */
  readonly real?: { readonly kubeconfig: string; readonly cloudsFile: string };
  onProgress(line: string): void;
}

export class PartProcess {
  readonly info: Readonly<Record<string, string>>;
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (value: unknown) => void>();
  #asked = 0;

  private constructor(child: ChildProcess, info: Readonly<Record<string, string>>) {
    this.#child = child;
    this.info = info;
    child.on('message', ({ id, value }: { readonly id: number; readonly value: unknown }) => {
      this.#waiting.get(id)?.(value);
      this.#waiting.delete(id);
    });
  }

  static start(name: PartName, options: object): Promise<PartProcess> {
    const env = { ...process.env, ...MALLOC, NODE_COMPILE_CACHE: COMPILE_CACHE };
    const child = fork(CHILD, [name, JSON.stringify(options)], { execArgv: [], env });
    return new Promise((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`the part '${name}' ended with code ${code} before it served`)));
      child.once('message', ({ info }: { readonly info: Record<string, string> }) =>
        resolve(new PartProcess(child, info)),
      );
    });
  }

  ask(question: 'usage' | 'settled'): Promise<Usage>;
  ask(question: 'profiled'): Promise<Profile | undefined>;
  ask<Counts = Readonly<Record<string, number>>>(question: 'counts'): Promise<Counts>;
  ask(question: Question): Promise<unknown>;
  ask(question: Question): Promise<unknown> {
    const id = ++this.#asked;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, resolve);
      this.#child.send({ id, question }, (error) => error && reject(error));
    });
  }

  /** In order: leases are given back. */
  async close(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    await this.ask('close');
    this.#child.disconnect();
    await ended;
  }
}

export class Stage {
  readonly clock: Clock = systemClock();
  readonly folder: string;
  readonly client: KubeClient;
  readonly kubeconfig: string;
  /** Empty where there is an Ironic. */
  readonly cloudsYaml: string;
  readonly api: PartProcess | undefined;
  /** The simulated cloud, or Ironic. */
  readonly cloud: PartProcess | undefined;
  readonly #options: StageOptions;
  readonly #nats: NatsServer | SecuredServer;
  #actors: PartProcess | undefined;

  private constructor(
    options: StageOptions,
    {
      folder,
      kubeconfig,
      cloudsYaml,
      api,
      cloud,
      nats,
    }: {
      folder: string;
      kubeconfig: string;
      cloudsYaml: string;
      api: PartProcess | undefined;
      cloud: PartProcess | undefined;
      nats: NatsServer | SecuredServer;
    },
  ) {
    this.#options = options;
    this.#nats = nats;
    this.folder = folder;
    this.kubeconfig = kubeconfig;
    this.cloudsYaml = cloudsYaml;
    this.api = api;
    this.cloud = cloud;
    this.client = kubeClient({ clock: this.clock, kubeconfig, userAgent: 'troupe-bench' });
  }

  static async open(options: StageOptions): Promise<Stage> {
    const { real, ironic, onProgress } = options;
    const folder = await mkdtemp(join(tmpdir(), 'troupe-bench-'));
    onProgress(`starting the parts in ${folder}`);
    const kubeconfig = real?.kubeconfig ?? join(folder, 'kubeconfig');
    const api = real === undefined ? await PartProcess.start('api', { kubeconfig }) : undefined;
    const cloud = real === undefined ? await foreignSystem(options) : undefined;
    const cloudsYaml = real === undefined ? cloud?.info['cloudsYaml'] : await readFile(real.cloudsFile, 'utf8');
    const clock = systemClock();
    const completedLookup = {
      program: process.env['TROUPE_NATS_SERVER'],
      path: process.env['PATH'] ?? '',
      cacheFolder: join(homedir(), '.cache', 'troupe'),
      fetch: globalThis.fetch,
      onProgress,
    };
    const isSecured = process.env['TROUPE_BENCH_BUS'] === 'secured';
    const nats = isSecured
      ? await securedServer(await natsProgram(completedLookup), [ALL_ROLES])
      : await startNatsServer({
          clock,
          ...completedLookup,
          folder: join(folder, 'nats'),
        });
    const stage = new Stage(options, { folder, kubeconfig, cloudsYaml: cloudsYaml ?? '', api, cloud, nats });
    await installCrds(stage.client, clock, () => undefined, ironic ? metal3Contracts : openstackContracts);
    return stage;
  }

  get actors(): PartProcess {
    if (this.#actors === undefined) throw new Error('the actors were not started');
    return this.#actors;
  }

  /** @param options.profile  a profile from the first moment */
  async startActors({ profile = false }: { readonly profile?: boolean } = {}): Promise<void> {
    this.#actors = await PartProcess.start('actors', {
      kubeconfig: this.kubeconfig,
      natsUrl: this.#nats.url,
      ...('caFile' in this.#nats && {
        nkeySeedFile: join(this.#nats.folder, seedFile(ALL_ROLES)),
        caFile: this.#nats.caFile,
      }),
      callsInFlight: this.#options.inFlight,
      ...(this.#options.ironic && {
        ironic: { endpoint: this.cloud?.info['endpoint'], speed: this.#options.ironic.speed },
      }),
      profile,
    });
    const { page } = this.#actors.info;
    if (page !== undefined) await follow(page);
  }

  async stopActors(): Promise<void> {
    await this.#actors?.close();
    this.#actors = undefined;
  }

  counts(): Promise<ActorsCounts> {
    return this.actors.ask<ActorsCounts>('counts');
  }

  async reset(): Promise<void> {
    await Promise.all([this.api, this.cloud, this.actors].map((part) => part?.ask('reset')));
  }

  /** Processor time of each process so far, in milliseconds; what cannot be seen is left out. */
  async cpu(): Promise<Readonly<Record<string, number>>> {
    const cpuMs: Record<string, number> = {};
    const foreign = this.#options.ironic === undefined ? 'cloud' : 'ironic';
    for (const [name, part] of Object.entries({ actors: this.#actors, apiServer: this.api, [foreign]: this.cloud })) {
      if (part !== undefined) cpuMs[name] = (await part.ask('usage')).cpuMs;
    }
    const nats = cpuOf(this.#nats.pid);
    if (nats !== undefined) cpuMs['nats'] = nats;
    const { user, system } = process.cpuUsage();
    cpuMs['benchmark'] = (user + system) / 1_000;
    return cpuMs;
  }

  /** Waits until nothing has left the actors' process for a while. */
  async quiet(): Promise<void> {
    const total = async (): Promise<number> => {
      const { writes, messages } = await this.counts();
      return sum(writes) + sum(messages);
    };
    for (let last = -1, now = await total(); now !== last; last = now, now = await total()) {
      await this.clock.sleep(QUIET_MS);
    }
  }

  async close(): Promise<void> {
    await this.stopActors();
    await this.client.close();
    await this.#nats.close();
    await this.api?.close();
    await this.cloud?.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

function foreignSystem({
  latencyMs,
  work,
  ironic,
}: Pick<StageOptions, 'latencyMs' | 'work' | 'ironic'>): Promise<PartProcess> {
  if (ironic !== undefined) return PartProcess.start('ironic', { latencyMs, ...ironic });
  return PartProcess.start('cloud', { latencyMs, ...work });
}

/** Follows the page's feed as a browser does, until the server ends it. */
async function follow(page: string): Promise<void> {
  const response = await fetch(new URL('/api/feed', page));
  const read = async (): Promise<void> => {
    // What it does with what it hears is its own processor's business.
    for await (const _ of response.body ?? []);
  };
  read().catch(() => undefined);
}

/** What `cpu` grew by, by process. */
export function grown(
  before: Readonly<Record<string, number>>,
  after: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(after).map(([name, cpuMs]) => [name, cpuMs - (before[name] ?? 0)]));
}

/** Processor time of another process, in milliseconds. */
function cpuOf(pid: number): number | undefined {
  if (process.platform !== 'linux') return undefined;
  // The name of the program, in parentheses, may hold anything; after it come `utime` and `stime` as words 12 and 13.
  const words = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return ((Number(words[11]) + Number(words[12])) * 1_000) / TICKS_PER_SECOND;
}
