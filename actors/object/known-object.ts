// Knowledge of one object of the API server: its last state, or that it is deleted. Pure.
//
// It never goes back (OBJECT-ACTOR-1): a state counts if it is newer than everything that was seen of its name, ends included.
import { compareVersions } from '../../adapters/kubernetes/mod.ts';
import type { KubeObject } from '../../machines/object.ts';
import { contentVersionAfter } from './answers.ts';

/** Origin of a state. */
export interface Origin {
  /** It is the answer to a write of ours. */
  readonly own: boolean;
  /** Incarnation that was deleted already when the read began which found the state. */
  readonly soughtUid?: string | undefined;
  /** The API server was read at the takeover (P12). */
  readonly isStarted: boolean;
}

export interface Finding {
  /** Nothing new, the end of the known object, or another state. */
  readonly news: 'none' | 'end' | 'state';
  /** The state contradicts what is known: the API server must be read. */
  readonly isDoubtful: boolean;
}

export class KnownObject {
  #object: KubeObject | undefined;
  #version = '0';
  #goneUid: string | undefined;
  #contentVersion = '0';
  /** Whether the API server is being read, since a deleted object may exist after all. */
  isSought = false;

  get object(): KubeObject | undefined {
    return this.#object;
  }

  /** The API server's state up to this resourceVersion is known; there was no object then, if there is none here. */
  get version(): string {
    return this.#version;
  }

  /** Uid of the last incarnation, if it is deleted. */
  get goneUid(): string | undefined {
    return this.#goneUid;
  }

  /** Version of a Secret's content. */
  get contentVersion(): string {
    return this.#contentVersion;
  }

  isOf(uid: string): boolean {
    return this.#object?.metadata.uid === uid;
  }

  /** Compares a state with what is known. */
  judge(seen: KubeObject, { own, soughtUid, isStarted }: Origin): Finding {
    const { uid, resourceVersion, deletionTimestamp, finalizers = [] } = seen.metadata;
    // The response to the removal of the last finalizer. A watch that began later does not report it, and the version
    // may be that of the former state.
    const isOver = deletionTimestamp !== undefined && finalizers.length === 0;
    const isBorn = !this.isOf(uid);
    const isGone = uid === this.#goneUid;
    const isNewer = compareVersions(resourceVersion, this.#version) > 0;
    // mutant: gone-revives-unasked &&.1 -> false
    if (isGone && isNewer && !isOver && uid !== soughtUid) {
      this.isSought = true;
      return { news: 'none', isDoubtful: true };
    }
    // mutant: older-view-replaces ! -> false
    // mutant: gone-stays-gone &&.2 -> true
    const isKnown = !isNewer || (isGone && isOver);
    // The API server lacked it at the takeover, and may have it again after it was restored from a backup (P11).
    // mutant: restored-object-ignored =.2 -> false
    const isDoubtful = isStarted && !own && !isNewer && !isGone && this.#object === undefined;
    if (isOver) return { isDoubtful, news: isBorn && isKnown ? 'none' : 'end' };
    return { isDoubtful, news: isKnown ? 'none' : 'state' };
  }

  /** Makes a state the known one. @returns whether it is another incarnation, or another generation of the spec */
  take(seen: KubeObject, { own, isStarted }: Origin): boolean {
    const before = this.#object;
    const { uid, generation, resourceVersion } = seen.metadata;
    this.#contentVersion = contentVersionAfter(this.#contentVersion, isStarted ? before : undefined, seen, own);
    this.#object = seen;
    this.#goneUid = undefined;
    this.isSought = false;
    this.#version = resourceVersion;
    return before?.metadata.uid !== uid || before.metadata.generation !== generation;
  }

  /** Takes in that nothing older than `version` counts. @returns false if it was known */
  raise(version: string): boolean {
    if (compareVersions(version, this.#version) <= 0) return false;
    this.#version = version;
    return true;
  }

  /** The known object is deleted. */
  end(): void {
    this.#goneUid = this.#object?.metadata.uid;
    this.#object = undefined;
  }

  /** Whether a later state of the object, or the end of a later object of its name, is known. */
  isBehind({ metadata }: KubeObject): boolean {
    return compareVersions(metadata.resourceVersion, this.#version) < 0;
  }
}
