// Flags of `troupe csi-proxy serve`, with one dash or two.
import { TerminalError } from '../../../bus/errors.ts';
import { hint } from '../../text/nearest.ts';
import { parseVersionName } from '../base/version-name.ts';
import { allServices } from '../client/all_services_generated.ts';
import { DRAIN_MS, type Flag, SERVICE } from './flag-table.ts';
import { GivenFlags, wholeNumber } from './given-flags.ts';
import { type GroupOptions, KUBELET_PATH } from './group-deps.ts';
import type { GuardLimits } from './http2/guard.ts';
import type { UnaryLimits } from './http2/unary-server.ts';
import { type LogFlags, logFlags } from './log-flags.ts';
import type { Selection } from './selection.ts';

export const HostKind = { Windows: 'windows', Memory: 'memory' } as const;
export type HostKind = (typeof HostKind)[keyof typeof HostKind];

export interface ServeFlags {
  /** Options of the groups; the directory of the kubelet is the last of the allowed ones. */
  readonly groups: Omit<Required<GroupOptions>, 'clock' | 'host'>;
  /** The process is run by a service manager. */
  readonly isService: boolean;
  readonly metricsAddress: string;
  readonly healthAddress: string;
  readonly log: LogFlags;
  /** Served versions; undefined: all. */
  readonly selection: Selection | undefined;
  /** Undefined: that of the system. */
  readonly pipePrefix: string | undefined;
  readonly host: HostKind;
  /** Directory of the files of an in-memory machine; undefined: in memory, too. */
  readonly files: string | undefined;
  /** A file with what a machine in memory begins with; undefined: nothing but its drive C. */
  readonly machine: string | undefined;
  /** Timeouts by the name of a call. */
  readonly limitsMs: ReadonlyMap<string, number>;
  readonly callsPerGroup: number | undefined;
  /** Limits of clients, if configured. */
  readonly clientLimits: Partial<GuardLimits & UnaryLimits>;
  readonly drainMs: number;
}

/** The names of all calls of all versions. */
const CALLS: readonly string[] = [
  ...new Set(
    Object.values(allServices).flatMap((versions) =>
      Object.values(versions).flatMap((service) => Object.values(service).map(({ name }) => name)),
    ),
  ),
];

/** @throws {TerminalError} names the flag, the rule, and what it got */
export function readFlags(args: readonly string[], platform: NodeJS.Platform): ServeFlags {
  const given = new GivenFlags(args);
  const host = given.last('host') ?? (platform === 'win32' ? HostKind.Windows : HostKind.Memory);
  if (host !== HostKind.Windows && host !== HostKind.Memory) {
    throw new TerminalError(`--host must be windows or memory; got '${host}'`);
  }
  for (const flag of ['files', 'machine'] as const) {
    if (host !== HostKind.Memory && given.last(flag) !== undefined) {
      throw new TerminalError(`--${flag} needs --host memory`);
    }
  }
  const services = given.all('allow-service');
  return {
    groups: {
      allowedDirectories: [...given.all('working-dir'), given.last('kubelet-path') ?? KUBELET_PATH].map(directory),
      services: given.isOn('allow-all-services', 'off') ? 'all' : services.length > 0 ? services : [SERVICE],
      mountPaths: given.isOn('check-volume-paths', 'on') ? 'checked' : 'any',
      linkPaths: given.isOn('check-link-paths', 'off') ? 'checked' : 'any',
      smbEncryption: given.isOn('require-privacy', 'on') ? 'required' : 'optional',
    },
    isService: given.isOn('windows-service', 'off'),
    metricsAddress: given.last('metrics-bind-address') ?? '',
    healthAddress: given.last('health-probe-bind-address') ?? '',
    log: logFlags(given),
    selection: selection(given.inOrder()),
    pipePrefix: given.last('pipe-prefix'),
    host,
    files: given.last('files'),
    machine: given.last('machine'),
    limitsMs: new Map(
      given.all('time-limit-ms').map((text): [string, number] => {
        const [, rpc = '', value] = /^(\w+)=(.*)$/.exec(text) ?? [];
        if (rpc === '') throw new TerminalError(`--time-limit-ms must be like FormatVolume=1200000; got '${text}'`);
        if (!CALLS.includes(rpc)) {
          throw new TerminalError(`--time-limit-ms: there is no call '${rpc}'${hint(rpc, CALLS)}`);
        }
        return [rpc, wholeNumber('time-limit-ms', value ?? '', 1)];
      }),
    ),
    callsPerGroup: given.whole('calls-per-group', 1),
    clientLimits: clientLimits((flag) => given.whole(flag, 1)),
    drainMs: given.whole('drain-ms', 0) ?? DRAIN_MS,
  };
}

const MIB = 2 ** 20;

function clientLimits(whole: (flag: Flag) => number | undefined): ServeFlags['clientLimits'] {
  const heldMib = whole('held-request-mib');
  const given = {
    connections: whole('connections'),
    connectionsPerPipe: whole('connections-per-pipe'),
    handshakeMs: whole('handshake-ms'),
    idleMs: whole('idle-ms'),
    requestMs: whole('request-ms'),
    unfinishedRequests: whole('unfinished-requests'),
    heldBytes: heldMib === undefined ? undefined : heldMib * MIB,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function directory(path: string): string {
  if (!/^[a-z]:\\/i.test(path)) {
    throw new TerminalError(`--kubelet-path and --working-dir must be absolute Windows paths; got '${path}'`);
  }
  return path;
}

function selection(given: readonly (readonly [Flag, string])[]): Selection | undefined {
  const selected = new Map<string, Set<string>>();
  let versions: Set<string> | undefined;
  for (const [flag, value] of given) {
    if (flag === 'group') {
      versions = selected.get(value) ?? new Set();
      selected.set(value, versions);
    } else if (flag === 'version') {
      if (versions === undefined)
        throw new TerminalError(`--version ${value} needs the --group before it that it is of`);
      versions.add(version(value));
    }
  }
  return selected.size === 0 ? undefined : selected;
}

function version(name: string): string {
  try {
    return parseVersionName(name).name;
  } catch (error) {
    throw new TerminalError(`--version: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
