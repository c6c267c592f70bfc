// The flags of klog, which the original logs with: what is logged, and where to.
import { TerminalError } from '../../../bus/errors.ts';
import type { GivenFlags } from './given-flags.ts';

/** Severities of klog, the least first. */
export const Severity = { Info: 'INFO', Warning: 'WARNING', Error: 'ERROR', Fatal: 'FATAL' } as const;
export type Severity = (typeof Severity)[keyof typeof Severity];

/** The least first. */
export const SEVERITIES: readonly Severity[] = Object.values(Severity);

export type LogLevel = 'info' | 'debug' | 'trace';

export interface LogFlags {
  readonly level: LogLevel;
  /** Levels by a pattern of group names; the first match counts, and only if it is more verbose than `level`. */
  readonly groupLevels: readonly { readonly pattern: string; readonly level: LogLevel }[];
  /** The least severe lines that standard error has. */
  readonly standardErrorFrom: Severity;
  /** Undefined: standard error alone has the log. */
  readonly files: LogFileFlags | undefined;
}

export interface LogFileFlags {
  /** One file for all, or a folder with one a severity; without a path the folder for temporary files. */
  readonly place: { readonly file: string } | { readonly folder: string | undefined };
  /** Before a line that a file has no room for another one is begun, in bytes. */
  readonly maxBytes: number;
  /** Whether the files of a folder have the lines of their severity alone; else those of all above it, too. */
  readonly isOneOutput: boolean;
}

/** From here on details are wanted. */
const DEBUG_VERBOSITY = 4;
const TRACE_VERBOSITY = 6;
/** Default of klog, in mebibytes. */
const MAX_SIZE_MIB = 1_800;

/** @throws {TerminalError} names the flag, the rule, and what it got */
export function logFlags(given: GivenFlags): LogFlags {
  const isStandardErrorOnly = given.isOn('logtostderr', 'on');
  const threshold = severity(given, 'stderrthreshold', Severity.Error);
  const alsoThreshold = severity(given, 'alsologtostderrthreshold', Severity.Info);
  const alsoFrom = given.isOn('alsologtostderr', 'off') ? alsoThreshold : threshold;
  const onlyFrom = given.isOn('legacy_stderr_threshold_behavior', 'on') ? Severity.Info : threshold;
  const files = fileFlags(given);
  return {
    level: levelOf(given.whole('v', 0) ?? 0),
    groupLevels: (given.last('vmodule') ?? '').split(',').filter(Boolean).map(groupLevel),
    standardErrorFrom: isStandardErrorOnly ? onlyFrom : alsoFrom,
    files: isStandardErrorOnly ? undefined : files,
  };
}

/** Log level of a group. */
export function groupLogLevel(
  { level, groupLevels }: Pick<LogFlags, 'level' | 'groupLevels'>,
  group: string,
): LogLevel {
  const order: readonly LogLevel[] = ['info', 'debug', 'trace'];
  const own = groupLevels.find(({ pattern }) => fits(pattern, group))?.level ?? 'info';
  return order.indexOf(own) > order.indexOf(level) ? own : level;
}

function fileFlags(given: GivenFlags): LogFileFlags {
  const file = given.last('log_file') ?? '';
  const folder = given.last('log_dir') ?? '';
  const maxMib = given.whole('log_file_max_size', 0) ?? MAX_SIZE_MIB;
  return {
    place: file === '' ? { folder: folder === '' ? undefined : folder } : { file },
    maxBytes: maxMib === 0 ? Number.POSITIVE_INFINITY : maxMib * 2 ** 20,
    isOneOutput: given.isOn('one_output', 'off'),
  };
}

/** Severity by its name in any case, or its number, 0 for INFO. */
function severity(
  given: GivenFlags,
  flag: 'stderrthreshold' | 'alsologtostderrthreshold',
  fallback: Severity,
): Severity {
  const value = given.last(flag) ?? fallback;
  const found = SEVERITIES.find((name, index) => name === value.toUpperCase() || String(index) === value);
  if (found !== undefined) return found;
  throw new TerminalError(`--${flag} must be one of ${SEVERITIES.join(', ')} or its number from 0 on; got '${value}'`);
}

function groupLevel(text: string): { pattern: string; level: LogLevel } {
  const [, pattern = '', verbosity = ''] = /^([^=]+)=(\d{1,9})$/.exec(text) ?? [];
  if (pattern === '') throw new TerminalError(`--vmodule must be like disk=4,smb=6; got '${text}'`);
  return { pattern, level: levelOf(Number(verbosity)) };
}

function levelOf(verbosity: number): LogLevel {
  return verbosity >= TRACE_VERBOSITY ? 'trace' : verbosity >= DEBUG_VERBOSITY ? 'debug' : 'info';
}

/** `*` matches any text, `?` a character. */
function fits(pattern: string, name: string): boolean {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`).test(name);
}
