// Faults of a simulated machine: host operations that fail, or end otherwise than their caller is told.
import { TerminalError } from '../../../../bus/errors.ts';
import type { Clock } from '../../../../bus/mod.ts';
import { hint } from '../../../text/nearest.ts';
import { Code, StatusError } from '../../base/status.ts';
import type { Host } from '../host.ts';

export const FaultKind = {
  /** It is not done, and fails. */
  Refused: 'refused',
  /** It is done, and fails all the same. */
  Lost: 'lost',
  /** It is begun after a time. */
  BegunLate: 'begun-late',
  /** It is done at once, and answers after a time. */
  AnsweredLate: 'answered-late',
} as const;
export type FaultKind = (typeof FaultKind)[keyof typeof FaultKind];

export interface Fault {
  /** A host operation with its group, such as `volume.formatVolume`. */
  readonly operation: string;
  readonly kind: FaultKind;
  /** Number of successful calls before. */
  readonly skip: number;
  /** Number of failing calls after that. */
  readonly times: number;
  /** Delay of a late one. */
  readonly delayMs: number;
  readonly message: string;
}

type Operation = (...args: readonly unknown[]) => Promise<unknown>;

/** The groups of a host. */
const GROUPS = ['disk', 'volume', 'filesystem', 'smb', 'iscsi', 'system'] as const;

/**
 * The host with its faults. Of several faults of one operation that could be met, the first is.
 *
 * @throws {TerminalError} an operation that there is not
 */
export function withFaults(host: Host, faults: readonly Fault[], clock: Clock): Host {
  if (faults.length === 0) return host;
  const groups = GROUPS.map((group) => {
    const operations = Object.entries(host[group] as unknown as Record<string, Operation>);
    const faulty = operations.map(([name, operation]): [string, Operation] => {
      const own = faults.filter((fault) => fault.operation.toLowerCase() === `${group}.${name}`.toLowerCase());
      return [name, own.length === 0 ? operation : failing(operation, own, clock)];
    });
    return [group, Object.fromEntries(faulty)] as const;
  });
  const known = groups.flatMap(([group, operations]) => Object.keys(operations).map((name) => `${group}.${name}`));
  for (const { operation } of faults) {
    if (known.some((name) => name.toLowerCase() === operation.toLowerCase())) continue;
    throw new TerminalError(`there is no operation '${operation}'${hint(operation, known)}`);
  }
  return { ...(Object.fromEntries(groups) as unknown as Host), close: () => host.close() };
}

function failing(operation: Operation, faults: readonly Fault[], clock: Clock): Operation {
  const left = faults.map(({ skip, times }) => ({ skip, times }));
  /** A call counts for every fault up to the one that it meets. */
  const next = (): Fault | undefined =>
    faults.find((_, index) => {
      const counts = left[index];
      if (counts === undefined || counts.times === 0) return false;
      if (counts.skip > 0) {
        counts.skip--;
        return false;
      }
      counts.times--;
      return true;
    });
  return async (...args) => {
    const fault = next();
    if (fault?.kind === FaultKind.Refused) throw new StatusError(Code.Unknown, fault.message);
    if (fault?.kind === FaultKind.BegunLate) await clock.sleep(fault.delayMs);
    const answer = await operation(...args);
    if (fault?.kind === FaultKind.Lost) throw new StatusError(Code.Unknown, fault.message);
    if (fault?.kind === FaultKind.AnsweredLate) await clock.sleep(fault.delayMs);
    return answer;
  };
}
