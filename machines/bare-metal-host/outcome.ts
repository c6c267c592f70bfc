// What an operation on a host's node comes to, as its chart is told. Types only.

import type { JsonObject } from '../object.ts';
import type { ErrorType } from './errors.ts';
import type { HostEvent, Measure } from './host.ts';
import type { StatusPatch } from './status.ts';

/** The node in Ironic, as far as the chart decides by it. */
export interface HostNode {
  readonly id: string;
  /** Ironic's `power_state`. */
  readonly powerState?: string | null;
  /** Why Ironic cannot manage it. */
  readonly fault?: string | null;
  readonly health?: string | null;
  /** What the operations wait for in it; only compared. */
  readonly revision?: string;
}

/** What is known or changed beside how it ended. */
export interface Noted {
  /** When it was found out, milliseconds since the epoch. */
  readonly at: number;
  /** The node as it was seen last; undefined: it was not looked at. */
  readonly node?: HostNode;
  readonly status?: StatusPatch;
  /** The error that the status tells of is over. */
  readonly isErrorOver?: true;
  /** Annotations whose wish is granted: they are taken off the host. */
  readonly unannotate?: readonly string[];
  readonly events?: readonly HostEvent[];
  readonly measures?: readonly Measure[];
  /** Of the machine, as HardwareData knows it, where the host does not say. */
  readonly architecture?: string;
  /** What the HostFirmwareComponents of the host record as applied from here on. */
  readonly firmwareUpdates?: readonly JsonObject[];
}

export type Outcome = Noted &
  (
    | { readonly kind: 'done' /** What an inspection found. */; readonly hardware?: JsonObject }
    /** Of servicing that was only asked about: there is something to be done. */
    | { readonly kind: 'due' }
    /** Ironic is at work on the node, or the BMC: gone on with when the node changes. */
    | { readonly kind: 'waiting' /** Between the first looks at it, in milliseconds. */; readonly pollAfterMs: number }
    /** Something else is waited for: tried again after so many milliseconds, or when the chart hears of something. */
    | { readonly kind: 'pausing'; readonly afterMs: number }
    /** The status is to tell of it. `until`: nothing is tried again until the host or its Secret changes. */
    | {
        readonly kind: 'failed';
        readonly errorType: ErrorType;
        /** For people, no secret. */
        readonly message: string;
        readonly until?: 'change';
      }
    /** Ironic does not know the node. */
    | { readonly kind: 'absent' }
    /** Nobody knows how to go on from there. For people, no secret. */
    | { readonly kind: 'stuck'; readonly message: string }
  );
export type OutcomeKind = Outcome['kind'];
