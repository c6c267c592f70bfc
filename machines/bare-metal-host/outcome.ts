// Outcome of an operation on a host's node, for its state machine. Types only.

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
  /** Fields of the node that operations wait for; only compared. */
  readonly revision?: string;
}

/** Facts and changes beside the outcome. */
export interface Noted {
  /** When it was found out, milliseconds since the epoch. */
  readonly at: number;
  /** The node as it was seen last; undefined: it was not looked at. */
  readonly node?: HostNode;
  readonly status?: StatusPatch;
  /** The error in the status is resolved. */
  readonly isErrorOver?: true;
  /** Annotations whose wish is granted: they are taken off the host. */
  readonly unannotate?: readonly string[];
  readonly events?: readonly HostEvent[];
  readonly measures?: readonly Measure[];
  /** Architecture of the machine in HardwareData, if the host does not specify it. */
  readonly architecture?: string;
  /** Firmware updates that the HostFirmwareComponents of the host record as applied from here on. */
  readonly firmwareUpdates?: readonly JsonObject[];
  /** Ironic is at work on the node, which a registration could not configure: registered again when the node has changed. */
  readonly isUnconfigured?: true;
}

export type Outcome = Noted &
  (
    | { readonly kind: 'done' /** Result of an inspection. */; readonly hardware?: JsonObject }
    /** Answer to a mere check for servicing: there is something to do. */
    | { readonly kind: 'due' }
    /** Ironic is at work on the node, or the BMC: gone on with when the node changes. */
    | { readonly kind: 'waiting' /** Interval of the first polls, in milliseconds. */; readonly pollAfterMs: number }
    /** Another condition is missing: retried after this time in milliseconds, or at the next event. */
    | { readonly kind: 'pausing'; readonly afterMs: number }
    /** Failure to be recorded in the status. `until`: no retry until the host or its Secret changes. */
    | {
        readonly kind: 'failed';
        readonly errorType: ErrorType;
        /** For people, no secret. */
        readonly message: string;
        readonly until?: 'change';
      }
    /** Ironic does not know the node. */
    | { readonly kind: 'absent' }
    /** The state is unknown. For people, no secret. */
    | { readonly kind: 'stuck'; readonly message: string }
  );
export type OutcomeKind = Outcome['kind'];
