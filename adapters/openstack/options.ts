// Options of the OpenStack adapter on the command line and in the environment.
import { TerminalError } from '../../bus/errors.ts';
import type { Clock } from '../../bus/time.ts';
import type { Flag, FlagValue, Settings } from '../api/adapter.ts';
import { wholeNumber } from '../api/settings.ts';
import type { EgressPolicyOptions } from '../http/egress-policy.ts';
import { REACH_FLAGS, reachIn } from '../http/egress-policy-options.ts';
import { proxyIn } from '../http/proxies.ts';
import { parseGoDuration } from '../text/go-duration.ts';
import { DRIFT_ANNOTATION, Drift } from './base/object-options.ts';
import type { SessionsDeps } from './client/sessions.ts';
import type { Downloads } from './downloads/download-policy.ts';

export interface OpenStackOptions {
  /** Resync period of objects that do not say, in milliseconds; 0, the default, for never. */
  readonly defaultResyncMs?: number;
  /** Handling of drift for objects that do not specify it; drift is repaired by default. */
  readonly drift?: Drift;
  /** Calls under way to one cloud at a time, of all processes that share it; 16 by default. */
  readonly callsInFlight?: number;
  /** A file in PEM: the CA of clouds whose secret has none. Read where the clouds are reached. */
  readonly defaultCaFile?: string;
  /** Proxy for connections to clouds; direct connections without it. */
  readonly proxy?: NonNullable<SessionsDeps['proxy']>;
  /** Allowed hosts; all without it. */
  readonly reach?: EgressPolicyOptions;
  /** Reaches clouds otherwise than by HTTP. */
  readonly transport?: NonNullable<SessionsDeps['transport']>;
  /** Reaches what users name by a URL otherwise than by HTTP; closed with the rest. */
  readonly downloads?: (clock: Clock) => Downloads;
}

export const FLAGS = [
  {
    name: 'calls-in-flight',
    variable: 'TROUPE_CALLS_IN_FLIGHT',
    value: 'N',
    fallback: '16',
    help: 'calls to one cloud at a time, of all pods that host actors together, and one of each at least',
  },
  {
    name: 'default-resync-period',
    variable: 'TROUPE_DEFAULT_RESYNC_PERIOD',
    value: 'DURATION',
    fallback: '0s',
    help: 'a Go duration; 0s is never',
  },
  {
    name: 'drift',
    variable: 'TROUPE_DRIFT',
    value: 'repair|report',
    fallback: 'repair',
    help: `what is not as specified though the spec was not edited: bring it back, or only tell; the annotation ${DRIFT_ANNOTATION} says it for one object`,
  },
  {
    name: 'default-ca-certs',
    variable: 'TROUPE_DEFAULT_CA_CERTS',
    value: 'FILE',
    help: 'the CA of clouds whose secret has none; HTTP_PROXY, HTTPS_PROXY and NO_PROXY are for the clouds too',
  },
  ...REACH_FLAGS,
] as const satisfies readonly Flag[];

/** Below this, resyncs load the clouds, in milliseconds. */
export const BUSY_RESYNC_MS = 120_000;

/** @throws {TerminalError} names the flag or variable, the rule, and what it got */
export function openstackOptions(settings: Settings): OpenStackOptions {
  const { flag, variable } = settings;
  const { name, value: period = '0s' } = flag('default-resync-period');
  const defaultResyncMs = parseGoDuration(period);
  if (defaultResyncMs === undefined || defaultResyncMs < 0) {
    throw new TerminalError(`${name} must be a Go duration such as 10m, 0s for never; got '${period}'`);
  }
  const { value: defaultCaFile } = flag('default-ca-certs');
  const proxy = proxyIn(variable);
  return {
    defaultResyncMs,
    drift: driftGiven(flag('drift')),
    callsInFlight: wholeNumber(flag('calls-in-flight'), { fallback: 16, least: 1, unit: 'calls' }),
    reach: reachIn(settings),
    ...(defaultCaFile !== undefined && { defaultCaFile }),
    ...(proxy !== undefined && { proxy }),
  };
}

function driftGiven({ name, value }: FlagValue): Drift {
  const all = Object.values(Drift);
  const found = value === undefined || value === '' ? Drift.Repair : all.find((each) => each === value);
  if (found === undefined) throw new TerminalError(`${name} must be ${all.join(' or ')}; got '${value}'`);
  return found;
}
