// HostFirmwareComponents: status and conditions, from Ironic's data about a node, and the step that updates firmware.
// Pure.

import { isDeepStrictEqual } from 'node:util';
import { listOf, mapOf, textOf } from '../json-values.ts';
import { type Condition, timeOf, withConditions } from './condition.ts';
import { FirmwareCondition } from './firmware-change.ts';
import type { ValidationEvent } from './firmware-settings.ts';
import type { Maybe } from './host-json.ts';
import { imageUrlProblem } from './image-rules.ts';
import { isSameStatus } from './last-updated.ts';
import type { Step } from './manual-step.ts';

export interface FirmwareUpdate {
  readonly component: string;
  readonly url: string;
}

export interface FirmwareComponent {
  /** `bios`, `bmc`, or `nic:` and a name. */
  readonly component: string;
  readonly initialVersion: string;
  readonly currentVersion?: string;
  readonly lastVersionFlashed?: string;
  /** RFC 3339, UTC, whole seconds. */
  readonly updatedAt?: string;
}

export interface HostFirmwareComponents {
  readonly metadata: { readonly generation?: Maybe<number> };
  readonly spec?: Maybe<{ readonly updates?: Maybe<readonly FirmwareUpdate[]> }>;
  readonly status?: Maybe<{
    readonly updates?: Maybe<readonly FirmwareUpdate[]>;
    readonly components?: Maybe<readonly FirmwareComponent[]>;
    readonly conditions?: Maybe<readonly Condition[]>;
    readonly lastUpdated?: Maybe<string>;
  }>;
}

export interface HostFirmwareComponentsStatus {
  readonly updates?: readonly FirmwareUpdate[];
  readonly components: readonly FirmwareComponent[];
  readonly conditions: readonly Condition[];
  readonly lastUpdated: string;
}

const Reason = { OK: 'OK', InvalidComponent: 'InvalidComponent' } as const;

const INVALID = 'Invalid firmware component';

/** Whether it is one of those that can be updated through the API. */
export function isKnownComponent(component: string): boolean {
  return component === 'bios' || component === 'bmc' || component.startsWith('nic:');
}

/** The components in the answer of `GET /v1/nodes/{id}/firmware`, as far as they are known ones. */
export function firmwareComponents(answer: unknown): readonly FirmwareComponent[] {
  return listOf(mapOf(answer)['firmware'])
    .map(mapOf)
    .filter(({ component }) => isKnownComponent(textOf(component)))
    .map((reported) => {
      const currentVersion = textOf(reported['current_version']);
      const lastVersionFlashed = textOf(reported['last_version_flashed']);
      const updatedAt = instantOf(reported['updated_at']);
      return {
        component: textOf(reported['component']),
        initialVersion: textOf(reported['initial_version']),
        ...(currentVersion && { currentVersion }),
        ...(lastVersionFlashed && { lastVersionFlashed }),
        ...(updatedAt && { updatedAt }),
      };
    });
}

/** The same updates in the same order; none at all and an empty list are one. */
export function isUpdatesChanged({ spec, status }: Pick<HostFirmwareComponents, 'spec' | 'status'>): boolean {
  return !isDeepStrictEqual((spec?.updates ?? []).map(plain), (status?.updates ?? []).map(plain));
}

/**
 * Status after a check of the node's components, and the events about invalid ones. `status.updates` stays: it is what
 * was applied, written by the step that applies it.
 *
 * @param options.components  of `firmwareComponents`
 * @param options.now  milliseconds since the epoch
 * @returns `isChanged`: something other than the time changed and must be written. Events are emitted when it is
 */
export function firmwareComponentsStatus({
  object,
  components,
  now,
}: {
  readonly object: HostFirmwareComponents;
  readonly components: readonly FirmwareComponent[];
  readonly now: number;
}): {
  readonly status: HostFirmwareComponentsStatus;
  readonly events: readonly ValidationEvent[];
  readonly isChanged: boolean;
} {
  const { metadata, spec, status: stored } = object;
  const problems = (spec?.updates ?? []).flatMap(problemOf);
  const conditions = withConditions(
    [
      {
        type: FirmwareCondition.ChangeDetected,
        status: isUpdatesChanged(object) ? 'True' : 'False',
        reason: Reason.OK,
      },
      problems.length === 0
        ? { type: FirmwareCondition.Valid, status: 'True', reason: Reason.OK }
        : { type: FirmwareCondition.Valid, status: 'False', reason: Reason.InvalidComponent, message: INVALID },
    ],
    { stored: stored?.conditions, generation: metadata.generation ?? undefined, now },
  );
  const status = {
    ...(stored?.updates != null && { updates: stored.updates }),
    components,
    conditions,
    lastUpdated: timeOf(now),
  };
  return {
    status,
    events: problems.map((problem) => ({ reason: 'ValidationFailed', message: `${INVALID}: ${problem}` })),
    isChanged: !isSameStatus(stored, status),
  };
}

/** Problems of an update; empty if it is valid. */
function problemOf({ component, url }: FirmwareUpdate): readonly string[] {
  const problem = isKnownComponent(component)
    ? imageUrlProblem(url)
    : `'${component}' is not 'bios', 'bmc' or 'nic:' and a name`;
  return problem === undefined ? [] : [problem];
}

/** The clean or service step for the updates that were not applied from the same URL; undefined: all were. */
export function firmwareStep({ spec, status }: Pick<HostFirmwareComponents, 'spec' | 'status'>): Step | undefined {
  const applied = (status?.updates ?? []).map(plain);
  const settings = (spec?.updates ?? [])
    .map(plain)
    .filter((update) => !applied.some((known) => isDeepStrictEqual(known, update)));
  return settings.length === 0 ? undefined : { interface: 'firmware', step: 'update', args: { settings } };
}

function plain({ component, url }: FirmwareUpdate): { readonly component: string; readonly url: string } {
  return { component, url };
}

/** Ironic's instants are of UTC, with a zone or without. */
function instantOf(value: unknown): string | undefined {
  const text = textOf(value);
  const at = Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`);
  return Number.isNaN(at) ? undefined : timeOf(at);
}
