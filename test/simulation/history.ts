// One history: a plan played on the whole runtime in one process, under simulated time. Equal plans give equal histories.
import pino from 'pino';
import { mulberry32 } from '../../actors/clock.ts';
import { type Address, type MemoryBroker, memoryBroker, shardOf } from '../../bus/mod.ts';
import type { KubeObject } from '../../machines/object.ts';
import { type SimulatedShop, simulatedShop } from '../example-adapter/simulated-shop.ts';
import { Answered } from './answered.ts';
import { Chronicle, describe } from './chronicle.ts';
import { newCloud } from './clouds.ts';
import { type Cluster, cluster, HOST_CONTRACTS, WINDOWS_CONTRACTS } from './cluster.ts';
import { Hands } from './hands.ts';
import { isOfHosts } from './host-plan.ts';
import { HostScene } from './host-scene.ts';
import { isInCloud } from './in-cloud.ts';
import { isPress, PLURALS, sayingOf } from './kinds.ts';
import { finalizersOf, leftover } from './leftovers.ts';
import { MailOrder } from './mail-order.ts';
import { SECRET } from './manifests.ts';
import { Moments } from './moments.ts';
import { People } from './people.ts';
import type { Happening, Plan } from './plan.ts';
import { Processes } from './processes.ts';
import { unrest } from './rest.ts';
import { SHEET_MS } from './shop.ts';
import { ShopWatch } from './shop-watch.ts';
import { ProcessClock, SimulatedTime } from './time.ts';
import { usersDo } from './users.ts';
import { Watchman } from './watchman.ts';
import { Weather } from './weather.ts';
import { type Machines, machinesOf } from './windows-machines.ts';
import { isByUsers, isOfWindows } from './windows-plan.ts';
import { WindowsScene } from './windows-scene.ts';

export interface Violation {
  readonly invariant: string;
  readonly text: string;
  readonly atMs: number;
}

export interface History {
  readonly violation: Violation | undefined;
  /** Of everything that happened, in order. */
  readonly hash: string;
  /** One line a happening; empty unless asked for. */
  readonly story: readonly string[];
  readonly steps: number;
  readonly objects: number;
  readonly simulatedMs: number;
}

export interface HistoryOptions {
  readonly told?: boolean;
}

const SHARDS = 4;
const LEASE_MS = 15_000;
const CALL_MS = 10_000;
/** By when everything must be as it has to be, after the last misfortune, in milliseconds. */
const REST_WITHIN_MS = 40 * 60_000;
/** The same of hosts: what failed often enough is tried again after eight and a half hours. */
const HOSTS_REST_WITHIN_MS = 9 * 3_600_000;
const LOOK_EVERY_MS = 1_000;
/** What looks like the end must stay so. */
const REST_FOR_MS = 5_000;
const IDLE_MS = 20_000;
/** How long users try again what the API server does not take, after the last thing that happened, in milliseconds. */
const PATIENCE_MS = 20_000;
/** What BMCs say is looked at every few minutes, and by whoever begins: what is found then may be news. */
const LOOKED_AT: ReadonlySet<string> = new Set(['hostfirmwaresettings', 'hostfirmwarecomponents']);
/** After which not all of the mail is there, or an object does not tell what it has. */
const FORGETTING: ReadonlySet<Happening['what']> = new Set(['wipeMail', 'wipeAll', 'rollBack', 'forgetId']);

export async function play(plan: Plan, { told = false }: HistoryOptions = {}): Promise<History> {
  const time = new SimulatedTime();
  const clock = new ProcessClock(time, plan.seed ^ 0x5eed);
  const contracts = (plan.machines && HOST_CONTRACTS) ?? (plan.estate && WINDOWS_CONTRACTS);
  const chance = mulberry32(plan.seed ^ 0x3a17);
  const machines = plan.estate && (await machinesOf(plan.estate, { clock, time, chance }));
  return new Performance(plan, { told, time, clock, machines, cluster: await cluster(clock, contracts) }).play();
}

interface Scene {
  readonly told: boolean;
  readonly time: SimulatedTime;
  readonly clock: ProcessClock;
  readonly cluster: Cluster;
  /** Of Windows, where there are any. */
  readonly machines: Machines | undefined;
}

class Performance {
  readonly #plan: Plan;
  readonly #time: SimulatedTime;
  readonly #cloud: ReturnType<typeof newCloud>;
  readonly #shop: SimulatedShop;
  readonly #shopWatch: ShopWatch;
  readonly #broker: MemoryBroker;
  readonly #processes: Processes;
  readonly #weather: Weather;
  readonly #cluster: Cluster;
  readonly #chronicle: Chronicle;
  readonly #watchman: Watchman;
  readonly #people: People;
  readonly #hands: Hands;
  readonly #hosts: HostScene | undefined;
  readonly #windows: WindowsScene | undefined;
  readonly #lastMs: number;
  #violation: Violation | undefined;
  #troubled = false;
  #changed = true;
  #hasForgotten = false;
  #isRenamed = false;
  #isTidying = false;
  #writes = 0;

  constructor(plan: Plan, { told, time, clock, cluster, machines }: Scene) {
    this.#plan = plan;
    this.#time = time;
    this.#cluster = cluster;
    this.#lastMs = plan.steps.at(-1)?.atMs ?? 0;
    this.#chronicle = new Chronicle(time, { told });
    this.#weather = new Weather(time, mulberry32(plan.seed ^ 0xc4a2ce));
    this.#cloud = newCloud(clock);
    this.#shop = simulatedShop({ clock, sheetMs: SHEET_MS });
    this.#broker = memoryBroker({
      clock,
      shards: SHARDS,
      leaseMs: LEASE_MS,
    });
    const log = pino(
      { level: told || this.#isApart() ? 'info' : 'fatal', base: null, timestamp: false },
      {
        write: (line) => {
          this.#apart?.watch.judgeText('the log', line);
          if (told) this.#chronicle.tellLog(line);
        },
      },
    );
    const hostOf = (address: Address): string | undefined => {
      const lease = `shard.${shardOf(address, SHARDS)}`;
      const holder = this.#broker.leases().find(({ name }) => name === lease)?.holder;
      // The name of a pod, and what makes it unique.
      return holder?.slice(0, holder.lastIndexOf('-'));
    };
    const answered = new Answered();
    this.#watchman = new Watchman({
      cluster,
      onViolation: (invariant, text) => this.#violate(invariant, text),
      hostOf,
      isInCloud: (kind, id) => isInCloud(this.#cloud, kind, id),
      answered,
      isTroubled: () => this.#troubled,
    });
    this.#shopWatch = new ShopWatch({
      shop: this.#shop,
      cluster,
      watchman: this.#watchman,
      onViolation: (invariant, text) => this.#violate(invariant, text),
    });
    this.#people = new People({
      time,
      cluster,
      cloud: this.#cloud,
      watchman: this.#watchman,
      shopWatch: this.#shopWatch,
      chronicle: this.#chronicle,
      patienceMs: this.#lastMs + PATIENCE_MS,
      onTrouble: () => {
        this.#troubled = true;
      },
      onLasting: (forMs) => this.#weather.last('a resource in the cloud', forMs),
      onChange: () => {
        this.#changed = true;
      },
    });
    this.#hands = new Hands({
      cluster,
      watchman: this.#watchman,
      onTrouble: () => {
        this.#troubled = true;
      },
      tell: (what) => this.#chronicle.note(`by hand: ${what}`, () => `a user ${what}`),
    });
    if (plan.machines !== undefined) {
      this.#hosts = new HostScene({
        ...{ time, clock, cluster, hostOf, machines: plan.machines, chronicle: this.#chronicle },
        onViolation: (invariant, text) => this.#violate(invariant, text),
        onLasting: (forMs) => this.#weather.last('a machine', forMs),
        onChange: () => {
          this.#changed = true;
        },
      });
    }
    if (plan.estate !== undefined && machines !== undefined) {
      this.#windows = new WindowsScene({
        ...{ time, cluster, hostOf, machines, estate: plan.estate, chronicle: this.#chronicle },
        onViolation: (invariant, text) => this.#violate(invariant, text),
        onLasting: (forMs) => this.#weather.last('a Windows machine', forMs),
        onChange: () => {
          this.#changed = true;
        },
      });
    }
    const moments = new Moments({
      plan,
      time,
      cluster,
      isTidying: () => this.#isTidying,
      happen: (happening, afterMs) => {
        this.#weather.last('a moment', afterMs);
        time.after(afterMs, () => this.#happen(happening));
      },
    });
    const mailOrder = new MailOrder({ onViolation: (invariant, text) => this.#violate(invariant, text) });
    this.#broker.onMail((change) => {
      if (change.kind === 'stored') {
        mailOrder.onStored(change.mail);
        answered.onStored(change.mail);
      } else if (change.kind === 'removed') mailOrder.onRemoved(change.mail);
      else mailOrder.forget();
    });
    this.#processes = new Processes({
      plan,
      time,
      cluster,
      cloud: this.#cloud,
      shop: this.#shop,
      shopWatch: this.#shopWatch,
      hosts: this.#hosts,
      windows: this.#windows,
      broker: this.#broker,
      weather: this.#weather,
      watchman: this.#watchman,
      mailOrder,
      chronicle: this.#chronicle,
      log,
      callMs: CALL_MS,
      onChange: () => {
        this.#changed = true;
      },
      onTrace: (pod, event) => moments.onTrace(pod, event),
      onDefect: (message) => this.#violate('start', message),
    });
  }

  async play(): Promise<History> {
    const { namespaces, steps } = this.#plan;
    this.#cluster.follow((plural, change) => {
      if (plural === 'leases') return;
      this.#changed = true;
      if (!LOOKED_AT.has(plural)) this.#writes += 1;
      const { metadata } = change.stored;
      this.#chronicle.note(
        `${change.type} ${plural} ${metadata.namespace ?? ''}/${metadata.name} ${change.revision}`,
        () => `the API server: ${change.type.toLowerCase()} ${describe(change.stored.object as unknown as KubeObject)}`,
      );
      this.#watchman.onChange(plural, change);
      this.#apart?.watch.onChange(plural, change);
      if (plural === 'books')
        this.#shopWatch.onChange(
          change.previous?.object as unknown as KubeObject | undefined,
          change.stored.object as unknown as KubeObject,
        );
    });
    for (const namespace of namespaces) this.#people.createNamespace(namespace);
    this.#processes.startAll();
    for (const step of steps) this.#time.after(step.atMs, () => this.#happen(step));
    await this.#until(this.#lastMs + 1);
    if (this.#violation === undefined) await this.#calmDown();
    if (this.#violation === undefined) await this.#rest('in the end', () => this.#unrest());
    if (this.#violation === undefined) await this.#idle();
    if (this.#violation === undefined && this.#plan.seed % 3 === 0) await this.#startAfresh();
    if (this.#violation === undefined) await this.#tidyUp();
    return {
      violation: this.#violation,
      hash: this.#chronicle.hash,
      story: this.#chronicle.story,
      steps: this.#time.steps,
      objects: steps.filter(({ what }) => what === 'create').length,
      simulatedMs: this.#time.elapsed(),
    };
  }

  /** What there is in place of all else. */
  get #apart(): HostScene | WindowsScene | undefined {
    return this.#hosts ?? this.#windows;
  }

  #isApart(): boolean {
    return this.#plan.machines !== undefined || this.#plan.estate !== undefined;
  }

  // --- phases --------------------------------------------------------------------------------------------------

  /** Runs until so long after the beginning, or until something is broken. */
  async #until(elapsedMs: number): Promise<void> {
    const untilAt = this.#time.now() - this.#time.elapsed() + elapsedMs;
    while (this.#violation === undefined && (await this.#time.step(untilAt)));
    if (this.#violation === undefined) await this.#time.advance(Math.max(0, untilAt - this.#time.now()));
  }

  /** Misfortunes end: what lasts longer than the plan is over, too. */
  async #calmDown(): Promise<void> {
    const lastingAt = Math.max(this.#time.elapsed(), this.#weather.overMs());
    // What was lost, or taken from somebody, is taken over only after a lease time, and a fresh start may take another.
    await this.#until(lastingAt + (this.#troubled ? 3 * LEASE_MS : 0) + 1);
    this.#hands.putRight();
    this.#hosts?.users.putRight();
    this.#windows?.putRight();
    this.#people.putRight();
  }

  /** Runs until `unrest` finds nothing, and goes on finding nothing. */
  async #rest(when: string, unrest: () => string | undefined | Promise<string | undefined>): Promise<void> {
    const from = this.#time.elapsed();
    const withinMs = this.#hosts === undefined ? REST_WITHIN_MS : HOSTS_REST_WITHIN_MS;
    let quietSince: number | undefined;
    let why: string | undefined = 'nothing was looked at';
    let lookMs = LOOK_EVERY_MS;
    while (this.#violation === undefined) {
      await this.#until(this.#time.elapsed() + lookMs);
      if (this.#changed) {
        this.#changed = false;
        why = this.#people.pending > 0 ? 'users still wait for the API server' : await unrest();
        // Of many objects that are looked at every so often one always says when.
        if (why !== undefined || this.#plan.resyncMs === 0) quietSince = undefined;
      } else if (why !== undefined) lookMs = Math.min(lookMs * 1.2, 10_000);
      if (why === undefined) {
        quietSince ??= this.#time.elapsed();
        lookMs = LOOK_EVERY_MS;
        if (this.#time.elapsed() - quietSince >= REST_FOR_MS) return;
      }
      if (this.#time.elapsed() - from > withinMs) this.#violate('end', `${when}: ${why}`);
    }
  }

  #unrest(): string | undefined | Promise<string | undefined> {
    if (this.#apart !== undefined) return this.#apart.unrest();
    this.#people.cleanUp();
    const [cluster, cloud, watchman, shopWatch] = [this.#cluster, this.#cloud, this.#watchman, this.#shopWatch];
    return unrest({ cluster, cloud, watchman, shopWatch });
  }

  /** Nothing is written while nothing happens. */
  async #idle(): Promise<void> {
    if (this.#plan.resyncMs > 0 || this.#isBusyUnseen()) return;
    const writes = this.#writes;
    await this.#until(this.#time.elapsed() + IDLE_MS);
    if (this.#violation === undefined && this.#writes !== writes)
      this.#violate('I8', 'something was written while nothing happened');
  }

  /** From the last values alone, the same end state is reached, and nothing is done for it (I9). */
  async #startAfresh(): Promise<void> {
    this.#chronicle.note('afresh', () => 'all processes end at once, and others begin');
    this.#processes.crashAll();
    this.#processes.startAll();
    const writes = this.#writes;
    const isBusy = this.#isBusyUnseen();
    await this.#until(this.#time.elapsed() + 2 * LEASE_MS + 10_000);
    if (this.#violation !== undefined) return;
    // What somebody in the cloud did to it, only the life that saw it tells of.
    const isStill = this.#plan.resyncMs === 0 && this.#people.altered.size === 0 && !isBusy;
    if (isStill && this.#writes !== writes)
      this.#violate('I9', 'processes that began afresh wrote what was there already');
    this.#changed = true;
    await this.#rest('after a start from the last values', () => this.#unrest());
  }

  /** Everything is deleted: nothing is left, neither at the API server, nor in the cloud, nor in the mail. */
  async #tidyUp(): Promise<void> {
    const [cluster, watchman, broker] = [this.#cluster, this.#watchman, this.#broker];
    this.#isTidying = true;
    this.#people.letStrandedGo();
    this.#hands.letStrandedGo();
    const robbed = this.#plan.namespaces.filter(
      (namespace) => !this.#isApart() && (this.#isSecretGoing(namespace) || this.#isBare(namespace)),
    );
    if (robbed.length > 0) await this.#cleanUp(robbed);
    if (this.#violation !== undefined) return;
    for (const namespace of this.#plan.namespaces) {
      const known = this.#cluster.get('namespaces', '', namespace);
      if (known === undefined) continue;
      // What may have been built cannot be cleaned up without it.
      if (known.metadata.deletionTimestamp === undefined && !this.#isApart()) this.#people.createSecret(namespace);
      this.#people.deleteNamespace(namespace);
    }
    this.#changed = true;
    let leftSince: number | undefined;
    let isReadAgain = false;
    await this.#rest('after everything was deleted', async () => {
      this.#people.cleanUp();
      const apart = await this.#apart?.leftover();
      if (apart !== undefined) return apart;
      const hasStoodStill = this.#weather.hasBeen('standStill');
      const left = leftover({ cluster, watchman, broker, hasStoodStill });
      if (left?.isMail === true) {
        this.#changed = true; // mail comes and goes unseen
        leftSince ??= this.#time.elapsed();
        // What could not be deleted while the bus was away is deleted when it is read again.
        if (!isReadAgain && this.#weather.hasBeen('cutBus') && this.#time.elapsed() - leftSince > 4 * LEASE_MS) {
          isReadAgain = true;
          this.#processes.crashAll();
          this.#processes.startAll();
        }
      }
      return left?.text;
    });
  }

  /**
   * A secret that goes serves those who claimed it before, and what becomes of them nobody waited for. Who is held tells by whom,
   * and whoever was never built looks for that anew in each life before it lets go.
   */
  #isBusyUnseen(): boolean {
    return (
      this.#windows?.isBusyUnseen() === true ||
      this.#plan.namespaces.some((namespace) => this.#isSecretGoing(namespace)) ||
      PLURALS.some((plural) =>
        this.#cluster.objects(plural).some((object) => sayingOf(object).message?.includes('(held by ') === true),
      )
    );
  }

  #isSecretGoing(namespace: string): boolean {
    return this.#cluster.get('secrets', namespace, SECRET)?.metadata.deletionTimestamp !== undefined;
  }

  /** A new secret that goes with its namespace at once would be held by nobody. */
  #isBare(namespace: string): boolean {
    const known = this.#cluster.get('namespaces', '', namespace);
    const isThere = known !== undefined && known.metadata.deletionTimestamp === undefined;
    return isThere && this.#cluster.get('secrets', namespace, SECRET) === undefined;
  }

  /** Who adopted something and has no hold on the secret that goes can clean up only with the next one. */
  async #cleanUp(namespaces: readonly string[]): Promise<void> {
    for (const namespace of namespaces) this.#people.deleteObjects(namespace);
    // What the print shop makes has no credentials, and may be held by what is in another namespace.
    const isLeft = (object: KubeObject): boolean =>
      namespaces.includes(object.metadata.namespace ?? '') && !isPress(object);
    this.#changed = true;
    await this.#rest('after all but the secrets was deleted', () => {
      this.#people.cleanUp();
      for (const namespace of namespaces)
        if (this.#cluster.get('secrets', namespace, SECRET) === undefined) this.#people.createSecret(namespace);
      const left = PLURALS.flatMap((plural) => this.#cluster.objects(plural)).find(isLeft);
      return left && `${left.kind} '${left.metadata.name}' is still there: ${finalizersOf(left)}`;
    });
  }

  // --- what happens --------------------------------------------------------------------------------------------

  #happen(step: Happening): void {
    if (this.#violation !== undefined) return;
    // Without the mail nobody knows what was asked for, should the object not tell any more; and what was made is found by
    // nobody when its id is taken out and it is to be called something else.
    if (FORGETTING.has(step.what)) {
      if (this.#isRenamed) return;
      this.#hasForgotten = true;
    }
    if (step.what === 'rename') {
      if (this.#hasForgotten) return;
      this.#isRenamed = true;
    }
    this.#changed = true;
    if (usersDo(step, this.#people, this.#hands)) return;
    if (step.what !== 'host' && !isByUsers(step)) this.#troubled = true;
    if (isOfHosts(step)) this.#hosts?.users.happens(step);
    else if (isOfWindows(step)) this.#windows?.happens(step);
    else this.#processes.suffer(step);
  }

  #violate(invariant: string, text: string): void {
    if (this.#violation !== undefined) return;
    this.#violation = { invariant, text, atMs: this.#time.elapsed() };
    this.#chronicle.tell(`VIOLATION of ${invariant}: ${text}`);
  }
}
