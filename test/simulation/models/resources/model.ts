// Resources of the cloud, and what a print shop makes, as a model of histories: objects that stand for something outside, built on
// each other across kinds.

import type { ConfiguredAdapter } from '../../../../adapters/api/adapter.ts';
import { openstackContracts, openstackWith } from '../../../../adapters/openstack/mod.ts';
import type { Change } from '../../../../adapters/simulated/kubernetes/storage/store.ts';
import type { SimulatedCloud } from '../../../../adapters/simulated/openstack/mod.ts';
import type { MailboxMessage } from '../../../../bus/mod.ts';
import { deletionGuardMachine } from '../../../../machines/deletion-guard.ts';
import { externalResourceMachine } from '../../../../machines/external-resource/machine.ts';
import type { KubeObject } from '../../../../machines/object.ts';
import { bookMachine } from '../../../example-adapter/book-machine.ts';
import { bookContract, paperContract } from '../../../example-adapter/contracts.ts';
import { type SimulatedShop, simulatedShop } from '../../../example-adapter/simulated-shop.ts';
import { type CloudWatcher, isCreate, type Landing, newCloud, transport } from '../../clouds.ts';
import { type Misfortune, Trouble } from '../../misfortunes.ts';
import type { Environment, HistoryContext, HistoryModel, Line } from '../../model.ts';
import { CALL_LIMIT_MS } from '../../weather.ts';
import { Answered } from './answered.ts';
import { RARE, UNREACHABLE } from './coverage.ts';
import { fileDownloads, type PieceFate } from './files.ts';
import { Hands } from './hands.ts';
import { isInCloud } from './in-cloud.ts';
import { Watchman } from './invariant-checker.ts';
import { isPress, MADE_PLURALS, ownFinalizerOf, PLURALS, sayingOf } from './kinds.ts';
import { ResourceLives } from './lives.ts';
import { pathOf, SECRET } from './manifests.ts';
import { type Doers, type Given, type ResourceDeed, type ResourcePlan, resourcePlan } from './plan.ts';
import { unrest } from './rest.ts';
import { isMaking, pressOver, SHEET_MS, type ShopMisfortune, type ShopWatcher } from './shop.ts';
import { ShopWatch } from './shop-watch.ts';
import { People } from './user-actions.ts';

export const RESOURCES: HistoryModel<ResourceDeed, Given> = {
  name: 'resources',
  about: 'resources of the cloud, books and papers',
  every: 1,
  contracts: [...openstackContracts, paperContract, bookContract],
  restWithinMs: 40 * 60_000,
  coverage: {
    charts: [externalResourceMachine, deletionGuardMachine, bookMachine].map((machine) => ({
      machine: machine as never,
    })),
    unreachable: UNREACHABLE,
    rare: RARE,
  },
  plan: (seed) => ({ ...resourcePlan(seed), model: RESOURCES }),
  begin: (context, plan) => new Resources(context, plan),
};

/** After which not all of the mail is there, or an object does not tell what it has. */
const FORGETTING: ReadonlySet<string> = new Set([
  'wipeMail',
  'wipeAll',
  'rollBack',
  'powerCut',
  'restoreBackup',
  'forgetId',
]);

class Resources implements Environment<ResourceDeed> {
  readonly lives: ResourceLives;
  readonly #context: HistoryContext;
  readonly #plan: ResourcePlan;
  readonly #cloud: SimulatedCloud;
  readonly #shop: SimulatedShop;
  readonly #answered = new Answered();
  readonly #watchman: Watchman;
  readonly #shopWatch: ShopWatch;
  readonly #people: People;
  readonly #hands: Hands;
  readonly #doers: Doers;
  #hasForgotten = false;
  #isRenamed = false;

  constructor(context: HistoryContext, plan: ResourcePlan) {
    const { clock, cluster } = context;
    this.#context = context;
    this.#plan = plan;
    this.lives = new ResourceLives(cluster, plan);
    this.#cloud = newCloud(clock);
    this.#shop = simulatedShop({ clock, sheetMs: SHEET_MS });
    const [cloud, shop, answered] = [this.#cloud, this.#shop, this.#answered];
    this.#watchman = new Watchman({ ...context, answered, isInCloud: (kind, id) => isInCloud(cloud, kind, id) });
    const watchman = this.#watchman;
    this.#shopWatch = new ShopWatch({ ...context, shop, watchman });
    this.#people = new People({ ...context, cloud, watchman, shopWatch: this.#shopWatch });
    this.#hands = new Hands({ ...context, watchman });
    this.#doers = doersOf(this.#people, this.#hands);
  }

  // --- processes -----------------------------------------------------------------------------------------------

  adapters(line: Line): readonly ConfiguredAdapter[] {
    const { time } = this.#context;
    const watcher = this.#cloudWatcher();
    const openstack = openstackWith({
      defaultResyncMs: this.#plan.resyncMs,
      callsInFlight: 8,
      transport: () => transport(line.pod, this.#cloud, time, line.clock, watcher, line.ends),
      downloads: (clock) => fileDownloads(clock, () => watcher.pieceFate()),
    });
    if (!this.#plan.given.hasPress) return [openstack];
    return [openstack, pressOver({ ...line, shop: this.#shop, watcher: this.#shopWatcher() })];
  }

  expireTokens(): void {
    this.#cloud.expireTokens();
  }

  #cloudWatcher(): CloudWatcher {
    const { weather, lands } = this.#context;
    const watchman = this.#watchman;
    return {
      misfortune: (landing) => weather.fateOf(landing, isCreate(landing)),
      onLanding: (landing) => {
        lands('the cloud', landing, () => watchman.nameOf(landing.uid));
        watchman.onLanding(landing);
      },
      onAnswer: (landing, status, body, served) => watchman.onAnswer(landing, status, body, served),
      onSpoilt: (landing) => watchman.onSpoilt(landing),
      latencyMs: () => weather.cloudMs(),
      pieceFate: () => this.#pieceFate(),
    };
  }

  #shopWatcher(): ShopWatcher {
    const { weather, lands } = this.#context;
    const [watchman, shopWatch] = [this.#watchman, this.#shopWatch];
    return {
      misfortune: (landing) => this.#shopFate(landing),
      onLanding: (landing) => {
        lands('the print shop', landing, () => watchman.nameOf(landing.uid));
        shopWatch.onLanding(landing);
      },
      onAnswer: (landing, status, body, served) => shopWatch.onAnswer(landing, status, body, served),
      latencyMs: () => weather.cloudMs(),
      breaks: () => (weather.lasts(Trouble.Dropping) || weather.lasts(Trouble.Forgetful)) && weather.chance() < 0.3,
    };
  }

  /** What befalls the cloud befalls the hosts of files. */
  #pieceFate(): PieceFate {
    const { weather } = this.#context;
    const isLost = weather.lasts(Trouble.Dropping) || weather.lasts(Trouble.Failing);
    if (isLost && weather.chance() < 0.3) return 'lost';
    return weather.lasts(Trouble.Lying) && weather.chance() < 0.3 ? 'altered' : undefined;
  }

  /** What befalls the cloud befalls the print shop. */
  #shopFate(landing: Landing): ShopMisfortune | undefined {
    const { weather } = this.#context;
    const lateEffectMs = weather.lateEffectMs();
    if (lateEffectMs !== undefined && isMaking(landing) && weather.chance() < 0.7) {
      weather.last('a late print', CALL_LIMIT_MS);
      return { landsAfterMs: weather.chance() * Math.min(lateEffectMs, CALL_LIMIT_MS) };
    }
    // It may refuse even to tell.
    const refuses = landing.method === 'GET' && weather.lasts(Trouble.Refusing) && weather.chance() < 0.3;
    return refuses ? { status: 409 } : weather.fateOf(landing, isCreate(landing));
  }

  // --- what happens --------------------------------------------------------------------------------------------

  /**
   * Without the mail nobody knows what was asked for, should the object not tell any more; and what was made is found by nobody
   * when its id is taken out and it is to be called something else.
   */
  allows({ what }: ResourceDeed | Misfortune): boolean {
    if (FORGETTING.has(what)) {
      if (this.#isRenamed) return false;
      this.#hasForgotten = true;
    }
    if (what !== 'rename') return true;
    this.#isRenamed ||= !this.#hasForgotten;
    return !this.#hasForgotten;
  }

  happens(deed: ResourceDeed): void {
    this.#doers[deed.what](deed as never);
  }

  onChange(plural: string, change: Change): void {
    this.#watchman.onChange(plural, change);
    const { stored, previous } = change;
    if (plural === 'books')
      this.#shopWatch.onChange(
        previous?.object as unknown as KubeObject | undefined,
        stored.object as unknown as KubeObject,
      );
  }

  onMail(mail: MailboxMessage): void {
    this.#answered.onStored(mail);
  }

  // --- the end -------------------------------------------------------------------------------------------------

  get pending(): number {
    return this.#people.pending;
  }

  putRight(): void {
    this.#hands.putRight();
    this.#people.putRight();
  }

  readonly unrest = (): string | undefined => {
    this.#people.cleanUp();
    const [cloud, watchman, shopWatch] = [this.#cloud, this.#watchman, this.#shopWatch];
    return unrest({ cluster: this.#context.cluster, cloud, watchman, shopWatch });
  };

  /**
   * A secret that goes serves those who claimed it before, and what becomes of them nobody waited for. Who is held tells by whom,
   * and whoever was never built looks for that anew in each life before it lets go. A book may wait in its slot until no
   * earlier request can begin a print any more. A removal that the cloud has lost is asked for again after a while.
   */
  isBusyUnseen(): boolean {
    return (
      this.#plan.namespaces.some((namespace) => this.#isSecretGoing(namespace)) ||
      this.#objects().some(
        (object) =>
          sayingOf(object).message?.includes('(held by ') === true ||
          this.#shopWatch.isAtWork(object) ||
          isBeingRemoved(object),
      )
    );
  }

  /** What somebody in the cloud did to it, only the life that saw it tells of. */
  isAltered(): boolean {
    return this.#people.altered.size > 0;
  }

  async beforeTidying(): Promise<void> {
    this.#people.letStrandedGo();
    this.#hands.letStrandedGo();
    const robbed = this.#plan.namespaces.filter(
      (namespace) => this.#isSecretGoing(namespace) || this.#isBare(namespace),
    );
    if (robbed.length > 0) await this.#deleteWithoutSecrets(robbed);
  }

  /** What may have been built cannot be cleaned up without it. */
  beforeDeletion(namespace: string): void {
    this.#people.createSecret(namespace);
  }

  /** Users took guards off it, or an id out of it. */
  isExcused(uid: string): boolean {
    return this.#watchman.excused.has(uid);
  }

  readonly leftover = (): string | undefined => {
    this.#people.cleanUp();
    // A router whose guards a user removed may be deleted only now, before its interface.
    this.#hands.letStrandedGo();
    const left = [...PLURALS, ...MADE_PLURALS].flatMap((plural) => this.#context.cluster.objects(plural))[0];
    if (left !== undefined) return stillThere(left);
    const { detached, excused } = this.#watchman;
    const [made] = [...this.#watchman.made.values()].filter(({ id, uid }) => !detached.has(id) && !excused.has(uid));
    return made && `${made.kind} ${made.id} is still in the cloud`;
  };

  #objects(): readonly KubeObject[] {
    return PLURALS.flatMap((plural) => this.#context.cluster.objects(plural));
  }

  #isSecretGoing(namespace: string): boolean {
    return this.#context.cluster.get('secrets', namespace, SECRET)?.metadata.deletionTimestamp !== undefined;
  }

  /** A new secret that goes with its namespace at once would be held by nobody. */
  #isBare(namespace: string): boolean {
    const known = this.#context.cluster.get('namespaces', '', namespace);
    const isThere = known !== undefined && known.metadata.deletionTimestamp === undefined;
    return isThere && this.#context.cluster.get('secrets', namespace, SECRET) === undefined;
  }

  /** Who adopted something and has no hold on the secret that goes can clean up only with the next one. */
  async #deleteWithoutSecrets(namespaces: readonly string[]): Promise<void> {
    for (const namespace of namespaces) this.#people.deleteObjects(namespace);
    // What the print shop makes has no credentials, and may be held by what is in another namespace.
    const isLeft = (object: KubeObject): boolean =>
      namespaces.includes(object.metadata.namespace ?? '') && !isPress(object);
    await this.#context.rest('after all but the secrets was deleted', () => {
      this.#people.cleanUp();
      this.#hands.letStrandedGo();
      for (const namespace of namespaces)
        if (this.#context.cluster.get('secrets', namespace, SECRET) === undefined) this.#people.createSecret(namespace);
      const left = this.#objects().find(isLeft);
      return left && stillThere(left);
    });
  }
}

/** Deleted, with a resource that may have to be removed again: the cloud may have lost the first request. */
function isBeingRemoved({ kind, metadata: { deletionTimestamp, finalizers = [] } }: KubeObject): boolean {
  return deletionTimestamp !== undefined && finalizers.includes(ownFinalizerOf(kind) ?? '');
}

function stillThere({ kind, metadata: { name, finalizers = [] } }: KubeObject): string {
  return `${kind} '${name}' is still there: ${finalizers.join(', ') || 'no finalizers'}`;
}

function doersOf(people: People, hands: Hands): Doers {
  const secret = (namespace: string): string => pathOf({ kind: 'Secret', namespace, name: SECRET });
  return {
    create: ({ object }) => people.create(object),
    delete: ({ object }) => people.ask(`deletes ${object.kind} '${object.name}'`, 'DELETE', pathOf(object)),
    edit: ({ object, text }) => people.touch(object, text),
    rename: ({ object, text }) => people.rename(object, text),
    unrefer: ({ object }) => people.unrefer(object),
    refer: ({ object }) => people.refer(object),
    nonsense: ({ object }) => people.writeNonsense(object),
    unsettle: ({ object }) => people.unsettle(object),
    letGo: ({ object }) => people.letGo(object),
    reprint: ({ object }) => people.reprint(object),
    tamper: ({ object, child }) => people.tamper(object, child),
    freeze: ({ object, child }) => people.freeze(object, child),
    takeChild: ({ object, child }) => people.takeChild(object, child),
    pin: ({ object }) => hands.pin(object),
    unpin: ({ object }) => hands.unpin(object),
    unguard: ({ object }) => hands.unguard(object),
    unown: ({ object }) => hands.unown(object),
    forgetId: ({ object }) => hands.forgetId(object),
    deleteInForeground: ({ object }) => hands.deleteInForeground(object),
    unpinKeepsake: ({ object }) => hands.unpinKeepsake(object),
    deleteNamespace: ({ namespace }) => people.deleteNamespace(namespace),
    deleteSecret: ({ namespace }) => people.ask('deletes the secret', 'DELETE', secret(namespace)),
    createSecret: ({ namespace }) => people.createSecret(namespace),
    rotateSecret: ({ namespace }) =>
      people.ask('changes the secret', 'PATCH', secret(namespace), { data: { note: 'bm90ZQ==' } }),
    empty: ({ object }) => people.empty(object),
    fill: ({ object }) => people.fill(object),
    open: ({ name }) => people.openDoor(name),
    appear: ({ name }) => people.makeNetwork(name),
    drift: ({ object }) => people.alter('drift', object),
    vanish: ({ object }) => people.alter('vanish', object),
    build: ({ object }) => people.alter('build', object),
    fail: ({ object }) => people.alter('fail', object),
    twins: ({ object }) => people.mislead('twins', object),
    usurp: ({ object }) => people.mislead('usurp', object),
    foreign: ({ object, isAlike }) => people.makeForeign(object, { isAlike }),
  };
}
