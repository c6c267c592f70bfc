// The state of a server of the simulated Nova: its status follows from the state of the machine and its current task,
// which are shown beside it; a status that another user's change has set shows what would have led to it.
import type { Json } from '../../../bus/bus.ts';
import type { Item } from './store.ts';

interface Reported {
  readonly vm: string;
  readonly task?: string;
}

const TOLD: Readonly<Record<string, Reported>> = {
  ACTIVE: { vm: 'active' },
  BUILD: { vm: 'building', task: 'spawning' },
  REBUILD: { vm: 'active', task: 'rebuilding' },
  REBOOT: { vm: 'active', task: 'rebooting' },
  HARD_REBOOT: { vm: 'active', task: 'reboot_started_hard' },
  PASSWORD: { vm: 'active', task: 'updating_password' },
  MIGRATING: { vm: 'active', task: 'migrating' },
  RESIZE: { vm: 'active', task: 'resize_migrating' },
  REVERT_RESIZE: { vm: 'resized', task: 'resize_reverting' },
  VERIFY_RESIZE: { vm: 'resized' },
  PAUSED: { vm: 'paused' },
  SUSPENDED: { vm: 'suspended' },
  SHUTOFF: { vm: 'stopped' },
  RESCUE: { vm: 'rescued' },
  SHELVED: { vm: 'shelved' },
  SHELVED_OFFLOADED: { vm: 'shelved_offloaded' },
  ERROR: { vm: 'error' },
  SOFT_DELETED: { vm: 'soft-delete' },
  DELETED: { vm: 'deleted' },
};

/** Statuses that come with a fault. */
const FAULTY: ReadonlySet<unknown> = new Set(['ERROR', 'DELETED']);

export function vmStateOf({ status = null }: Item): string {
  return TOLD[String(status)]?.vm ?? 'active';
}

export function taskOf({ task = null, status = null }: Item): Json {
  return task === 'building' ? 'spawning' : (task ?? TOLD[String(status)]?.task ?? null);
}

/** For one that failed: Nova keeps the fault and shows it for as long as the status is that of a failure. */
export function faultOf({ status = null, fault = null, updated = null }: Item): { readonly fault?: Json } {
  if (!FAULTY.has(status)) return {};
  return { fault: fault ?? { code: 500, created: updated, message: 'MigrationError' } };
}
