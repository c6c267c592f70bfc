// One object of the API server as an actor: mail in, transitions, effects and mail out.
//
// Invariants:
//   OBJECT-ACTOR-1. The actor's knowledge of its object never goes back: messages, own writes, reads and "not found"
//       alike (P6). A newer state of a deleted object is verified at the API server before it is used.
//   OBJECT-ACTOR-2. Nothing is published or done before the shard's replay is complete (`start`), nor after the lease
//       is lost (`stop`).
//   OBJECT-ACTOR-3. `ready` is answered only with the finalizers of the claim, and `status.id`, stored on this incarnation (I1).
//   OBJECT-ACTOR-4. Each incarnation always has a lifecycle of its own: a new state machine, new claims, and no answers
//       of its predecessor (P2).
import { compareVersions } from '../../adapters/kubernetes/mod.ts';
import {
  AbsentError,
  type Address,
  addressKey,
  ConflictError,
  internAddress,
  internUid,
  type JsonObject,
  parseAddressKey,
  TransientError,
} from '../../bus/mod.ts';
import { requestTraceparent } from '../../machines/annotations.ts';
import type { Claims } from '../../machines/deletion-guard.ts';
import { type Dependency, type HoldersByFinalizer, Readiness, type ResourceOwner } from '../../machines/lifecycle.ts';
import type { KubeObject } from '../../machines/object.ts';
import { workTraceparent } from '../base/change-trace.ts';
import type { AnswerMessage, ClaimMessage, ObjectMessage } from '../mailbox/messages.ts';
import { StoredMessages } from '../mailbox/stored-messages.ts';
import { AnswerPublisher, Answers, type ClaimTarget, claimTargetOf, dependenciesOf, mustLookAgain } from './answers.ts';
import { ClaimPublisher, endLeft } from './claim-publisher.ts';
import { ClaimsTable, claimOf, claimsOn, holdersOf } from './claims-table.ts';
import { KnownObject } from './known-object.ts';
import { type Incarnation, ObjectContext, type ObjectHost } from './object-context.ts';
import { ObjectMachines, QUARANTINED } from './object-machines.ts';

/** Maximum delay of the message about a new object, in milliseconds; with skewed clocks a superfluous read happens. */
const LATE_BIRTH_MS = 5_000;

/** Dependencies, and what they were worked out from. */
interface KnownDependencies {
  readonly object: KubeObject;
  readonly outgoing: ClaimPublisher | undefined;
  /** Revisions of the answers and of the claims, added up: both only grow. */
  readonly basis: number;
  readonly dependencies: readonly Dependency[];
}

export class ObjectActor extends ObjectContext {
  readonly claims = new ClaimsTable();
  /** To our claims. */
  readonly #answers = new Answers();
  /** Claims of this lifecycle on others. */
  #outgoing: ClaimPublisher | undefined;
  readonly #stored: StoredMessages;
  readonly #known = new KnownObject();
  /** The incarnation that the last `object` mail was about, and where that mail is. */
  #toldUid: string | undefined;
  #toldSequence = 0;
  readonly #charts: ObjectMachines;
  /** The last computed ones. An idle object keeps none. */
  #dependencies: KnownDependencies | undefined;
  /** The API server has shown an older state than what is known: it is read before another write (I8). */
  #isContradicted = false;
  #started = false;
  #stopped = false;
  readonly #replies: AnswerPublisher;
  /** Key of the last claim for which a passivated object stores guards: nothing else triggers its answer. */
  #asked: string | undefined;
  /** Owner that the lifecycle watches, with its address. */
  #conflictingOwner: (ResourceOwner & { readonly address: Address }) | undefined;

  constructor(host: ObjectHost, address: Address) {
    super(host, address);
    this.#stored = new StoredMessages(host, this.key);
    this.#replies = new AnswerPublisher(host.answers, address);
    this.#charts = new ObjectMachines(this);
  }

  get object(): KubeObject | undefined {
    return this.#known.object;
  }

  /** No object, no claims, nothing stored: the host may drop the actor. */
  get idle(): boolean {
    return this.object === undefined && this.claims.size === 0 && !this.claims.isPartial && this.#stored.isEmpty;
  }

  /** The API server's state is known up to this resourceVersion. */
  get knownVersion(): string {
    return this.#known.version;
  }

  /** Uid of the last incarnation, if it is deleted. */
  get goneUid(): string | undefined {
    return this.#known.goneUid;
  }

  /** No message describes the object: it was read from the API server, and the watch leader may not know it. */
  get isUnannounced(): boolean {
    return this.object !== undefined && this.object.metadata.uid !== this.#toldUid;
  }

  /** Whether a message describes the incarnation; with `sequence`: whether it is the value of that sequence. */
  isAnnouncedAs(uid: string, sequence = this.#toldSequence): boolean {
    return this.#toldUid === uid && this.#toldSequence === sequence;
  }

  /** The state that its chart is in, or rests in; empty without an object. */
  get state(): string {
    return this.#charts.state;
  }

  get tags(): ReadonlySet<string> {
    return this.#charts.tags;
  }

  /** Its life has nothing to do for the time being, and keeps no chart (OBJECT-MACHINES-5). */
  get isPassivated(): boolean {
    return this.#charts.isPassivated;
  }

  /** Guards of ours on the deleted object that are no longer needed. */
  freeGuards(): readonly string[] {
    return this.#charts.freeGuards();
  }

  /**
   * It was created some time before the first message about it: the watch leader may have been suspended, and the
   * object may be deleted since, unseen by later leaders.
   */
  get #isBornLate(): boolean {
    const createdAt = Date.parse(this.object?.metadata.creationTimestamp ?? '');
    // mutant: late-birth-unverified return -> false
    // mutant: each-birth-verified return -> true
    return this.clock.now() - createdAt > LATE_BIRTH_MS;
  }

  incarnation(): Incarnation | undefined {
    return this.object && { uid: this.object.metadata.uid, kind: this.kind, object: this.object };
  }

  // --- mail in -----------------------------------------------------------------------------------------------

  /** Handles only the newest state, twice or late alike: what is not newer than what is known changes nothing (OBJECT-ACTOR-1). */
  receiveObject(mail: ObjectMessage, sequence: number): void {
    this.#stored.noteObject(sequence);
    this.#toldSequence = sequence;
    this.#toldUid = 'object' in mail ? internUid(this.address, mail.object.metadata.uid) : undefined;
    const before = this.object?.metadata.uid;
    if ('object' in mail) this.accept(mail.object, { own: false });
    else this.acceptGone(mail.gone.uid, mail.gone.resourceVersion);
    if (this.#started && this.object !== undefined && this.object.metadata.uid !== before && this.#isBornLate)
      this.host.reread(this);
    if (!this.#known.isSought) this.tidy();
  }

  /** A claim on this object; the newest of its claimant counts (P4). */
  receiveClaim(from: Address, mail: ClaimMessage, sequence: number, traceparent?: string): void {
    const key = addressKey(from);
    if (mail.ended) this.#stored.endClaim(key, sequence);
    else this.#stored.noteClaim(key, sequence);
    const before = this.claims.get(key)?.attributes;
    if (!this.claims.take(key, claimOf(from, mail))) return;
    if (mail.ended) this.#replies.forget(from);
    if (!this.#started) return;
    this.#charts.sendClaims();
    const claim = this.claims.get(key);
    this.#charts.sendClaimantAttributes(before, claim);
    if (claim === undefined) return;
    const readiness = this.#replies.say(claim, this.#claimTarget(), this.goneUid, this.step(traceparent));
    const isIdle = this.#charts.isPassivated || this.kind === undefined;
    if (isIdle && readiness === Readiness.Pending) this.#asked = traceparent;
  }

  /** There is a claim on this object that cannot be read here. */
  missClaim(from: Address): void {
    this.claims.miss(addressKey(from));
    if (this.#started) this.#charts.sendClaims();
  }

  /** The API server has shown that a claim is void: its message would be there for the next object of this name. */
  dropClaim(key: string): void {
    const from = this.claims.get(key)?.from;
    if (from !== undefined) this.#replies.forget(from);
    this.claims.drop(key);
    this.#stored.dropClaim(key);
  }

  /**
   * An answer to our claim. One to another incarnation of us is dropped (P2); the order between subjects is irrelevant.
   *
   * @param sequence of the message; undefined if it was delivered locally
   */
  receiveAnswer(from: Address, mail: AnswerMessage, sequence: number | undefined, traceparent?: string): void {
    const key = addressKey(from);
    if (sequence !== undefined) this.#stored.noteAnswer(key, sequence);
    const isOurs = mail.to === this.object?.metadata.uid;
    this.linked(traceparent, () => {
      const before = this.#answers.before(key, mail);
      const isNews = isOurs && this.kind?.life.wakesOn?.(before, mail) === true;
      const isOther = before?.externalId === undefined || attributesText(before) !== attributesText(mail);
      const isChanged = this.#answers.take(key, mail);
      if (!this.#started) return;
      const isToCheck = isOurs && mail.externalId !== undefined && isOther;
      const isReplaced = isChanged || (isToCheck && mustLookAgain(this.object, this.kind, this.dependencies()));
      if (this.object === undefined) return this.#sweep();
      // mutant: answers-told-to-another if -> false
      // mutant: replaced-answered-on [] -> []
      if (!isOurs) return this.#endReplaced([[key, mail]]);
      this.#charts.sendDependencies({ isReplaced, isNews });
      if (this.object !== undefined) this.#tellRival(from, mail);
    });
  }

  /** A child was deleted, and no answer will report it: the last one was `absent` already (UNREPORTED-CHILDREN-1). */
  missChild(): void {
    if (!this.#started || this.#stopped || this.object === undefined) return;
    // mutant: lost-child-unheard drop
    this.supervise(() => this.#charts.sendDependencies({ isReplaced: true, isNews: true }));
  }

  /**
   * Processes a version of the object.
   *
   * @param options.own  it is the answer to a write of ours
   * @param options.soughtUid of the incarnation that was deleted already when the read began which found this
   */
  accept(
    object: KubeObject,
    { own, soughtUid }: { readonly own: boolean; readonly soughtUid?: string | undefined },
  ): void {
    // An answer to a write that was under way when the lease was lost (OBJECT-ACTOR-2).
    if (this.#stopped) return;
    const { uid, resourceVersion } = object.metadata;
    const isBorn = !this.#known.isOf(uid);
    const origin = { own, soughtUid, isStarted: this.#started };
    const { news, isDoubtful } = this.#known.judge(object, origin);
    if (isDoubtful) this.host.reread(this);
    if (news === 'end') this.acceptGone(isBorn ? undefined : uid, resourceVersion);
    if (news !== 'state') return;
    if (isBorn && this.object !== undefined) this.#endLife();
    else this.supervise(() => this.#charts.expect(object));
    const isChanged = this.#known.take(object, origin);
    if (isChanged) this.#asked = undefined;
    if (!this.#started) return;
    this.supervise(() => {
      if (isBorn) this.#beginLife();
      else if (isChanged) this.linked(requestTraceparent(object), () => this.#sendObject());
      else this.#sendObject();
    });
  }

  /** The object `uid` is deleted, as of `resourceVersion`; whichever it is without one. */
  acceptGone(uid: string | undefined, resourceVersion: string): void {
    if (this.#stopped) return;
    if (this.object !== undefined && uid !== undefined && !this.#known.isOf(uid)) {
      // mutant: later-end-ignored drop
      this.#suspect(resourceVersion);
      return;
    }
    this.#known.raise(resourceVersion);
    if (this.object === undefined) return;
    const traceparent = workTraceparent(this.object);
    this.#endLife();
    this.#known.end();
    if (!this.#started) return;
    this.answerAll(traceparent);
    this.#sweep();
  }

  /** The shard's replay is complete, and the API server was read (P12): from now on the actor acts. */
  start(): void {
    if (this.#started || this.#stopped) return;
    this.#started = true;
    if (this.object !== undefined) this.#beginLife();
    else {
      this.answerAll();
      this.#sweep();
    }
  }

  /** Its code has failed: it takes in what it hears and does nothing, until `start`. What it has said stands (I11). */
  suspend(cause: string): void {
    this.#started = false;
    this.#replies.reset();
    const from = this.#charts.suspend();
    if (this.object !== undefined && from !== QUARANTINED) this.emit(QUARANTINED, { from, error: cause });
  }

  /** Ends everything at once and silently: the shard is another's now. */
  stop(): void {
    this.#stopped = true;
    this.#charts.end();
  }

  /** The epoch's facts changed: the table of claims may have become complete, or incomplete. */
  recheckClaims(): void {
    if (this.#started) this.#charts.sendClaims();
  }

  // --- mail out ----------------------------------------------------------------------------------------------

  /** Claims what the object refers to now, and ends claims on what it no longer refers to. */
  claim(withdrawnUids: readonly string[]): void {
    this.#conflictingOwner = undefined;
    if (this.object !== undefined) this.#outgoing?.say(this.object, withdrawnUids);
  }

  /** Claims the conflicting owner too, and notifies the lifecycle when that one has released the resource. */
  watchOwner(withdrawnUids: readonly string[], conflictingOwner: ResourceOwner): void {
    if (this.object === undefined) return;
    this.#conflictingOwner = {
      ...conflictingOwner,
      address: internAddress({ ...this.address, namespace: conflictingOwner.namespace, name: conflictingOwner.name }),
    };
    this.#outgoing?.say(this.object, withdrawnUids, this.#conflictingOwner.address);
  }

  /** An answer from before the watch may be old: its claim may have ended meanwhile. */
  #tellRival(from: Address, { uid, readiness, externalId }: AnswerMessage): void {
    if (this.#conflictingOwner === undefined || addressKey(this.#conflictingOwner.address) !== addressKey(from)) return;
    const { uid: theirs, externalId: had } = this.#conflictingOwner;
    if (readiness === Readiness.Absent || uid !== theirs || externalId !== had) this.#charts.sendOwnerReleased();
  }

  /**
   * Ends claims of the running lifecycle of `uid`, those of a cleanup only with `all`; resolves as acknowledged (P12).
   */
  async endClaims(uid: string, { all }: { readonly all: boolean }): Promise<void> {
    if (this.object?.metadata.uid !== uid) return;
    await (all ? this.#outgoing?.end(this.object) : this.#outgoing?.endNonCleanupClaims(this.object));
  }

  answerAll(traceparent?: string): void {
    if (!this.#started) return;
    const claimed = this.claims.size === 0 ? undefined : this.#claimTarget();
    if (!this.#replies.isNews(this.claims, claimed)) return;
    const cause = traceparent ?? this.step(this.#asked);
    this.#asked = undefined;
    for (const [, claim] of this.claims.entries()) this.#replies.say(claim, claimed, this.goneUid, cause);
  }

  /** Public state of the object (OBJECT-ACTOR-3): availability, and the id once it is stored. */
  #claimTarget(): ClaimTarget | undefined {
    if (this.object === undefined) return undefined;
    const { isAvailable } = this.#charts;
    return claimTargetOf(this.object, this.host.registry, this.resource, {
      contentVersion: this.#known.contentVersion,
      isAvailable,
    });
  }

  // --- lifecycle -------------------------------------------------------------------------------------------

  #beginLife(): void {
    const object = this.object as KubeObject;
    const kind = this.kind;
    if (kind !== undefined) {
      const { resourceVersion: bornVersion } = object.metadata;
      const uid = internUid(this.address, object.metadata.uid);
      this.#outgoing ??= new ClaimPublisher(this.host, {
        kind,
        from: this.address,
        uid,
        bornVersion,
        answers: this.#answers,
        onSuperseded: (version) => this.#suspect(version),
      });
    }
    // mutant: replaced-before-takeover-answered-on drop
    this.#endReplaced([...this.#answers.entries()].filter(([, { to }]) => to !== object.metadata.uid));
    this.linked(requestTraceparent(object), () => this.#charts.begin());
    this.answerAll();
    // Answers from before this lifecycle.
    const known = this.dependencies();
    const isNews = known.some(({ answer }) => answer !== undefined && kind?.life.wakesOn?.(undefined, answer) === true);
    const isReplaced = mustLookAgain(object, kind, known);
    if (isReplaced || isNews) this.#charts.sendDependencies({ isReplaced, isNews });
  }

  /** The object is deleted or replaced: its claims end, and its state is dropped (P12). */
  #endLife(): void {
    const uid = this.object?.metadata.uid ?? '';
    const from = this.#charts.state;
    this.#charts.end();
    if (this.object !== undefined) void this.#outgoing?.end(this.object);
    this.#outgoing = undefined;
    this.#conflictingOwner = undefined;
    if (from !== '') this.emit('deleted', { uid, from });
    this.#replies.reset();
  }

  #sendObject(): void {
    this.#charts.sendObject();
    if (this.object !== undefined) this.#outgoing?.republishIfChanged(this.object);
    this.answerAll();
  }

  /** Claims on the object, as its deletion guard sees them. */
  claimed(): Claims {
    const { mailbox, registry } = this.host;
    return claimsOn(this.object as KubeObject, this.claims, registry.guards(this.address), mailbox.epoch());
  }

  holders(object: KubeObject): HoldersByFinalizer | undefined {
    return holdersOf(object, this.claims, this.address, this.host.registry);
  }

  dependencies(): readonly Dependency[] {
    const object = this.object as KubeObject;
    const outgoing = this.#outgoing;
    const basis = this.#answers.revision + (outgoing?.revision ?? 0);
    const known = this.#dependencies;
    if (known?.object === object && known.outgoing === outgoing && known.basis === basis) return known.dependencies;
    const claiming = { registry: this.host.registry, from: this.address, answers: this.#answers, outgoing };
    const dependencies = dependenciesOf(object, this.kind, claiming);
    if (!this.isPassivated) this.#dependencies = { object, outgoing, basis, dependencies };
    return dependencies;
  }

  onPassivated(): void {
    this.#dependencies = undefined;
  }

  // --- the API server ------------------------------------------------------------------------------------------

  async write(run: (object: KubeObject) => Promise<KubeObject>): Promise<void> {
    // mutant: void-state-acted-on drop
    if (this.#isContradicted) await this.refresh();
    if (this.object === undefined) throw new AbsentError(`'${this.key}' does not exist any more`);
    const writing = run(this.object);
    this.host.calls.addWrite(this.key, writing);
    try {
      const written = await writing;
      this.accept(written, { own: true });
      // Another writer was faster, or the API server is behind its messages: it is read before another write.
      // mutant: older-answer-ignored drop
      if (this.#known.isBehind(written)) {
        this.#isContradicted = true;
        await this.refresh();
      }
    } catch (error) {
      // mutant: lost-race-with-old-object drop
      if (error instanceof AbsentError || error instanceof ConflictError) await this.refresh();
      throw error;
    }
  }

  async writeStatus(uid: string, manager: string, status: JsonObject): Promise<void> {
    const { objects } = this.host;
    if (this.kind === undefined || this.object?.metadata.uid !== uid) return;
    try {
      this.accept(await objects.applyStatus(this.resource, this.object, manager, status), { own: true });
    } catch (error) {
      // Another write was faster; the writer tries again, on the object as it is then.
      if (error instanceof ConflictError) await this.refresh();
      throw error;
    }
  }

  /** There was a later object of this name: this one is replaced by now, or is one of a restored backup (P11). */
  #suspect(version: string): void {
    if (!this.#stopped && this.#known.raise(version)) this.host.reread(this);
  }

  /**
   * Reads the object again; "not found" is knowledge too (P6). A state that is older than what was known before the
   * read is that of an API server that was restored from a backup: another epoch begins, since what was learned of it is
   * void, here and everywhere (P11).
   *
   * @throws {TransientError} the API server or the bus is away, or another epoch has begun
   */
  async refresh(): Promise<void> {
    const { objects, mailbox } = this.host;
    const { namespace, name } = this.address;
    const { id } = mailbox.epoch();
    const { object: known, version: knownVersion, goneUid: soughtUid } = this.#known;
    const object = await objects.get(this.resource, namespace, name);
    // mutant: older-read-believed &&.2 -> false
    this.#isContradicted = object !== undefined && compareVersions(object.metadata.resourceVersion, knownVersion) < 0;
    if (this.#isContradicted) {
      await mailbox.startAnew(id);
      throw new TransientError(`'${this.key}' is older than it was: the API server was restored from a backup`);
    }
    if (object !== undefined) this.accept(object, { own: false, soughtUid });
    else if (known !== undefined) this.acceptGone(known.metadata.uid, known.metadata.resourceVersion);
    else this.tidy();
  }

  // --- hygiene -----------------------------------------------------------------------------------------------

  /** Removes messages without a reader, if the API server has no such object. */
  tidy(): void {
    this.#known.isSought = false;
    if (this.#started && this.object === undefined) this.#sweep();
  }

  /** The object is deleted: messages without a reader are removed; live claims stay for its successor (P5). */
  #sweep(): void {
    const areEnded = this.#endLeft([...this.#answers.entries()]);
    // mutant: claims-go-with-object -> $ for (const [key] of [...this.claims.entries()]) this.dropClaim(key);
    // mutant: answers-outlive-object drop
    this.#answers.forget();
    this.#stored.sweep(areEnded);
  }

  /** The object was replaced: the claims of its predecessor end, and the answers to them are deleted (P12). */
  #endReplaced(answers: readonly (readonly [string, AnswerMessage])[]): void {
    void this.#endLeft(answers, (key, answer) => {
      // A later one may be to the successor.
      if (this.#stopped || !this.#answers.isLast(key, answer)) return;
      this.#answers.drop(key);
      // mutant: replaced-answer-kept drop
      this.#stored.dropAnswer(key);
    });
  }

  /**
   * Ends its own claims that are still answered although no tombstone was published (P12), if the API server has no
   * such incarnation: an object unknown here may be managed elsewhere, and exist.
   *
   * @param onEnded called when the bus has acknowledged the end of a claim
   * @returns whether the bus has acknowledged all; false: the shard has been closed
   */
  async #endLeft(
    answers: readonly (readonly [string, AnswerMessage])[],
    onEnded?: (key: string, answer: AnswerMessage) => void,
  ): Promise<boolean> {
    if (answers.length === 0 || this.kind === undefined) return true;
    const now = await this.host.currentIncarnation(this);
    if (now === undefined) return false;
    const ends: Promise<void>[] = [];
    for (const [key, answer] of answers) {
      const to = parseAddressKey(key);
      // mutant: unknown-claim-ended if -> $1
      // mutant: gone-incarnation-answered-on if -> false
      if (to !== undefined && now.uid !== answer.to)
        ends.push(endLeft(this.host.outbox, this.address, to, answer).then(() => onEnded?.(key, answer)));
    }
    await Promise.all(ends);
    return true;
  }
}

function attributesText({ attributes }: AnswerMessage): string | undefined {
  return attributes && JSON.stringify(attributes);
}
