// One object of the API server as an actor: mail in, transitions, effects and mail out.
//
// Invariants:
//   A1. What the actor knows of its object never goes back: mail, own writes, reads and "not found" alike (P6).
//   A2. Nothing is said or done before the shard's replay is complete (`start`), nor after the lease is lost (`stop`).
//   A3. `ready` is answered only with the finalizers of the claim, and `status.id`, stored on this incarnation (I1).
//   A4. Each incarnation has a life of its own: a fresh statechart, fresh claims, no answer of its predecessor's (P2).
//   A5. At rest the statechart is not kept: what it would hear and do nothing about is not told, and with anything else it
//       begins anew, as in a new process, in the phase in which it was (I9). Nobody outside can tell the difference.
import type { Logger } from 'pino';
import { compareVersions, type Resource, SECRETS } from '../../adapters/kubernetes/mod.ts';
import {
  type Address,
  addressKey,
  type Clock,
  type JsonObject,
  type Mailbox,
  sharedUid,
  type Trace,
  traceparentOf,
} from '../../bus/mod.ts';
import type { Claims, guardMachine } from '../../machines/guard.ts';
import type { KubeObject, ManagedKind } from '../../machines/kind.ts';
import { type Dependency, type ObjectView, objectView } from '../../machines/life.ts';
import type { managedMachine } from '../../machines/managed.ts';
import type { ClaimMail, ObjectMail, ReadyMail } from '../mail/mail.ts';
import type { Outbox } from '../mail/outbox.ts';
import { StoredMail } from '../mail/stored-mail.ts';
import type { Tell } from '../telling/event-recorder.ts';
import { answerBasis, answerTo, type Claimed, claimedElsewhere, claimedHere, contentVersionAfter } from './answer.ts';
import { Answers } from './answers.ts';
import { type Claim, ClaimsTable, claimOf } from './claims-table.ts';
import { OutgoingClaims } from './outgoing-claims.ts';
import type { Registry } from './registry.ts';
import { isSameAtRest, mayRest, SETTLED, shareCommon } from './rest.ts';
import { type Said, Statechart } from './statechart.ts';
import { claimsOn, dependenciesOf, textOf } from './statechart-input.ts';
import type { StatusTurns } from './status-turns.ts';

export interface ObjectActorDeps {
  readonly registry: Registry;
  readonly machines: { readonly managed: typeof managedMachine; readonly guarded: typeof guardMachine };
  readonly outbox: Outbox;
  readonly mailbox: Mailbox;
  readonly trace: Trace;
  readonly clock: Clock;
  readonly log: Logger;
  readonly turns: StatusTurns;
  /** Writes what the kind's status manager owns, if the actor still lives the life of `uid`. Throws as `Objects.applyStatus`. */
  readonly writeStatus: (actor: ObjectActor, uid: string, status: JsonObject) => Promise<void>;
  /** Tells users what happened. */
  readonly tell: Tell;
}

/** What an effect needs to know of the life it acts for. */
export interface Life {
  readonly uid: string;
  readonly kind: ManagedKind | undefined;
  readonly object: KubeObject;
}

export class ObjectActor {
  readonly address: Address;
  readonly key: string;
  readonly resource: Resource;
  readonly #deps: ObjectActorDeps;
  readonly #kind: ManagedKind | undefined;
  /** Only while there is something to say: ten thousand objects at rest need no logger each. */
  #ownLog: Logger | undefined;
  readonly claims = new ClaimsTable();
  /** To our claims. */
  readonly #answers = new Answers();
  /** The claims of this life on others. */
  #outgoing: OutgoingClaims | undefined;
  readonly #stored: StoredMail;
  #object: KubeObject | undefined;
  /** The API server's state up to this resourceVersion is known; there was no object then, if there is none here. */
  #knownVersion = '0';
  #goneUid: string | undefined;
  /** The incarnation that the last `object` mail was about. */
  #toldUid: string | undefined;
  #contentVersion = '0';
  /** None at rest (A5). */
  #statechart: Statechart | undefined;
  #started = false;
  #stopped = false;
  #phase = '';
  #answerBasis = '';
  #heldText = '';

  constructor(deps: ObjectActorDeps, address: Address) {
    this.#deps = deps;
    this.address = address;
    this.key = addressKey(address);
    this.resource = deps.registry.resource(address) ?? { ...SECRETS, ...address, kind: address.plural };
    this.#kind = deps.registry.kind(address);
    this.#stored = new StoredMail(deps, this.key);
  }

  /** Nothing lives here, nobody claims it, nothing is stored: the host may forget the actor. */
  get idle(): boolean {
    return this.#object === undefined && this.claims.size === 0 && this.#stored.isEmpty;
  }

  /** The API server's state is known up to this resourceVersion. */
  get knownVersion(): string {
    return this.#knownVersion;
  }

  /** No mail tells of the object: it was read at the API server, and whoever watches may not know of it. */
  get isUntold(): boolean {
    return this.#object !== undefined && this.#object.metadata.uid !== this.#toldUid;
  }

  get phase(): string {
    return this.#phase;
  }

  get #log(): Logger {
    this.#ownLog ??= this.#deps.log.child({ ...this.address });
    return this.#ownLog;
  }

  life(): Life | undefined {
    return this.#object && { uid: this.#object.metadata.uid, kind: this.#kind, object: this.#object };
  }

  // --- mail in -----------------------------------------------------------------------------------------------

  /** Handles only the newest state, twice or late alike: what is not newer than what is known changes nothing (A1). */
  takeObject(mail: ObjectMail, sequence: number): void {
    this.#stored.noteObject(sequence);
    this.#toldUid = 'object' in mail ? sharedUid(this.address, mail.object.metadata.uid) : undefined;
    if ('object' in mail) this.accept(mail.object, { own: false });
    else this.acceptGone(mail.gone.uid, mail.gone.resourceVersion);
    if (this.#started && this.#object === undefined) this.#sweep();
  }

  /** A claim on this object; the newest of its claimant counts (P4). */
  takeClaim(from: Address, mail: ClaimMail, sequence: number): void {
    const key = addressKey(from);
    if (mail.ended) this.#stored.endClaim(key, sequence);
    else this.#stored.noteClaim(key, sequence);
    if (!this.claims.take(key, claimOf(from, mail))) return;
    if (mail.ended) this.#deps.outbox.forget({ to: from, topic: 'ready', from: this.address });
    if (!this.#started) return;
    this.#tellClaims();
    const claim = this.claims.get(key);
    if (claim !== undefined) this.#answer(claim, this.#claimed());
  }

  /** The API server said that a claim holds no more: its mail would be there for the next object of this name. */
  dropClaim(key: string): void {
    this.claims.drop(key);
    this.#stored.dropClaim(key);
  }

  /** An answer to our claim. One to another incarnation of us is dropped (P2); the order between subjects is irrelevant. */
  takeReady(from: Address, mail: ReadyMail, sequence: number): void {
    const key = addressKey(from);
    this.#stored.noteAnswer(key, sequence);
    this.#answers.take(key, mail);
    if (!this.#started) return;
    if (this.#object === undefined) this.#sweep();
    else if (mail.to === this.#object.metadata.uid) this.#statechart?.tellDependencies();
  }

  /** The object as somebody saw it. `own`: the answer to a write of ours. */
  accept(object: KubeObject, { own }: { readonly own: boolean }): void {
    // An answer to a write that was under way when the lease was lost (A2).
    if (this.#stopped) return;
    const { uid, resourceVersion, deletionTimestamp, finalizers = [] } = object.metadata;
    // The answer to whoever took the last finalizer away. A watch that began after that tells nobody, and the version
    // may be that of the state before.
    const isOver = deletionTimestamp !== undefined && finalizers.length === 0;
    const born = this.#object?.metadata.uid !== uid;
    const isKnown = uid === this.#goneUid || compareVersions(resourceVersion, this.#knownVersion) <= 0;
    if (isOver && !(born && isKnown)) this.acceptGone(born ? undefined : uid, resourceVersion);
    if (isOver || isKnown) return;
    if (born && this.#object !== undefined) this.#endLife();
    // On what it rested upon: the statechart is to see the change.
    else if (this.#isAtRest && !this.#restsOn(object)) this.#wake();
    if (this.#isAtRest) shareCommon(this.address, object);
    const before = this.#started ? this.#object : undefined;
    this.#contentVersion = contentVersionAfter(this.#contentVersion, before, object, own);
    this.#object = object;
    this.#knownVersion = resourceVersion;
    if (!this.#started) return;
    if (born) this.#beginLife();
    else this.#tellObject();
  }

  /** The object `uid` is gone, as of `resourceVersion`. */
  acceptGone(uid: string | undefined, resourceVersion: string): void {
    if (this.#stopped) return;
    if (compareVersions(resourceVersion, this.#knownVersion) > 0) this.#knownVersion = resourceVersion;
    if (this.#object === undefined || (uid !== undefined && uid !== this.#object.metadata.uid)) return;
    this.#goneUid = this.#object.metadata.uid;
    this.#endLife();
    this.#object = undefined;
    if (!this.#started) return;
    this.#answerAll();
    this.#sweep();
  }

  /** The shard's replay is complete, and the API server was read (P12): from now on the actor acts. */
  start(): void {
    this.#started = true;
    if (this.#object !== undefined) this.#beginLife();
    else {
      this.#answerAll();
      this.#sweep();
    }
  }

  /** Ends everything at once and silently: the shard is another's now. */
  stop(): void {
    this.#stopped = true;
    this.#statechart?.stop();
    this.#statechart = undefined;
  }

  /** The epoch's facts changed: the table of claims may have become complete, or incomplete. */
  reconsider(): void {
    if (this.#started && this.#object !== undefined) this.#tellClaims();
  }

  // --- mail out ----------------------------------------------------------------------------------------------

  /** Claims what the object refers to now, and ends claims on what it no longer refers to. */
  claim(yielded: readonly string[]): void {
    if (this.#object !== undefined) this.#outgoing?.say(this.#object, yielded);
  }

  /** Ends claims of the life of `uid` that goes on, those of a cleanup only with `all`; resolves as acknowledged (P12). */
  async unclaim(uid: string, { all }: { readonly all: boolean }): Promise<void> {
    if (this.#object?.metadata.uid !== uid) return;
    await (all ? this.#outgoing?.end() : this.#outgoing?.endBuilding());
  }

  #answerAll(): void {
    const claimed = this.claims.size === 0 ? undefined : this.#claimed();
    const basis = this.claims.size === 0 ? '' : answerBasis(claimed);
    if (basis === this.#answerBasis) return;
    this.#answerBasis = basis;
    for (const [, claim] of this.claims.entries()) this.#answer(claim, claimed);
  }

  #answer(claim: Claim, claimed: Claimed | undefined): void {
    const mail = answerTo(claim, claimed, this.#goneUid);
    const subject = { to: claim.from, topic: 'ready', from: this.address } as const;
    void this.#deps.outbox.say(subject, mail as unknown as JsonObject);
  }

  /** What others may rely on (A3): availability, and the id once it is stored. */
  #claimed(): Claimed | undefined {
    const [object, kind, version] = [this.#object, this.#kind, this.#contentVersion];
    if (object === undefined) return undefined;
    if (kind === undefined) return claimedElsewhere(object, this.#deps.registry, this.resource, version);
    return claimedHere(object, kind, this.#statechart?.available ?? kind.isAvailable(object));
  }

  // --- a life ------------------------------------------------------------------------------------------------

  #beginLife(): void {
    const object = this.#object as KubeObject;
    const kind = this.#kind;
    if (kind !== undefined) {
      const { resourceVersion: bornVersion } = object.metadata;
      const uid = sharedUid(this.address, object.metadata.uid);
      this.#outgoing = new OutgoingClaims(this.#deps, { kind, from: this.address, uid, bornVersion });
    }
    const view = kind && objectView(object, kind, this.#deps.clock.now());
    if (view !== undefined && this.#mayRest(view.settled, object, view)) {
      shareCommon(this.address, object);
      // Its claims may have been lost.
      this.claim([]);
      this.#enter(view.settled, 'life.began', view);
    } else this.#wake();
    this.#answerAll();
  }

  /** The statechart begins, for a life that does or that has rested. */
  #wake(): void {
    const { machines, clock, turns } = this.#deps;
    const object = this.#object as KubeObject;
    const { uid } = object.metadata;
    const claims = this.#claimsNow();
    this.#heldText = textOf(claims, object);
    const statechart = new Statechart(
      {
        key: this.key,
        kind: this.#kind,
        machines,
        clock,
        turns,
        log: () => this.#log,
        object: () => this.#object,
        dependencies: () => this.dependencies(),
        phase: () => this.#phase,
        writeStatus: (status) => this.#deps.writeStatus(this, uid, status),
        onPhase: (phase, cause, context) => this.#enter(phase, cause, context),
        onStep: () => this.#answerAll(),
        onNews: (news) => this.#object && this.#deps.tell(this.#object, news),
        onQuiet: () => this.#considerRest(),
      },
      object,
      claims,
    );
    this.#statechart = statechart;
    statechart.start();
  }

  // --- rest --------------------------------------------------------------------------------------------------

  get #isAtRest(): boolean {
    return !this.#stopped && this.#outgoing !== undefined && this.#statechart === undefined;
  }

  #mayRest(phase: string, object: KubeObject, view?: ObjectView): boolean {
    const kind = this.#kind;
    const now = this.#deps.clock.now();
    return kind !== undefined && mayRest({ phase, object, kind, claims: () => this.#claimsNow(), now, view });
  }

  /** Whether the object as it is now leaves what rests at rest. */
  #restsOn(object: KubeObject): boolean {
    return isSameAtRest(this.#object as KubeObject, object) && this.#mayRest(this.#phase, object);
  }

  #considerRest(): void {
    if (this.#stopped || this.#object === undefined || this.#statechart?.isSpent !== true) return;
    if (!this.#mayRest(this.#phase, this.#object)) return;
    this.#statechart.stop();
    this.#statechart = undefined;
    shareCommon(this.address, this.#object);
  }

  /** The object is gone or replaced: its claims end, whatever it knew is forgotten (P12). */
  #endLife(): void {
    const uid = this.#object?.metadata.uid ?? '';
    this.#statechart?.stop();
    this.#statechart = undefined;
    void this.#outgoing?.end();
    this.#outgoing = undefined;
    if (this.#started && this.#phase !== '') this.#emit('gone', { uid, from: this.#phase });
    this.#phase = '';
    this.#answerBasis = '';
  }

  #tellObject(): void {
    this.#statechart?.tellObject(this.#object as KubeObject);
    this.#tellClaims();
    this.#answerAll();
  }

  #tellClaims(): void {
    if (this.#statechart === undefined && !this.#isAtRest) return;
    const object = this.#object as KubeObject;
    const claims = this.#claimsNow();
    const text = textOf(claims, object);
    if (text === this.#heldText) return;
    this.#heldText = text;
    if (this.#statechart !== undefined) this.#statechart.tellClaims(claims);
    else if (!this.#mayRest(this.#phase, object)) this.#wake();
  }

  #claimsNow(): Claims {
    const { mailbox, registry } = this.#deps;
    return claimsOn(this.#object as KubeObject, this.claims, registry.guards(this.address), mailbox.epoch());
  }

  dependencies(): readonly Dependency[] {
    const { registry } = this.#deps;
    const claiming = { registry, from: this.address, answers: this.#answers, outgoing: this.#outgoing };
    return dependenciesOf(this.#object as KubeObject, this.#kind, claiming);
  }

  #enter(phase: string, cause: string, context: Said): void {
    const { error, externalId } = context;
    const from = this.#phase;
    this.#phase = phase;
    this.#log.info({ from, to: phase, cause, ...(error !== undefined && { error: error.message }) }, 'state changed');
    if (SETTLED.has(phase)) this.#ownLog = undefined;
    this.#emit('transition', { from, to: phase, cause, ...(externalId !== undefined && { externalId }) });
  }

  #emit(type: string, data: JsonObject): void {
    const uid = this.#object?.metadata.uid ?? '';
    this.#deps.trace.emit({ actor: this.address, type, traceparent: traceparentOf(uid), data: { uid, ...data } });
  }

  // --- hygiene -----------------------------------------------------------------------------------------------

  /** The object is gone: what lies in its mailbox for nobody goes; live claims stay for its successor (P5). */
  #sweep(): void {
    this.#answers.forget();
    this.#stored.sweep();
  }
}
