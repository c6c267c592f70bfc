// Options of the adapter.
import { TerminalError } from '../../bus/errors.ts';
import type { Flag, Settings } from '../api/adapter.ts';
import { wholeNumber } from '../api/settings.ts';
import { KUBELET_PATH } from '../csi-proxy/server/group-deps.ts';
import type { EgressPolicyOptions } from '../http/egress-policy.ts';
import { REACH_FLAGS, reachIn } from '../http/egress-policy-options.ts';

export interface WindowsOptions {
  /** Between two looks at a machine of which nothing is heard, in milliseconds. */
  readonly lookEveryMs: number;
  /**
   * Maximum time to wait for a format after its process has ended, in milliseconds, before it is reported as uncertain.
   */
  readonly formatMs: number;
  /** The one that the process runs on, or a made-up one; `development`: with storage to begin with. */
  readonly machine: 'windows' | 'memory' | 'development';
  /** Initial content of a simulated machine; undefined: only its drive C, in development a sample of everything. */
  readonly machineFile: string | undefined;
  /** Directories that may contain mounts. */
  readonly directories: readonly string[];
  readonly encryption: 'required' | 'optional';
  /** Allowed addresses of shares and portals; any address if undefined. */
  readonly reach?: EgressPolicyOptions;
}

const LOOK_EVERY_MS = 30_000;
const FORMAT_MS = 600_000;

export const FLAGS: readonly Flag[] = [
  {
    name: 'windows-machine',
    variable: 'WINDOWS_MACHINE',
    value: 'NAME',
    fallback: 'windows',
    help: "machine that csi-proxy manages: windows, the one that it runs on, or memory, a simulated one, as in 'troupe dev'",
  },
  {
    name: 'windows-machine-file',
    variable: 'WINDOWS_MACHINE_FILE',
    value: 'FILE',
    help: "initial state of a simulated machine, in the format of 'troupe csi-proxy serve --machine'",
  },
  {
    name: 'windows-look-every-ms',
    variable: 'WINDOWS_LOOK_EVERY_MS',
    value: 'N',
    fallback: String(LOOK_EVERY_MS),
    help: 'milliseconds between two polls of a machine that reports no change',
  },
  {
    name: 'windows-format-ms',
    variable: 'WINDOWS_FORMAT_MS',
    value: 'N',
    fallback: String(FORMAT_MS),
    help: 'milliseconds after which the result of a format that was interrupted is reported as uncertain',
  },
  {
    name: 'windows-directories',
    variable: 'WINDOWS_DIRECTORIES',
    value: 'PATHS',
    fallback: KUBELET_PATH,
    help: 'directories that may contain mounts, comma-separated',
  },
  {
    name: 'windows-smb-encryption',
    variable: 'WINDOWS_SMB_ENCRYPTION',
    value: 'NAME',
    fallback: 'required',
    help: 'of shares: required or optional',
  },
  ...REACH_FLAGS,
];

/** @throws {TerminalError} names the flag or variable, the rule, what it got */
export function windowsOptions(settings: Settings): WindowsOptions {
  const { flag, purpose } = settings;
  const machine = flag('windows-machine');
  return {
    machine: machine.value === undefined && purpose !== undefined ? purpose : oneOf(machine, ['windows', 'memory']),
    machineFile: flag('windows-machine-file').value,
    lookEveryMs: wholeNumber(flag('windows-look-every-ms'), {
      fallback: LOOK_EVERY_MS,
      least: 10,
      unit: 'milliseconds',
    }),
    formatMs: wholeNumber(flag('windows-format-ms'), { fallback: FORMAT_MS, least: 0, unit: 'milliseconds' }),
    directories: directoriesIn(flag('windows-directories')),
    encryption: oneOf(flag('windows-smb-encryption'), ['required', 'optional']),
    reach: reachIn(settings),
  };
}

function oneOf<const Words extends readonly [string, ...string[]]>(
  { name, value }: { readonly name: string; readonly value: string | undefined },
  words: Words,
): Words[number] {
  const found = value === undefined ? words[0] : words.find((word) => word === value);
  if (found !== undefined) return found;
  throw new TerminalError(`${name} must be one of ${words.join(', ')}; got '${value}'`);
}

function directoriesIn({
  name,
  value,
}: {
  readonly name: string;
  readonly value: string | undefined;
}): readonly string[] {
  const all = (value ?? KUBELET_PATH).split(',').map((directory) => directory.trim());
  const wrong = all.find((directory) => !/^[a-z]:\\/i.test(directory));
  if (wrong === undefined) return all;
  throw new TerminalError(`${name} must be comma-separated directories such as C:\\var; got '${wrong}'`);
}
