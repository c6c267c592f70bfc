// Dependencies of the hand-written server of a group.
import type { Clock } from '../../../bus/mod.ts';
import type { Host } from '../hosts/host.ts';
import { KeyedMutex } from '../hosts/keyed-mutex.ts';
import { PathRules } from './path-rules.ts';

export interface GroupDeps {
  readonly clock: Clock;
  readonly host: Host;
  /** All groups of a host have the same, so that one disk is changed by one call at a time. */
  readonly lanes: KeyedMutex;
  readonly paths: PathRules;
  /** The names of the services that may be asked for, in lower case. */
  readonly services: ReadonlySet<string> | 'all';
  /** Whether volumes may be mounted where no other path is allowed, as the reference does. */
  readonly mountPaths: 'checked' | 'any';
  /** Whether it accepts any path for link checks, as the reference does. */
  readonly linkPaths: 'checked' | 'any';
  readonly smbEncryption: 'required' | 'optional';
}

/** Default directory of kubelet. */
export const KUBELET_PATH = 'C:\\var\\lib\\kubelet';

export interface GroupOptions {
  readonly clock: Clock;
  readonly host: Host;
  /** kubelet's directory by default. */
  readonly allowedDirectories?: readonly string[];
  /** `MSiSCSI` by default. */
  readonly services?: readonly string[] | 'all';
  readonly mountPaths?: 'checked' | 'any';
  readonly linkPaths?: 'checked' | 'any';
  readonly smbEncryption?: 'required' | 'optional';
}

/** @throws {Error} an allowed directory that is none */
export function groupDeps({
  clock,
  host,
  allowedDirectories = [KUBELET_PATH],
  services = ['MSiSCSI'],
  mountPaths = 'checked',
  linkPaths = 'any',
  smbEncryption = 'required',
}: GroupOptions): GroupDeps {
  return {
    clock,
    host,
    lanes: new KeyedMutex(),
    paths: new PathRules(allowedDirectories),
    services: services === 'all' ? 'all' : new Set(services.map((name) => name.toLowerCase())),
    mountPaths,
    linkPaths,
    smbEncryption,
  };
}
