// A real Troupe for pictures of the page: the demo's systems and landscape, whole or broken in three places.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../actors/base/clock.ts';
import { readConfig } from '../../../actors/base/config.ts';
import { openLog } from '../../../actors/base/log.ts';
import { cloudInUse, credentials } from '../../../actors/cli/demo/cloud.ts';
import { History, type State, stateOfTags, tagsIn } from '../../../actors/cli/demo/history.ts';
import { startImageHost } from '../../../actors/cli/demo/images.ts';
import {
  applyObjects,
  createNamespace,
  credentialsObject,
  deleteObject,
  generatedSecrets,
  type LandscapeObject,
  NAMESPACE,
  readLandscape,
} from '../../../actors/cli/demo/landscape.ts';
import { RETIRED, racksInUse } from '../../../actors/cli/demo/racks.ts';
import { windowsInUse } from '../../../actors/cli/demo/windows.ts';
import { BUILT_IN, configure, settingsFor } from '../../../actors/process/adapters.ts';
import { busUser } from '../../../actors/process/bus-user.ts';
import { openEnvironment } from '../../../actors/process/environment.ts';
import { serveHttpEndpoints } from '../../../actors/process/http-endpoints.ts';
import { installCrds } from '../../../actors/process/install-crds.ts';
import { drain, start } from '../../../actors/process/run.ts';
import { startVisualizer } from '../../../actors/visualizer/visualizer.ts';
import { metal3 } from '../../../adapters/ironic/mod.ts';
import type { KubeClient } from '../../../adapters/kubernetes/mod.ts';
import type { Simulator } from '../../../adapters/simulated/openstack/mod.ts';
import { windows } from '../../../adapters/windows/mod.ts';
import { addressKey } from '../../../bus/mod.ts';

const SAMPLES = new URL('../../../deploy/samples/', import.meta.url);
const FOLDERS = ['company-cloud', 'company-racks', 'company-windows'];
const PURPOSE = 'development';
const NO_OPTIONS = {};
/** Longest wait for anything that should happen, in milliseconds. */
const LIMIT_MS = 600_000;

export const clock = systemClock();

export interface Stage {
  /** Address of the page. */
  readonly url: string;
  /** Objects of the landscape: dependents first. */
  readonly objects: readonly LandscapeObject[];
  readonly simulator: Simulator;
  readonly history: History;
  readonly client: KubeClient;
  /** The credentials of the cloud, which each namespace needs. */
  readonly credentials: LandscapeObject;
  /** Last state of each actor in any namespace, keyed as on the page. */
  readonly states: ReadonlyMap<string, State>;
  apply(objects: readonly LandscapeObject[]): Promise<void>;
  delete(object: LandscapeObject): Promise<void>;
  /** Resolves as soon as an event makes `test` true. @throws {Error} it takes too long */
  until(test: (history: History) => boolean): Promise<void>;
  close(): Promise<void>;
}

/** Starts everything; no object is applied yet. @param latencyMs  of a call to the cloud */
export async function openStage(latencyMs = 20): Promise<Stage> {
  const closing: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const end of closing.splice(0).reverse()) await end();
  };
  try {
    const folder = await mkdtemp(join(tmpdir(), 'troupe-stage-'));
    closing.push(() => rm(folder, { recursive: true, force: true }));
    const { HOME, PATH, XDG_CACHE_HOME } = process.env;
    const place = { 'visualizer-bind-address': '127.0.0.1:0', 'pod-name': 'troupe-0' };
    const config = readConfig({ HOME, PATH, XDG_CACHE_HOME }, place, BUILT_IN, PURPOSE);
    const said = BUILT_IN.map((adapter) => configure(adapter, {}, NO_OPTIONS, PURPOSE));
    const user = busUser(config.roles, said, config.nodeName);
    const onProgress = (): void => undefined;
    const opened = await openEnvironment({ config, adapters: said, user, clock, folder, lasting: false, onProgress });
    closing.push(() => opened.close());
    const { simulator, cloudsYaml } = await cloudInUse(undefined, clock);
    if (simulator === undefined) throw new Error('the cloud of the stage is simulated');
    simulator.setLatency(latencyMs);
    closing.push(() => simulator.close());
    const racks = await racksInUse(clock, opened.cluster, settingsFor(metal3, {}, NO_OPTIONS, PURPOSE));
    closing.push(async () => racks.simulator?.close());
    const storage = await windowsInUse(clock, config, settingsFor(windows, {}, NO_OPTIONS, PURPOSE));
    const adapters = BUILT_IN.map((adapter) => configure(storage.over(adapter), {}, racks.options, PURPOSE));
    const pages = await serveHttpEndpoints(config, opened.client, clock, { hasBus: true });
    closing.push(() => pages.close());
    const { client } = pages;
    const bus = pages.follow(opened.bus);
    const log = openLog({ level: 'error', readable: false });
    await installCrds(
      client,
      clock,
      () => undefined,
      adapters.flatMap(({ contracts }) => contracts),
    );
    const history = new History(NAMESPACE);
    const states = new Map<string, State>();
    const listeners = new Set<() => void>();
    const tracing = await bus.trace.subscribe((event) => {
      history.take(event);
      if (event.type === 'transition') states.set(addressKey(event.actor), stateOfTags(tagsIn(event.data)));
      for (const listener of listeners) listener();
    });
    closing.push(() => tracing.close());
    const images = await startImageHost();
    closing.push(() => images.close());
    const visualizer = await startVisualizer(config, { adapters, bus, client, clock, log });
    if (visualizer === undefined) throw new Error('there is no page');
    closing.push(() => visualizer.close());
    const ending = new AbortController();
    const runtime = await start(config, { adapters, bus, client, metrics: pages.metrics, clock, log }, ending.signal);
    pages.began(runtime);
    closing.push(() => drain(runtime, clock, log));
    const read = async (name: string): Promise<readonly LandscapeObject[]> => {
      const { first, later } = await readLandscape(new URL(`${name}/`, SAMPLES), runtime.kinds);
      return [...first, ...later];
    };
    const found = (await Promise.all(FOLDERS.map(read))).flat();
    const objects = [...found, ...generatedSecrets(found)].map((each) => storage.localized(images.localized(each)));
    await createNamespace(client);
    const secret = credentialsObject(await credentials(cloudsYaml, undefined));
    history.expect([secret]);
    await applyObjects(client, [secret]);
    return {
      url: visualizer.link,
      objects,
      simulator,
      history,
      client,
      credentials: secret,
      states,
      apply: (some) => {
        history.expect(some);
        return applyObjects(client, some);
      },
      until: async (test) => {
        const { promise, resolve, reject } = Promise.withResolvers<void>();
        const look = (): void => {
          if (test(history)) resolve();
        };
        const timer = clock.setTimeout(() => reject(new Error('the landscape takes too long')), LIMIT_MS);
        listeners.add(look);
        look();
        await promise.finally(() => {
          listeners.delete(look);
          clock.clearTimeout(timer);
        });
      },
      delete: (object) => deleteObject(client, object),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Root causes of the broken landscape, and what becomes of each. */
const BROKEN = { quota: 'securitygroup/measured', ambiguous: 'network/public', down: 'service/stock' } as const;

/**
 * Applies the landscape, broken in three places: a quota is used up, the name of an import is ambiguous, and Keystone answers
 * every attempt to create one service with 503. Afterwards a host is deleted.
 */
export async function applyBroken({ objects, simulator, apply, until, ...stage }: Stage): Promise<void> {
  const roots = new Set<string>(Object.values(BROKEN));
  const isRoot = ({ key }: LandscapeObject): boolean => roots.has(key);
  const rest = objects.filter((each) => !isRoot(each));
  await apply(rest);
  await until((history) => rest.every(({ key }) => history.isReady(key) || history.isBlocked(key)));
  simulator.setQuota(simulator.projectId, { security_group_rule: 0 });
  const [twin] = simulator.resources('networks').filter(({ name }) => name === 'public');
  simulator.drift.add('networks', {
    ...twin,
    id: simulator.projectId.replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
  });
  const match = { service: 'identity', method: 'POST', path: /^\/services$/ } as const;
  simulator.faults.inject({ match, status: 503, times: 1_000 });
  await apply(objects.filter(isRoot));
  await until((history) => [...roots].every((key) => ['retrying', 'failed'].includes(history.state(key) ?? '')));
  const retired = objects.find(({ key }) => key === RETIRED);
  if (retired !== undefined) await stage.delete(retired);
}
