// One history: a plan played on the whole runtime in one process, under simulated time. Equal plans give equal histories.
import pino, { type Logger } from 'pino';
import { mulberry32 } from '../../actors/clock.ts';
import { CollectionName } from '../../adapters/openstack/simulator/mod.ts';
import { type JsonObject, type MemoryBroker, memoryBroker, toErrorData } from '../../bus/mod.ts';
import type { KubeObject } from '../../machines/kind.ts';
import { type Landing, type Misfortune, newCloud } from './clouds.ts';
import { type Cluster, cluster, type KubeCall } from './cluster.ts';
import { manifestOf, type Planned, pathOf, SECRET } from './manifests.ts';
import { type Plan, type Step, Trouble } from './plan.ts';
import { type KubeFate, Pod } from './pod.ts';
import { unrest } from './rest.ts';
import { ProcessClock, SimulatedTime } from './time.ts';
import { idOf, PLURALS, Watchman } from './watchman.ts';

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
const LOOK_EVERY_MS = 1_000;
/** What looks like the end must stay so. */
const REST_FOR_MS = 5_000;
const IDLE_MS = 20_000;
/** How often a user tries again what the API server did not take, in milliseconds. */
const AGAIN_MS = 700;
/** How long they do, after the last thing that happened, in milliseconds. */
const PATIENCE_MS = 20_000;

export async function play(plan: Plan, { told = false }: HistoryOptions = {}): Promise<History> {
  return new Performance(plan, told).play();
}

class Performance {
  readonly #plan: Plan;
  readonly #time = new SimulatedTime();
  readonly #told: boolean;
  readonly #story: string[] = [];
  readonly #clock: ProcessClock;
  readonly #chance: () => number;
  readonly #cloud: ReturnType<typeof newCloud>;
  readonly #broker: MemoryBroker;
  readonly #pods: Pod[] = [];
  readonly #log: Logger;
  #cluster!: Cluster;
  #watchman!: Watchman;
  #hash = 0x811c9dc5;
  #violation: Violation | undefined;
  #troubled = false;
  #changed = true;
  #writes = 0;
  #podCount = 0;
  /** Until when something lasts, by what. */
  readonly #lasting = new Map<string, number>();
  /** Until when users try again what the API server does not take. */
  #patienceMs = 0;
  /** What users have asked for and the API server has not taken yet. */
  #pending = 0;
  /** Deletions that the cloud has not done yet. */
  readonly #altered = new Set<string>();

  constructor(plan: Plan, told: boolean) {
    this.#plan = plan;
    this.#told = told;
    this.#clock = new ProcessClock(this.#time, plan.seed ^ 0x5eed);
    this.#chance = mulberry32(plan.seed ^ 0xc4a2ce);
    this.#cloud = newCloud(this.#clock);
    this.#broker = memoryBroker({
      clock: this.#clock,
      shards: SHARDS,
      leaseMs: LEASE_MS,
      latencyMs: () => this.#mailMs(),
    });
    this.#log = pino(
      { level: told ? 'info' : 'fatal', base: null, timestamp: false },
      { write: (line) => this.#told && this.#tellLog(line) },
    );
  }

  async play(): Promise<History> {
    const { namespaces, steps, pods } = this.#plan;
    const last = steps.at(-1)?.atMs ?? 0;
    this.#patienceMs = last + PATIENCE_MS;
    this.#cluster = await cluster(this.#clock);
    this.#watchman = new Watchman({
      cluster: this.#cluster,
      onViolation: (invariant, text) => this.#violate(invariant, text),
      isTroubled: () => this.#troubled,
    });
    this.#cluster.follow((plural, change) => {
      if (plural === 'leases') return;
      this.#changed = true;
      this.#writes += 1;
      const { metadata, object } = change.stored;
      this.#note(
        `${change.type} ${plural} ${metadata.namespace ?? ''}/${metadata.name} ${change.revision}`,
        () => `the API server: ${change.type.toLowerCase()} ${describe(object as unknown as KubeObject)}`,
      );
      this.#watchman.onChange(plural, change);
    });
    for (const namespace of namespaces) this.#createNamespace(namespace);
    for (let index = 0; index < pods; index++) this.#start(index);
    for (const step of steps) this.#time.after(step.atMs, () => this.#happen(step));
    await this.#until(last + 1);
    if (this.#violation === undefined) await this.#calmDown();
    if (this.#violation === undefined) await this.#rest('in the end', () => this.#unrest());
    if (this.#violation === undefined) await this.#idle();
    if (this.#violation === undefined && this.#plan.seed % 3 === 0) await this.#startAfresh();
    if (this.#violation === undefined) await this.#tidyUp();
    return {
      violation: this.#violation,
      hash: (this.#hash >>> 0).toString(16).padStart(8, '0'),
      story: this.#story,
      steps: this.#time.steps,
      objects: steps.filter(({ what }) => what === 'create').length,
      simulatedMs: this.#time.elapsed(),
    };
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
    const lastingAt = Math.max(this.#time.elapsed(), ...this.#lasting.values());
    // What was lost, or taken from somebody, is taken over only after a lease time, and a fresh start may take another.
    await this.#until(lastingAt + (this.#troubled ? 3 * LEASE_MS : 0) + 1);
    // Without resync nobody looks for what others did in the cloud: a user does.
    for (const uid of this.#altered) {
      const object = this.#watchman.object(uid);
      if (object === undefined || object.metadata.deletionTimestamp !== undefined) continue;
      const { kind, metadata } = object;
      const path = pathOf({ kind, namespace: metadata.namespace ?? '', name: metadata.name });
      this.#user(`touches ${kind} '${metadata.name}'`, 'PATCH', path, {
        spec: { resource: { description: 'touched' } },
      });
    }
  }

  /** Runs until `unrest` finds nothing, and goes on finding nothing. */
  async #rest(when: string, unrest: () => string | undefined): Promise<void> {
    const from = this.#time.elapsed();
    let quietSince: number | undefined;
    let why: string | undefined = 'nothing was looked at';
    let lookMs = LOOK_EVERY_MS;
    while (this.#violation === undefined) {
      await this.#until(this.#time.elapsed() + lookMs);
      if (this.#changed) {
        this.#changed = false;
        why = this.#pending > 0 ? 'users still wait for the API server' : unrest();
        quietSince = undefined;
      } else if (why !== undefined) lookMs = Math.min(lookMs * 1.2, 10_000);
      if (why === undefined) {
        quietSince ??= this.#time.elapsed();
        lookMs = LOOK_EVERY_MS;
        if (this.#time.elapsed() - quietSince >= REST_FOR_MS) return;
      }
      if (this.#time.elapsed() - from > REST_WITHIN_MS) this.#violate('end', `${when}: ${why}`);
    }
  }

  #unrest(): string | undefined {
    return unrest({ cluster: this.#cluster, cloud: this.#cloud, watchman: this.#watchman });
  }

  /** Nothing is written while nothing happens. */
  async #idle(): Promise<void> {
    if (this.#plan.resyncMs > 0) return;
    const { writes } = this.#counts();
    await this.#until(this.#time.elapsed() + IDLE_MS);
    if (this.#violation === undefined && this.#counts().writes !== writes)
      this.#violate('I8', 'something was written while nothing happened');
  }

  /** From the last values alone, the same end state is reached, and nothing is done for it (I9). */
  async #startAfresh(): Promise<void> {
    this.#note('afresh', () => 'all processes end at once, and others begin');
    for (const pod of this.#pods) if (pod.state !== 'ended') pod.crash();
    for (let index = 0; index < this.#plan.pods; index++) this.#start(index);
    const { writes } = this.#counts();
    await this.#until(this.#time.elapsed() + 2 * LEASE_MS + 10_000);
    if (this.#violation !== undefined) return;
    if (this.#plan.resyncMs === 0 && this.#counts().writes !== writes)
      this.#violate('I9', 'processes that began afresh wrote what was there already');
    this.#changed = true;
    await this.#rest('after a start from the last values', () => this.#unrest());
  }

  /** Everything is deleted: nothing is left, neither at the API server, nor in the cloud, nor in the mail. */
  async #tidyUp(): Promise<void> {
    for (const namespace of this.#plan.namespaces) {
      const known = this.#cluster.get('namespaces', '', namespace);
      if (known === undefined) continue;
      // What may have been built cannot be cleaned up without it.
      if (known.metadata.deletionTimestamp === undefined) this.#createSecret(namespace);
      this.#deleteNamespace(namespace);
    }
    this.#changed = true;
    await this.#rest('after everything was deleted', () => {
      const left = [...PLURALS, 'secrets'].flatMap((plural) => this.#cluster.objects(plural))[0];
      if (left !== undefined) return `${left.kind} '${left.metadata.name}' is still there: ${finalizersOf(left)}`;
      const [made] = [...this.#watchman.made.values()].filter(({ id }) => !this.#watchman.detached.has(id));
      if (made !== undefined) return `${made.kind} ${made.id} is still in the cloud`;
      const [mail] = this.#broker.snapshot().values;
      if (mail !== undefined) {
        this.#changed = true; // mail comes and goes unseen
        return `mail is left: ${mail.key} ${JSON.stringify(mail.payload)}`;
      }
      return undefined;
    });
  }

  #counts(): { readonly writes: number } {
    return { writes: this.#writes };
  }

  // --- users ---------------------------------------------------------------------------------------------------

  #createNamespace(name: string): void {
    this.#cluster.call({
      method: 'POST',
      path: '/api/v1/namespaces',
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
    });
    this.#createSecret(name);
  }

  #createSecret(namespace: string): void {
    const data = { 'clouds.yaml': Buffer.from(this.#cloud.cloudsYaml('openstack')).toString('base64') };
    this.#create({ kind: 'Secret', namespace, name: SECRET, resource: data });
  }

  /** Until the API server takes it, as whoever applies manifests again and again. */
  #create(object: Planned): void {
    this.#pending += 1;
    const { kind, namespace, name } = object;
    const attempt = (): void => {
      try {
        this.#cluster.call({ method: 'POST', path: pathOf({ kind, namespace }), body: manifestOf(object) });
        this.#note(`user creates ${kind} ${name}`, () => `a user creates ${kind} '${name}'`);
      } catch (error) {
        const { code, message } = toErrorData(error);
        if (code === 'terminal') throw error;
        const there = this.#cluster.get(`${kind.toLowerCase()}s`, namespace, name);
        const isGoing = there === undefined || there.metadata.deletionTimestamp !== undefined;
        // It is there, and stays.
        if (isGoing && this.#time.elapsed() < this.#patienceMs && !/not found/.test(message)) {
          this.#time.after(AGAIN_MS, attempt);
          return;
        }
      }
      this.#pending -= 1;
      this.#changed = true;
    };
    attempt();
  }

  /** Once; what is not there is fine. */
  #user(what: string, method: 'DELETE' | 'PATCH', path: string, body?: JsonObject): void {
    try {
      this.#cluster.call({
        method,
        path,
        ...(body !== undefined && { body, contentType: 'application/merge-patch+json' }),
      });
      this.#note(`user ${what}`, () => `a user ${what}`);
    } catch (error) {
      if (toErrorData(error).code !== 'absent') throw error;
    }
  }

  #deleteNamespace(name: string): void {
    this.#user(`deletes namespace '${name}'`, 'DELETE', `/api/v1/namespaces/${name}`);
  }

  // --- what happens --------------------------------------------------------------------------------------------

  #happen(step: Step): void {
    if (this.#violation !== undefined) return;
    this.#changed = true;
    switch (step.what) {
      case 'create':
        this.#create(step.object);
        return;
      case 'edit': {
        const { kind, name } = step.object;
        const body = { spec: { resource: { description: step.text } } };
        this.#user(`edits ${kind} '${name}'`, 'PATCH', pathOf(step.object), body);
        return;
      }
      case 'unrefer': {
        const body = { spec: { resource: { securityGroupRefs: null } } };
        this.#user(`takes the groups off '${step.object.name}'`, 'PATCH', pathOf(step.object), body);
        return;
      }
      case 'delete':
        this.#user(`deletes ${step.object.kind} '${step.object.name}'`, 'DELETE', pathOf(step.object));
        return;
      case 'deleteNamespace':
        this.#deleteNamespace(step.namespace);
        return;
      case 'deleteSecret':
        this.#user('deletes the secret', 'DELETE', pathOf({ kind: 'Secret', namespace: step.namespace, name: SECRET }));
        return;
      case 'createSecret':
        this.#createSecret(step.namespace);
        return;
      case 'rotateSecret': {
        const path = pathOf({ kind: 'Secret', namespace: step.namespace, name: SECRET });
        this.#user('changes the secret', 'PATCH', path, { data: { note: 'bm90ZQ==' } });
        return;
      }
      case 'appear':
        this.#note(`appear ${step.name}`, () => `somebody makes network '${step.name}' in the cloud`);
        this.#cloud.drift.add(CollectionName.Networks, outsideNetwork(step.name, this.#cloud.projectId));
        return;
      case 'drift':
      case 'vanish':
      case 'build':
      case 'fail':
        this.#alter(step.what, step.object);
        return;
      default:
        this.#misfortune(step);
        return;
    }
  }

  #misfortune(step: Step): void {
    this.#troubled = true;
    this.#note(`${JSON.stringify(step)}`, () => `misfortune: ${Object.entries(step).slice(1).flat().join(' ')}`);
    const pod = 'pod' in step ? this.#pods[step.pod] : undefined;
    const end = (run: () => void): void => {
      const forMs = 'forMs' in step ? step.forMs : 0;
      this.#lasting.set(`end ${this.#time.elapsed() + forMs}`, this.#time.elapsed() + forMs);
      this.#time.after(forMs, run);
    };
    switch (step.what) {
      case 'crash':
        pod?.crash();
        end(() => this.#restart(step.pod));
        return;
      case 'stop':
        pod?.stop();
        end(() => {
          if (this.#pods[step.pod] === pod) pod?.crash();
          this.#restart(step.pod);
        });
        return;
      case 'standStill':
        pod?.standStill();
        end(() => {
          this.#note(`${pod?.name} goes on`, () => `${pod?.name} goes on`);
          pod?.goOn();
        });
        return;
      case 'cutBus':
        pod?.bus.cut();
        end(() => pod?.bus.heal());
        return;
      case 'cutKube':
        pod?.cutKube();
        end(() => pod?.healKube());
        return;
      case 'breakWatches':
        pod?.breakWatches();
        return;
      case 'slowMail':
      case 'slowKube':
      case 'loseKube':
        this.#last(step.what, step.forMs);
        return;
      case 'cloudTrouble':
        this.#last(step.trouble, step.forMs);
        return;
      case 'wipeMail':
        this.#broker.wipeMail();
        return;
      case 'wipeLeases':
        this.#broker.wipeLeases();
        return;
      case 'wipeAll':
        this.#broker.wipeMail();
        this.#broker.wipeLeases();
        return;
      case 'rollBack': {
        const snapshot = this.#broker.snapshot();
        this.#last('rollBack', step.byMs);
        this.#time.after(step.byMs, () => {
          // With nobody left who has seen more, it would go unnoticed.
          if (!this.#pods.some(({ state }) => state === 'running')) return;
          // Nobody could tell an older stream in place of a newer one from a newer one in place of an older.
          if (this.#broker.snapshot().epochId !== snapshot.epochId) return;
          this.#note('rolled back', () => `the mail is as it was ${step.byMs} ms ago`);
          this.#broker.rollBack(snapshot);
        });
        return;
      }
      case 'expireTokens':
        this.#cloud.expireTokens();
        return;
      default:
        return;
    }
  }

  #last(what: string, forMs: number): void {
    this.#lasting.set(what, Math.max(this.#lasting.get(what) ?? 0, this.#time.elapsed() + forMs));
  }

  #lasts(what: string): boolean {
    const untilMs = this.#lasting.get(what);
    return untilMs !== undefined && this.#time.elapsed() < untilMs;
  }

  /** Somebody else changes a resource in the cloud. */
  #alter(how: 'drift' | 'vanish' | 'build' | 'fail', { kind, namespace, name }: Planned): void {
    const object = this.#cluster.get(`${kind.toLowerCase()}s`, namespace, name);
    const id = object === undefined ? undefined : idOf(object);
    const collection = `${kind.toLowerCase()}s` as CollectionName;
    if (object === undefined || id === undefined) return;
    if (!this.#cloud.resources(collection).some((resource) => resource['id'] === id)) return;
    if (how === 'vanish' && kind !== 'Port') return;
    this.#troubled = true;
    this.#note(`${how} ${name}`, () => `somebody in the cloud: ${how} of ${kind} '${name}'`);
    this.#altered.add(object.metadata.uid);
    if (how === 'vanish') {
      this.#cloud.drift.remove(collection, id);
      this.#watchman.onVanished(id);
    } else if (how === 'drift') {
      this.#cloud.drift.change(collection, id, { description: 'drifted' });
    } else if (kind !== 'Subnet') {
      const changeTo = (status: string): void => {
        if (this.#cloud.resources(collection).some((resource) => resource['id'] === id))
          this.#cloud.drift.change(collection, id, { status });
      };
      changeTo(how === 'build' ? 'BUILD' : 'ERROR');
      this.#last(`${how} ${id}`, 15_000);
      this.#time.after(15_000, () => changeTo('ACTIVE'));
    }
  }

  // --- processes -----------------------------------------------------------------------------------------------

  #start(index: number): void {
    const name = `pod${++this.#podCount}`;
    const pod = new Pod({
      name,
      seed: this.#plan.seed * 31 + this.#podCount,
      time: this.#time,
      broker: this.#broker,
      cluster: this.#cluster,
      cloud: this.#cloud,
      cloudWatcher: {
        misfortune: (landing) => this.#cloudFate(landing),
        onLanding: (landing) => {
          if (landing.method !== 'GET') this.#changed = true;
          this.#note(
            `${landing.pod} ${landing.method} ${landing.path}`,
            () =>
              `${landing.pod} asks the cloud: ${landing.method} ${landing.path} for ${this.#watchman.nameOf(landing.uid)}`,
          );
          this.#watchman.onLanding(landing);
        },
        onAnswer: (landing, status, body, served) => this.#watchman.onAnswer(landing, status, body, served),
        latencyMs: () => 1 + this.#chance() * (this.#lasts(Trouble.Slow) ? 8_000 : 60),
      },
      log: this.#log.child({ pod: name }),
      callMs: CALL_MS,
      defaultResyncMs: this.#plan.resyncMs,
      mailMs: () => this.#mailMs(),
      kubeMs: () => 0.5 + this.#chance() * (this.#lasts('slowKube') ? 3_000 : 15),
      kubeFate: (call) => this.#kubeFate(call),
      onKube: (who, call, before, error) => {
        this.#note(`${who} ${call.method} ${call.path}`, () =>
          call.method === 'GET'
            ? undefined
            : `${who} asks the API server: ${call.method} ${call.path.split('?')[0]}${error === undefined ? '' : ` -> ${toErrorData(error).message}`}`,
        );
        this.#watchman.onKube(call, before, error);
      },
      onDefect: (message) => this.#violate('start', message),
    });
    this.#pods[index] = pod;
    this.#note(`start ${name}`, () => `${name} starts`);
    pod.start();
  }

  #restart(index: number): void {
    const pod = this.#pods[index];
    if (pod !== undefined && pod.state !== 'ended') return;
    this.#start(index);
  }

  #mailMs(): number {
    return 0.2 + this.#chance() * (this.#lasts('slowMail') ? 2_000 : 4);
  }

  #kubeFate(call: KubeCall): KubeFate | undefined {
    if (!this.#lasts('loseKube') || this.#chance() < 0.7) return undefined;
    this.#watchman.onLost(call);
    return this.#chance() < 0.5 ? 'lostBefore' : 'lostAfter';
  }

  #cloudFate({ method }: Landing): Misfortune | undefined {
    const hits = (trouble: Trouble): boolean => this.#lasts(trouble) && this.#chance() < 0.6;
    if (hits(Trouble.Failing)) return { status: this.#chance() < 0.5 ? 500 : 503 };
    if (hits(Trouble.Dropping)) return { dropBeforeWork: true };
    if (hits(Trouble.Forgetful)) return { dropAfterWork: true };
    if (hits(Trouble.Confused)) return { failsAfterWork: true };
    if (hits(Trouble.Babbling)) return { garbage: '<html></html>' };
    if (method !== 'POST' && hits(Trouble.Lying)) return { lies: true };
    return undefined;
  }

  // --- the record ----------------------------------------------------------------------------------------------

  #note(event: string, tell: () => string | undefined): void {
    const text = `${this.#time.elapsed().toFixed(3)} ${event}`;
    let hash = this.#hash;
    for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
    this.#hash = hash;
    if (this.#told) this.#tell(tell());
  }

  #tell(line: string | undefined): void {
    if (line !== undefined) this.#story.push(`${(this.#time.elapsed() / 1_000).toFixed(3).padStart(9)} s  ${line}`);
  }

  #tellLog(line: string): void {
    const { pod, msg, plural, name, from, to, cause, error } = JSON.parse(line) as Readonly<Record<string, unknown>>;
    const about = name === undefined ? '' : ` ${String(plural)}/${String(name)}`;
    const transition = to === undefined ? '' : `: ${String(from) || 'born'} -> ${String(to)} by ${String(cause)}`;
    this.#tell(`${String(pod)}${about} ${String(msg)}${transition}${error === undefined ? '' : ` (${String(error)})`}`);
  }

  #violate(invariant: string, text: string): void {
    if (this.#violation !== undefined) return;
    this.#violation = { invariant, text, atMs: this.#time.elapsed() };
    if (this.#told) this.#tell(`VIOLATION of ${invariant}: ${text}`);
  }
}

function describe({ kind, metadata, status }: KubeObject): string {
  const { name, finalizers = [], deletionTimestamp } = metadata;
  const short = finalizers.map((finalizer) => finalizer.split('/').at(-1)).join(' ');
  const id = status?.['id'];
  return `${kind} '${name}'${deletionTimestamp === undefined ? '' : ', being deleted'}${short === '' ? '' : `, held by ${short}`}${typeof id === 'string' ? `, id ${id.slice(0, 8)}` : ''}`;
}

function finalizersOf({ metadata }: KubeObject): string {
  return (metadata.finalizers ?? []).join(', ') || 'no finalizers';
}

function outsideNetwork(name: string, projectId: string): JsonObject {
  return {
    name,
    project_id: projectId,
    tenant_id: projectId,
    description: '',
    status: 'ACTIVE',
    admin_state_up: true,
    shared: true,
    'router:external': true,
    mtu: 1500,
    port_security_enabled: true,
    availability_zone_hints: [],
    availability_zones: [],
    subnets: [],
    tags: [],
    dns_domain: '',
    revision_number: 1,
    created_at: '2030-01-01T00:00:00Z',
    updated_at: '2030-01-01T00:00:00Z',
  };
}
