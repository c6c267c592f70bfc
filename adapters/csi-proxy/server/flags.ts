// What `troupe csi-proxy serve` is told, by flags with one dash or two.
import { parseArgs } from 'node:util';
import { TerminalError } from '../../../bus/errors.ts';
import { hint } from '../../nearest.ts';
import { allServices } from '../client/all_services_generated.ts';
import { parseVersionName } from '../version-name.ts';
import { DRAIN_MS, FLAGS, type Flag, SERVICE } from './flag-table.ts';
import { type GroupOptions, KUBELET_PATH } from './group-deps.ts';
import type { GuardLimits } from './http2/guard.ts';
import type { UnaryLimits } from './http2/unary-server.ts';
import type { Selection } from './selection.ts';

export const HostKind = { Windows: 'windows', Memory: 'memory' } as const;
export type HostKind = (typeof HostKind)[keyof typeof HostKind];

export interface ServeFlags {
  /** What the groups are told; the directory of the kubelet is the last of those allowed. */
  readonly groups: Omit<Required<GroupOptions>, 'clock' | 'host'>;
  /** The process is run by a service manager. */
  readonly isService: boolean;
  readonly metricsAddress: string;
  readonly healthAddress: string;
  readonly logLevel: 'info' | 'debug' | 'trace';
  /** Undefined: standard error. */
  readonly logFile: string | undefined;
  /** What is served; undefined: everything. */
  readonly selection: Selection | undefined;
  /** Undefined: that of the system. */
  readonly pipePrefix: string | undefined;
  readonly host: HostKind;
  /** Where the files of a machine in memory lie; undefined: in memory, too. */
  readonly files: string | undefined;
  /** By the name of a call. */
  readonly limitsMs: ReadonlyMap<string, number>;
  readonly callsPerGroup: number | undefined;
  /** What clients may take, where it is told. */
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

/** Of klog: from here on details are wanted. */
const DEBUG_VERBOSITY = 4;
const TRACE_VERBOSITY = 6;

/** @throws {TerminalError} names the flag, the rule, and what it got */
export function readFlags(args: readonly string[], platform: NodeJS.Platform): ServeFlags {
  const given = parse(args);
  const last = (flag: Flag): string | undefined => given.findLast(([name]) => name === flag)?.[1];
  const all = (flag: Flag): string[] => given.flatMap(([name, value]) => (name === flag ? [value] : []));
  const isOn = (flag: Flag, fallback: 'on' | 'off'): boolean => {
    const value = last(flag) ?? (fallback === 'on' ? 'true' : 'false');
    if (/^(?:1|t|true)$/i.test(value)) return true;
    if (/^(?:0|f|false)$/i.test(value)) return false;
    throw new TerminalError(`--${flag} must be true or false; got '${value}'`);
  };
  const whole = (flag: Flag, value: string | undefined, least: number): number | undefined => {
    if (value === undefined) return undefined;
    const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= least) return number;
    throw new TerminalError(`--${flag} must be a whole number, at least ${least}; got '${value}'`);
  };
  const verbosity = whole('v', last('v'), 0) ?? 0;
  const host = last('host') ?? (platform === 'win32' ? HostKind.Windows : HostKind.Memory);
  if (host !== HostKind.Windows && host !== HostKind.Memory) {
    throw new TerminalError(`--host must be windows or memory; got '${host}'`);
  }
  const services = all('allow-service');
  return {
    groups: {
      allowedDirectories: [...all('working-dir'), last('kubelet-path') ?? KUBELET_PATH].map(directory),
      services: isOn('allow-all-services', 'off') ? 'all' : services.length > 0 ? services : [SERVICE],
      mountPaths: isOn('check-volume-paths', 'on') ? 'checked' : 'any',
      linkPaths: isOn('check-link-paths', 'off') ? 'checked' : 'any',
      smbEncryption: isOn('require-privacy', 'on') ? 'required' : 'optional',
    },
    isService: isOn('windows-service', 'off'),
    metricsAddress: last('metrics-bind-address') ?? '',
    healthAddress: last('health-probe-bind-address') ?? '',
    logLevel: verbosity >= TRACE_VERBOSITY ? 'trace' : verbosity >= DEBUG_VERBOSITY ? 'debug' : 'info',
    logFile: logFile(isOn('logtostderr', 'on'), last('log_file')),
    selection: selection(given),
    pipePrefix: last('pipe-prefix'),
    host,
    files: last('files'),
    limitsMs: new Map(
      all('time-limit-ms').map((text): [string, number] => {
        const [, rpc = '', value] = /^(\w+)=(.*)$/.exec(text) ?? [];
        if (rpc === '') throw new TerminalError(`--time-limit-ms must be like FormatVolume=1200000; got '${text}'`);
        if (!CALLS.includes(rpc)) {
          throw new TerminalError(`--time-limit-ms: there is no call '${rpc}'${hint(rpc, CALLS)}`);
        }
        return [rpc, whole('time-limit-ms', value, 1) ?? 0];
      }),
    ),
    callsPerGroup: whole('calls-per-group', last('calls-per-group'), 1),
    clientLimits: clientLimits((flag) => whole(flag, last(flag), 1)),
    drainMs: whole('drain-ms', last('drain-ms'), 0) ?? DRAIN_MS,
  };
}

/** Flags and their values in the order in which they were given. */
function parse(args: readonly string[]): [Flag, string][] {
  const { tokens } = parseArgs({
    // One dash is as good as two.
    args: args.map((arg) => arg.replace(/^-(?=[a-z])/i, '--')),
    options: FLAGS,
    strict: false,
    tokens: true,
  });
  return tokens.map((token) => {
    if (token.kind !== 'option') throw new TerminalError(`'serve' takes flags only; got '${args[token.index] ?? ''}'`);
    const { name, rawName, value } = token;
    if (!isFlag(name)) {
      const meant = hint(
        `--${name}`,
        Object.keys(FLAGS).map((flag) => `--${flag}`),
      );
      throw new TerminalError(`there is no flag ${rawName}${meant || '; --help lists them'}`);
    }
    if (value === undefined && FLAGS[name].type === 'string') throw new TerminalError(`${rawName} needs a value`);
    return [name, value ?? 'true'];
  });
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

function isFlag(name: string): name is Flag {
  return Object.hasOwn(FLAGS, name);
}

function directory(path: string): string {
  if (!/^[a-z]:\\/i.test(path)) {
    throw new TerminalError(`--kubelet-path and --working-dir must be absolute Windows paths; got '${path}'`);
  }
  return path;
}

function logFile(toStandardError: boolean, file: string | undefined): string | undefined {
  if (toStandardError) return undefined;
  if (file === undefined || file === '') throw new TerminalError('--logtostderr=false needs --log_file');
  return file;
}

function selection(given: readonly [Flag, string][]): Selection | undefined {
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
