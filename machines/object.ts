// Plain data, and a Kubernetes object as the actors carry it. Types only.

/** Plain data, as JSON has it. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
/** An object of plain data. */
export type JsonObject = { readonly [key: string]: Json };

/** Error in a state machine: data, with `code` for the reaction. */
export interface ErrorData {
  /** Retry; change the spec; it does not exist; another writer was first. */
  readonly code: 'transient' | 'terminal' | 'absent' | 'conflict';
  /** For people: lower case, never a secret. */
  readonly message: string;
  /** Least wait before another try, in milliseconds, when the other side said. */
  readonly retryAfterMs?: number;
  /** Time until which the request may still take effect, in milliseconds since the epoch, if it had no response. */
  readonly inDoubtUntil?: number;
  /** CamelCase, where the contract of a kind names one. */
  readonly reason?: string;
  /**
   * Cause of a failure that is retried: the credentials, a system that does not respond, the spec, or missing capacity.
   */
  readonly fault?: 'credentials' | 'unreachable' | 'spec' | 'quota';
  /** Nothing failed: what was asked for needs something that is not there yet. */
  readonly waiting?: true;
  /** The request was not sent: there was no turn for it in time. It says nothing of what was asked about. */
  readonly unsent?: true;
  /** With `terminal`: no change of the spec helps, but the state in the external system may change. */
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
  /** Data of an object without a spec, as far as its kind keeps them. */
  readonly data?: Readonly<Record<string, string>>;
  /** Changes with the content, where that itself is not carried. To the second; undefined: the API server does not tell. */
  readonly contentVersion?: string;
}

/** Owner of an object, in `metadata.ownerReferences`. */
export interface OwnerReference {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly name: string;
  /** `metadata.uid` of the owner. */
  readonly uid: string;
  /** At most one owner of an object is its controller. */
  readonly controller?: boolean;
}
