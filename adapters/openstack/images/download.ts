// Status of an object about the download of its content: a condition, and the number of attempts. They have a field
// manager of their own. Pure.
//
// Invariants:
//   OS-DOWNLOAD-1. An attempt that is stored is never taken back, but for a resource that is another one.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { ErrorCode } from '../../../bus/errors.ts';
import { ResourceTag } from '../../../machines/external-resource/context.ts';
import type { ResourceState } from '../../../machines/external-resource/lifecycle.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { integer } from '../../api/contract/contract.ts';
import type { ContentStatus } from '../resource/table.ts';
import { type Condition, conditionOf, Reason, type Verdict } from '../status/conditions.ts';

const TYPE = 'Downloading';
const MIB = 1 << 20;

export const DOWNLOAD_FIELDS = {
  downloadAttempts: integer('downloadAttempts is how often it was tried to download the content.'),
};

/** Progress of a download, as its operation reports it. */
export interface DownloadProgress {
  readonly bytes: number;
  /** Absent: the host does not say. */
  readonly totalBytes?: number;
}

const STARTING: Verdict = { status: 'True', reason: Reason.Progressing, message: 'Starting image upload' };
const DELEGATED: Verdict = { status: 'True', reason: Reason.Progressing, message: 'Web download in progress' };
const SAVED: Verdict = { status: 'False', reason: Reason.Success, message: 'Data saved' };
/** What Glance says of an image that has its content. */
const FILLED: ReadonlySet<unknown> = new Set(['active', 'deactivated']);

export const downloading: ContentStatus = {
  manager: 'downloadingstatus',

  stored({ status = {} }) {
    const { downloadAttempts } = status;
    const condition = storedCondition({ status });
    return {
      ...(condition !== undefined && { conditions: [condition as unknown as Json] }),
      ...(downloadAttempts !== undefined && { downloadAttempts }),
    };
  },

  announced(object, step, now) {
    const attempts = attemptsOf(object);
    if (step === 'begun' && attempts !== undefined) return downloading.stored(object);
    const { generation = 0 } = object.metadata;
    const verdict = step === 'delegated' ? DELEGATED : STARTING;
    return reported(object, verdict, { generation, now, attempts: step === 'begun' ? 0 : (attempts ?? 0) + 1 });
  },

  status(standing, object, now) {
    const verdict = object.spec?.['managementPolicy'] === 'unmanaged' ? undefined : verdictOf(standing);
    const { downloadAttempts } = object.status ?? {};
    if (verdict === undefined) return downloading.stored(object);
    const { generation } = standing;
    return reported(object, verdict, { generation, now, attempts: downloadAttempts as number | undefined });
  },
};

/** Number of attempts to transfer the content of this very resource; undefined if there was none yet. */
export function attemptsOf({ status = {} }: Pick<KubeObject, 'status'>): number | undefined {
  const condition = storedCondition({ status });
  // The saved content was that of another resource, since this one is empty (OS-DOWNLOAD-1).
  if (condition === undefined || isVerdict(condition, SAVED)) return undefined;
  const attempts = status['downloadAttempts'];
  return typeof attempts === 'number' ? attempts : undefined;
}

/** When the status last told something new of the content, milliseconds since the epoch. */
export function broughtAt(object: Pick<KubeObject, 'status'>): number | undefined {
  const at = Date.parse(storedCondition(object)?.lastTransitionTime ?? '');
  return Number.isNaN(at) ? undefined : at;
}

function verdictOf({ tags, filling, observation }: ResourceState): Verdict | undefined {
  if (filling?.error !== undefined) {
    const { code, reason = Reason.InvalidConfiguration, message } = filling.error;
    return { status: 'False', reason: code === ErrorCode.Terminal ? reason : Reason.TransientError, message };
  }
  const { progress } = filling ?? {};
  if (tags.has(ResourceTag.ContentTransfer)) {
    if (progress === undefined) return STARTING;
    const { bytes, totalBytes } = progress as unknown as DownloadProgress;
    const total = totalBytes === undefined ? '' : `/${megabytes(totalBytes)}`;
    return { ...STARTING, message: `Downloaded ${megabytes(bytes)}${total}` };
  }
  return observation !== undefined && FILLED.has(observation.resource['status']) ? SAVED : undefined;
}

function megabytes(bytes: number): string {
  return `${Math.floor(bytes / MIB)}MB`;
}

function reported(
  object: KubeObject,
  verdict: Verdict,
  { attempts, ...at }: { readonly attempts: number | undefined; readonly generation: number; readonly now: number },
): JsonObject {
  const condition = storedCondition(object);
  const stored = condition === undefined ? {} : { conditions: [condition] };
  return {
    conditions: [conditionOf(TYPE, verdict, { stored, ...at }) as unknown as Json],
    ...(attempts !== undefined && { downloadAttempts: attempts }),
  };
}

function storedCondition({ status }: Pick<KubeObject, 'status'>): Condition | undefined {
  const conditions = status?.['conditions'] as readonly Condition[] | undefined;
  return conditions?.find(({ type }) => type === TYPE);
}

function isVerdict(condition: Condition, { status, reason }: Verdict): boolean {
  return condition.status === status && condition.reason === reason;
}
