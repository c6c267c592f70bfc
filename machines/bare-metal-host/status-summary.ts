// Summary of a host by its status alone, without its state machine.
import { type StatusSummary, Tag } from '../lifecycle.ts';
import { areUpToDate, ConditionType } from './conditions.ts';
import { type BareMetalHost, isPaused, OperationalStatus, ProvisioningState, provisioningStateOf } from './host.ts';

/** Tags of a state in which a host is idle without problems; in every other known one it is busy. */
const AT_REST: ReadonlyMap<string, readonly Tag[]> = new Map<string, readonly Tag[]>([
  [ProvisioningState.Unmanaged, [Tag.Settled]],
  ...[
    ProvisioningState.Available,
    ProvisioningState.Ready,
    ProvisioningState.Provisioned,
    ProvisioningState.ExternallyProvisioned,
  ].map((state) => [state, [Tag.Settled, Tag.Available]] as const),
]);

const KNOWN: ReadonlySet<string> = new Set(Object.values(ProvisioningState));

/** @returns undefined if the current generation was not processed */
export function hostSummary(host: BareMetalHost): StatusSummary | undefined {
  const { operationalStatus, errorMessage, conditions } = host.status ?? {};
  const state = provisioningStateOf(host);
  const look = (...tags: readonly Tag[]): StatusSummary => ({ tags, message: errorMessage ?? '' });
  // Nothing is written of it as long as that lasts.
  if (isPaused(host)) return look(Tag.Settled);
  // mutant: glance-at-older-spec if -> $1
  if (state === ProvisioningState.None || !areUpToDate(host)) return undefined;
  if (!KNOWN.has(state)) return look(Tag.Settled, Tag.Failing, Tag.Terminal);
  if (operationalStatus === OperationalStatus.Error) return look(Tag.Failing);
  if (operationalStatus === OperationalStatus.Detached) return look(Tag.Settled);
  const isWaiting =
    operationalStatus === OperationalStatus.Delayed || operationalStatus === OperationalStatus.Servicing;
  const rest = AT_REST.get(state);
  if (rest !== undefined && !isWaiting) return look(...rest);
  const progressing = conditions?.find(({ type }) => type === ConditionType.Progressing);
  return { tags: [Tag.Waiting], message: errorMessage || progressing?.message || '' };
}
