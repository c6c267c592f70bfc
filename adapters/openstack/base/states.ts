// Meaning of the cloud's resource states for dependents, by the status lists of the API references of Nova, Cinder,
// Glance, Neutron and Manila.
//
// Invariants:
//   OS-STATES-1. Every status has a decision, and none is final: what is not usable is looked at again, here or by the chart (EXTERNAL-RESOURCE-7).
//   OS-STATES-2. A status that no list names is taken for one that passes: nothing is concluded from it.
import type { Json, JsonObject } from '../../../bus/bus.ts';

export const Decision = {
  /** Others may build on it. */
  Usable: 'usable',
  /** It becomes usable when the current operation has ended. */
  Busy: 'busy',
  /** A failure that only the cloud's administrator, or a new resource, can repair. */
  Broken: 'broken',
  /** It is being deleted. It is created again only after the cloud has removed it. */
  Gone: 'gone',
} as const;
export type Decision = (typeof Decision)[keyof typeof Decision];

export interface State {
  readonly decision: Decision;
  /**
   * Polling interval in milliseconds. Undefined: no operation waits for it, and the state machine polls with backoff.
   */
  readonly pollAfterMs?: number;
}

export type States = Readonly<Record<string, State>>;

/** Resolves automatically, soon. */
const SOON_MS = 1_000;
/** Resolves after an action of a user, or after a long time. */
const LATER_MS = 15_000;

const usable: State = { decision: Decision.Usable };
const working: State = { decision: Decision.Busy, pollAfterMs: SOON_MS };
const parked: State = { decision: Decision.Busy, pollAfterMs: LATER_MS };
const broken: State = { decision: Decision.Broken };
const gone: State = { decision: Decision.Gone };
/** The reference implementation continues to wait for these. */
const awaited = (state: State): State => ({ ...state, pollAfterMs: LATER_MS });

export const SERVER_STATES: States = {
  ACTIVE: usable,
  BUILD: working,
  REBUILD: working,
  REBOOT: working,
  HARD_REBOOT: working,
  PASSWORD: working,
  MIGRATING: working,
  RESIZE: working,
  REVERT_RESIZE: working,
  VERIFY_RESIZE: parked,
  PAUSED: parked,
  SUSPENDED: parked,
  SHUTOFF: parked,
  RESCUE: parked,
  SHELVED: parked,
  SHELVED_OFFLOADED: parked,
  // Its host, or its cell, does not answer.
  UNKNOWN: parked,
  ERROR: awaited(broken),
  // An administrator may restore it.
  SOFT_DELETED: awaited(gone),
  DELETED: awaited(gone),
};

export const VOLUME_STATES: States = {
  available: usable,
  'in-use': usable,
  creating: working,
  downloading: working,
  reserved: parked,
  attaching: parked,
  detaching: parked,
  maintenance: parked,
  'awaiting-transfer': parked,
  'backing-up': parked,
  'restoring-backup': parked,
  uploading: parked,
  retyping: parked,
  extending: parked,
  managing: parked,
  error: awaited(broken),
  error_deleting: awaited(broken),
  'error_backing-up': awaited(broken),
  error_restoring: awaited(broken),
  error_extending: awaited(broken),
  error_managing: awaited(broken),
  deleting: awaited(gone),
  unmanaging: awaited(gone),
  error_managing_deleting: awaited(gone),
};

export const IMAGE_STATES: States = {
  active: usable,
  queued: parked,
  saving: parked,
  uploading: parked,
  importing: parked,
  deactivated: parked,
  killed: broken,
  deleted: gone,
  pending_delete: gone,
};

export const NETWORK_STATES: States = { ACTIVE: usable, BUILD: working, DOWN: broken, ERROR: broken };

export const ROUTER_STATES: States = {
  ACTIVE: usable,
  ALLOCATING: working,
  BUILD: working,
  DOWN: broken,
  ERROR: broken,
};

/** An unused one is DOWN. `N/A` is the status of ports of no device, like floating IPs. */
export const PORT_STATES: States = { ACTIVE: usable, DOWN: usable, BUILD: working, ERROR: broken, 'N/A': broken };

/** The port of an interface that is being wired is DOWN or BUILD. */
export const INTERFACE_STATES: States = {
  ACTIVE: usable,
  BUILD: working,
  DOWN: working,
  ERROR: working,
  'N/A': working,
};

/** One without a port is DOWN. */
export const FLOATING_IP_STATES: States = { ACTIVE: usable, DOWN: usable, ERROR: broken };

/** A trunk is there as soon as it can be read: its ports say the rest. */
export const TRUNK_STATES: States = {
  ACTIVE: usable,
  BUILD: usable,
  DOWN: usable,
  DEGRADED: usable,
  ERROR: usable,
};

/** Told from microversion 2.63 on only. */
export const SHARE_NETWORK_STATES: States = { active: usable, network_change: parked, error: broken };

/** @param untold  state of a resource without a status */
export function stateOf(states: States, status: Json | undefined, untold: State = parked): State {
  if (status === undefined || status === null) return untold;
  const named = typeof status === 'string' && Object.hasOwn(states, status) ? states[status] : undefined;
  // mutant: unnamed-status-is-final return -> $1 ?? broken
  return named ?? parked;
}

/** Judgement of a kind's observations by their status. */
export function judgedBy(
  states: States,
  { untold }: { readonly untold?: 'usable' } = {},
): {
  readonly available: (attributes: JsonObject) => boolean;
  readonly pollAfterMs: (attributes: JsonObject) => number | undefined;
} {
  const judge = ({ status }: JsonObject): State => stateOf(states, status, untold === undefined ? parked : usable);
  return {
    available: (attributes) => judge(attributes).decision === Decision.Usable,
    pollAfterMs: (attributes) => judge(attributes).pollAfterMs,
  };
}
