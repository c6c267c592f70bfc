// The steps of the demo: the landscape comes up, a host is retired, all is deleted again, and nothing may be left.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { shellWord } from '../../../adapters/text/shell-word.ts';
import { type Clock, TerminalError, toErrorData } from '../../../bus/mod.ts';
import type { Environment } from '../../process/environment.ts';
import { aborted, type Gateway } from '../../process/run.ts';
import type { Runtime } from '../../process/runtime.ts';
import type { Visualizer } from '../../visualizer/server.ts';
import { type CloudInUse, type DemoCloud, type Inventory, PUBLIC } from './cloud.ts';
import { History, State } from './history.ts';
import type { ImageHost } from './images.ts';
import {
  applyObjects,
  createNamespace,
  deleteNamespace,
  deleteObject,
  generatedSecrets,
  isManaged,
  type Landscape,
  type LandscapeObject,
  messageOf,
  NAMESPACE,
  namespaceGone,
  namespaceOwner,
  readLandscape,
  remaining,
  SECRET_KEY,
  without,
} from './landscape.ts';
import { clustersAt, clustersOverHttp, isModeled } from './models.ts';
import { nextSteps } from './next-steps.ts';
import { HOST, hostLine, type Racks, RETIRED } from './racks.ts';
import { Show, type ShowDeps } from './show.ts';
import {
  callLines,
  creationLines,
  creationOrder,
  deletionLines,
  deletionOrder,
  type Stretch,
  seconds,
} from './summary.ts';
import { detailOf, legend } from './view.ts';
import { isStorage, storageLine, storageOrder, type WindowsInUse } from './windows.ts';

const CLOUD = new URL('../../../deploy/samples/company-cloud/', import.meta.url);
const MACHINES = new URL('../../../deploy/samples/company-racks/', import.meta.url);
const STORAGE = new URL('../../../deploy/samples/company-windows/', import.meta.url);
const MODELED = new URL('../../../deploy/samples/company-api/', import.meta.url);
/** Everything together may take so long to come up, and again to go, in milliseconds. */
const LIMIT_MS = 300_000;
/** A start that takes longer is explained, in milliseconds. */
const PATIENCE_MS = 1_500;
/** Time within which the trace reports the rest after the API server has done all, in milliseconds. */
const LAG_MS = 2_000;
/** Time within which HTTP lists what the actors have, in milliseconds. */
const API_LAG_MS = 10_000;
/** Exit code after Ctrl-C, as by convention. */
const INTERRUPTED = 130;

export interface Stage extends Pick<ShowDeps, 'out' | 'terminal' | 'ink'> {
  readonly clock: Clock;
  /** Ctrl-C. */
  readonly signal: AbortSignal;
  readonly folder: string;
  /** Leaves everything up until `signal`. */
  readonly keep: boolean;
  readonly environment: Environment & CloudInUse;
  readonly runtime: Runtime;
  readonly visualizer: Visualizer | undefined;
  readonly cloud: DemoCloud;
  readonly racks: Racks;
  readonly storage: WindowsInUse;
  /** Serves the model of the demo; undefined where its kinds are not. */
  readonly gateway: Gateway | undefined;
  /** Sends the requests to it. */
  readonly fetch: typeof globalThis.fetch;
  readonly secret: LandscapeObject;
  readonly images: ImageHost;
  readonly say: (line: string) => void;
}

export class Demo {
  readonly #stage: Stage;
  readonly #history = new History(NAMESPACE);
  readonly #problems: string[] = [];
  readonly #show: Show;
  #cameUpMs: number | undefined;
  #wentMs: number | undefined;

  constructor(stage: Stage) {
    this.#stage = stage;
    const { clock, out, terminal, ink } = stage;
    this.#show = new Show({ history: this.#history, clock, out, terminal, ink });
  }

  async run(): Promise<number> {
    const { clock, signal, keep, environment, say } = this.#stage;
    const beganAt = clock.now();
    await this.#claimNamespace();
    const before = await this.#inventory();
    const tracing = await environment.bus.trace.subscribe((event) => this.#show.take(event));
    try {
      await this.#guarded(() => this.#comeUp());
      await this.#guarded(() => this.#retire());
      if (keep && !signal.aborted) {
        await this.#tellHowToLook();
        await aborted(signal);
      } else if (signal.aborted) say('stopped; what was made is deleted (Ctrl-C again ends at once)');
      await this.#guarded(() => this.#goAway());
      await this.#guarded(() => this.#check(before));
    } finally {
      this.#show.end();
      await tracing.close();
    }
    const verdict = this.#verdict(clock.now() - beganAt);
    if (verdict === 0) for (const line of nextSteps(keep)) say(line);
    return verdict;
  }

  /** Runs a part; its exception is a problem, and the demo continues with the cleanup (CLI-DEMO-1). */
  async #guarded(part: () => Promise<void>): Promise<void> {
    try {
      await part();
    } catch (error) {
      this.#problem(toErrorData(error).message);
    } finally {
      this.#show.end();
    }
  }

  #problem(text: string): void {
    this.#problems.push(text);
    this.#stage.say(`! ${text}`);
  }

  /** @throws {TerminalError} the namespace is there and not ours */
  async #claimNamespace(): Promise<void> {
    const { environment, clock, signal, say } = this.#stage;
    const owner = await namespaceOwner(environment.client);
    if (owner === 'other') {
      throw new TerminalError(`namespace '${NAMESPACE}' is there already and not the demo's: delete it first`);
    }
    if (owner === 'nobody') return;
    say(`namespace '${NAMESPACE}' is left from an earlier demo, and is deleted first`);
    await deleteNamespace(environment.client);
    await this.#show.limited(LIMIT_MS, signal, (limit) => namespaceGone(environment.client, clock, limit));
  }

  // --- up ----------------------------------------------------------------------------------------------------

  async #comeUp(): Promise<void> {
    const { environment, runtime, racks, storage, gateway, fetch, signal } = this.#stage;
    const { secret, images, clock, terminal, ink, say } = this.#stage;
    const { client, simulator } = environment;
    const { first: cloudsFirst, later } = await this.#withoutMissing(await readLandscape(CLOUD, runtime.kinds));
    const machines = racks.simulator === undefined ? [] : (await readLandscape(MACHINES, runtime.kinds)).first;
    const disks = storage.machine === undefined ? [] : (await readLandscape(STORAGE, runtime.kinds)).first;
    const modeled = gateway === undefined ? [] : (await readLandscape(MODELED, runtime.kinds)).first;
    const first = [...cloudsFirst, ...machines, ...disks, ...modeled];
    const applied = [...first, ...generatedSecrets(first)].map((object) => storage.localized(images.localized(object)));
    this.#history.expect([secret]);
    await createNamespace(client);
    await applyObjects(client, [secret]);
    const { leaseMs } = environment.bus.leases;
    const hint = (): void => say(`  leases of an earlier process may have to end first, within ${seconds(leaseMs)}`);
    const timer = clock.setTimeout(hint, PATIENCE_MS);
    const seen = await this.#until(() => this.#history.isReady(SECRET_KEY));
    clock.clearTimeout(timer);
    if (!seen) return this.#timedOut('no actor has come to life');
    simulator?.resetCounts();
    racks.simulator?.resetCounts();

    say(legend(terminal, ink));
    this.#history.expect(applied);
    const heading = `applying ${applied.filter(isManaged).length} objects at once, dependents first`;
    const firstBeganAt = this.#show.begin(heading, [secret, ...applied]);
    await applyObjects(client, applied);
    if (!(await this.#until(() => this.#history.isSettled()))) return this.#report(applied, 'not all is settled');
    const blocked = applied.filter(({ key }) => this.#history.isBlocked(key));
    const settled = applied.filter((object) => !blocked.includes(object));
    this.#show.end();
    await this.#report(settled);
    for (const object of blocked) say(`${object.key} still waits: ${await messageOf(client, object)}`);

    const both = [...blocked, ...later];
    this.#history.expect(later);
    const laterBeganAt = this.#show.begin(`applying the ${later.length} objects of 90-later.yaml`, both);
    await applyObjects(client, later);
    if (!(await this.#until(() => this.#history.isSettled()))) return this.#report(both, 'not all is settled');
    this.#show.end();
    await this.#report(both);
    if (this.#problems.length > 0) return;

    const history = this.#history;
    const stretch: Stretch = { history, objects: settled, beganAt: firstBeganAt };
    const all = [...history.objects.values()];
    const counted = all.filter(isManaged);
    this.#cameUpMs = Math.max(...settled.map(({ key }) => history.readyAt(key) ?? clock.now())) - firstBeganAt;
    const goneOn = Math.max(...blocked.map(({ key }) => history.readyAt(key) ?? 0)) - laterBeganAt;
    say('');
    say(`${counted.length} objects of ${new Set(counted.map(({ kind }) => kind)).size} kinds`);
    for (const line of creationLines(stretch)) say(`  ${line}`);
    if (blocked.length > 0) say(`  what waited was available ${seconds(goneOn)} after 90-later.yaml was applied`);
    const broken = creationOrder({ ...stretch, objects: all }).broken;
    for (const pair of broken) this.#problem(`out of order: ${pair}`);
    if (simulator !== undefined) for (const line of callLines(this.#calls())) say(`  ${line}`);
    if (machines.length > 0) say(`  ${await hostLine(client)}`);
    if (disks.length > 0) say(`  ${storageLine(await storage.inventory())}`);
    if (gateway !== undefined) {
      const names = modeled.flatMap(({ kind, name }) => (kind === 'Cluster' ? name : []));
      const found = await this.#show.limited(API_LAG_MS, signal, (limit) =>
        clustersOverHttp({ gateway, fetch }, names, limit),
      );
      if (found.problem === undefined) say(`  ${found.line}`);
      else if (!signal.aborted) this.#problem(`${found.problem} after ${API_LAG_MS / 1_000} s`);
    }
    say('');
  }

  /** Services of the simulated cloud, and Ironic as one more. */
  #calls(): Readonly<Record<string, number>> {
    const { environment, racks } = this.#stage;
    const ofIronic = Object.entries(racks.simulator?.calls() ?? {});
    return {
      ...environment.simulator?.calls(),
      ...Object.fromEntries(ofIronic.map(([name, count]) => [`bare-metal ${name}`, count])),
    };
  }

  /** One of the hosts goes while all else stays up: its machine is cleared, and its node leaves Ironic. */
  async #retire(): Promise<void> {
    const { environment, signal, clock, say } = this.#stage;
    const host = this.#history.objects.get(RETIRED);
    if (host === undefined || signal.aborted || this.#problems.length > 0) return;
    const beganAt = this.#show.begin(`deleting ${RETIRED}, while all else stays up`, [host]);
    await deleteObject(environment.client, host);
    const isGone = await this.#until(() => this.#history.state(RETIRED) === State.Gone);
    this.#show.end();
    if (!isGone) return this.#timedOut(`${RETIRED} is not gone`);
    const tookMs = (this.#history.goneAt(RETIRED) ?? clock.now()) - beganAt;
    say(`  gone after ${seconds(tookMs)}; ${await hostLine(environment.client)}, 1 deleted`);
    say('');
  }

  /** Without the imported network where a cloud has none, what its services do not know, and all that needs these. */
  async #withoutMissing(landscape: Landscape): Promise<Landscape> {
    const { cloud, say } = this.#stage;
    const unknown = await cloud.kindsWithoutService();
    const hasNetwork = await cloud.hasNetwork(PUBLIC);
    const found = without(
      landscape,
      ({ key, kind }) => unknown.has(kind) || (!hasNetwork && key === `network/${PUBLIC}`),
    );
    if (!hasNetwork) say(`the cloud has no external network '${PUBLIC}', which network/${PUBLIC} imports`);
    if (unknown.size > 0) say(`the cloud has no service for ${[...unknown].join(', ')}`);
    if (found.missing.length > 0) say(`${found.missing.length} objects are left out for that`);
    return found;
  }

  /** Tells of all that is not ready. */
  async #report(objects: readonly LandscapeObject[], otherwise?: string): Promise<void> {
    const { client } = this.#stage.environment;
    this.#show.end();
    if (this.#stage.signal.aborted) return;
    if (otherwise !== undefined) this.#timedOut(otherwise);
    // Causes first: what lacks nothing but its own success, then what waits for it.
    const causes = objects.filter(({ key }) => this.#history.awaited(key).length === 0);
    for (const object of new Set([...causes, ...objects])) {
      if (this.#history.isReady(object.key)) continue;
      const detail = detailOf(this.#history, object.key) || 'not seen at all';
      this.#problem(`${object.key} ${detail}: ${(await messageOf(client, object)) ?? 'its status has no message'}`);
    }
  }

  /** True as soon as the trace makes `test` true; false when it took too long, and on Ctrl-C. */
  #until(test: () => boolean): Promise<boolean> {
    return this.#show.limited(LIMIT_MS, this.#stage.signal, (limit) => this.#show.until(test, limit));
  }

  #timedOut(what: string): void {
    if (!this.#stage.signal.aborted) this.#problem(`${what} after ${LIMIT_MS / 1_000} s`);
  }

  // --- and away ----------------------------------------------------------------------------------------------

  async #goAway(): Promise<void> {
    const { environment, clock, say } = this.#stage;
    const history = this.#history;
    const objects = [...history.objects.values()];
    const heading = `deleting namespace ${NAMESPACE} with all that is in it, the credentials too`;
    const beganAt = this.#show.begin(heading, objects);
    await deleteNamespace(environment.client);
    const isGone = await this.#show.limited(LIMIT_MS, undefined, (limit) =>
      namespaceGone(environment.client, clock, limit),
    );
    if (!isGone) return this.#problem(`the namespace is still there after ${LIMIT_MS / 1_000} s`);
    this.#wentMs = clock.now() - beganAt;
    await this.#show.limited(LAG_MS, undefined, (limit) => this.#show.until(() => history.isAllGone(), limit));
    this.#show.end();
    const stretch: Stretch = { history, objects, beganAt };
    for (const line of deletionLines(stretch)) say(`  ${line}`);
    for (const line of storageOrder(history)) say(`  ${line}`);
    for (const pair of deletionOrder(stretch).broken) this.#problem(`out of order: ${pair}`);
  }

  /** Resources in the cloud and in Ironic, and storage in use on the Windows machine. */
  async #inventory(): Promise<Inventory> {
    const { cloud, racks, storage } = this.#stage;
    return new Map([...(await cloud.inventory()), ...racks.inventory(), ...(await storage.inventory())]);
  }

  /** Nothing is left in the cloud, in Ironic or in Kubernetes, and what was there before still is. */
  async #check(before: Inventory): Promise<void> {
    const { environment, runtime } = this.#stage;
    const after = await this.#inventory();
    // A real cloud has other users: only what has our names or ids is ours.
    const names = new Set([...this.#history.objects.values()].map(({ name }) => name));
    const ids = this.#history.externalIds();
    const isOurs = ([id, { name }]: [string, { readonly name: string }]): boolean =>
      environment.simulator !== undefined || names.has(name) || ids.has(id);
    for (const [id, { what }] of [...after].filter(isOurs)) {
      if (!before.has(id)) this.#problem(`left in the cloud: ${what} (${id})`);
    }
    for (const [id, { what }] of [...before].filter(isOurs)) {
      if (!after.has(id)) this.#problem(`gone from the cloud, though the demo did not make it: ${what} (${id})`);
    }
    for (const key of await remaining(environment.client, runtime.kinds)) this.#problem(`left in Kubernetes: ${key}`);
    if (this.#problems.length === 0)
      this.#stage.say('nothing is left: the cloud and Kubernetes are as they were before');
  }

  #verdict(totalMs: number): number {
    const { say, signal, keep } = this.#stage;
    const objects = [...this.#history.objects.values()].filter(isManaged);
    const hosts = objects.filter(({ kind }) => kind === HOST).length;
    const storage = objects.filter(isStorage).length;
    const modeled = objects.filter(isModeled).length;
    const parts = [
      hosts > 0 ? `${hosts} hosts` : [],
      storage > 0 ? `${storage} Windows storage` : [],
      modeled > 0 ? `${modeled} of a model` : [],
    ].flat();
    const counted = `${objects.length} objects${parts.length > 0 ? `, ${listed(parts)} among them,` : ''}`;
    const total = `${seconds(totalMs)} in all`;
    if (this.#problems.length > 0) {
      const others = this.#problems.length > 1 ? ` and ${this.#problems.length - 1} more` : '';
      say(`demo failed: ${this.#problems[0]}${others} (${total})`);
      return 1;
    }
    if (this.#cameUpMs === undefined || this.#wentMs === undefined || (signal.aborted && !keep)) {
      say(`demo stopped; nothing is left (${total})`);
      return INTERRUPTED;
    }
    say(
      `demo passed: ${counted} came up in ${seconds(this.#cameUpMs)} and went in ${seconds(this.#wentMs)}; nothing is left (${total})`,
    );
    return 0;
  }

  async #tellHowToLook(): Promise<void> {
    const { environment, folder, visualizer, gateway, say } = this.#stage;
    const { kubeconfig, natsUrl, simulator, cloudsYaml } = environment;
    say('everything stays up until Ctrl-C. To look:');
    say(`  export KUBECONFIG=${shellWord(kubeconfig)}`);
    say(`  kubectl get openstack -n ${NAMESPACE}`);
    if (visualizer !== undefined) say(`  ${visualizer.url}   # all objects, in the browser`);
    if (gateway !== undefined) {
      say(`  ${gateway.curl} ${clustersAt(gateway)}`);
      say(`  ${gateway.url}/docs   # that API, in the browser`);
    }
    if (natsUrl !== undefined) {
      const file = join(folder, 'nats-url');
      await writeFile(file, natsUrl, { mode: 0o600 });
      say(`  nats --server "$(cat ${shellWord(file)})" sub 'troupe.event.>'`);
    }
    if (simulator !== undefined) {
      const file = join(folder, 'clouds.yaml');
      await writeFile(file, cloudsYaml, { mode: 0o600 });
      say(`  OS_CLIENT_CONFIG_FILE=${shellWord(file)} openstack --os-cloud openstack network list`);
    }
  }
}

/** `a, b and c`. */
function listed(parts: readonly string[]): string {
  const [last = '', ...before] = [...parts].reverse();
  return before.length === 0 ? last : `${before.reverse().join(', ')} and ${last}`;
}
