// Plain data, and a Kubernetes object as the actors carry it. Types only.

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

/** An error as a chart hears of it: data, with `code` for what to do about it. */
export interface ErrorData {
  /** Try again; change the spec; it is not there; somebody else was first. */
  readonly code: 'transient' | 'terminal' | 'absent' | 'conflict';
  /** For people: lower case, never a secret. */
  readonly message: string;
  /** Least wait before another try, in milliseconds, when the other side said. */
  readonly retryAfterMs?: number;
  /** Until when what was asked for may still be done, milliseconds since the epoch, when nobody said what became of it. */
  readonly inDoubtUntil?: number;
  /** CamelCase, where the contract of a kind names one. */
  readonly reason?: string;
  /** What is in the way of what is tried again: the credentials, a system that does not answer, the spec as it is, no room for it. */
  readonly fault?: 'credentials' | 'unreachable' | 'spec' | 'quota';
  /** Nothing failed: what was asked for needs something that is not there yet. */
  readonly waiting?: true;
  /** The request was not sent: there was no turn for it in time. It says nothing of what was asked about. */
  readonly unsent?: true;
  /** With `terminal`: no change of the spec helps, but the foreign system may say something else one day. */
  readonly passing?: true;
}

/** Without managedFields and last-applied-configuration. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    /** None: it is cluster-scoped. */
    readonly namespace?: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly generation?: number;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[];
    readonly ownerReferences?: readonly OwnerReference[];
    /** As far as its kind carries them (`RetainedMetadata`). */
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: JsonObject;
  readonly status?: JsonObject;
  /** Those members of the status that its kind names, as far as they are what its field manager wrote (`RetainedMetadata`). */
  readonly recorded?: JsonObject;
  /** Of an object with data and no spec, as far as its kind carries them. */
  readonly data?: Readonly<Record<string, string>>;
  /** Changes with the content, where that itself is not carried. To the second; undefined: the API server does not tell. */
  readonly contentVersion?: string;
}

export interface OwnerReference {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  /** Of the owners of an object one at most. */
  readonly controller?: boolean;
}
