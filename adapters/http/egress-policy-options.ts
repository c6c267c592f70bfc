// Options for the hosts that tenants may name, common to all adapters.
import { TerminalError, toErrorData } from '../../bus/errors.ts';
import type { Flag, FlagValue, Settings } from '../api/adapter.ts';
import { type EgressPolicyOptions, egressPolicyOf } from './egress-policy.ts';

/** Flags of every adapter whose objects name hosts. */
export const REACH_FLAGS = [
  {
    name: 'cloud-allow',
    variable: 'TROUPE_CLOUD_ALLOW',
    value: 'HOSTS',
    help: 'allowed destinations of clouds, BMCs, images and storage: names, *.example.com, addresses, CIDRs or *, comma-separated; takes precedence over --cloud-deny',
  },
  {
    name: 'cloud-deny',
    variable: 'TROUPE_CLOUD_DENY',
    value: 'HOSTS',
    help: 'denied destinations of clouds and of all that a tenant names, besides link-local addresses, the API server, in a pod loopback, and for clouds service addresses',
  },
] as const satisfies readonly Flag[];

/** @throws {TerminalError} names the flag or variable, the rule, and what it got */
export function reachIn({ flag, variable, purpose }: Settings): EgressPolicyOptions {
  const serviceHost = variable('KUBERNETES_SERVICE_HOST');
  return {
    allow: hostsIn(flag('cloud-allow')),
    deny: hostsIn(flag('cloud-deny')),
    // In development, or outside of a cluster, a cloud may run on the same machine; in a pod it cannot.
    isLoopbackReached: purpose === 'development' || serviceHost === undefined,
    serviceHost,
  };
}

/** @throws {TerminalError} one is no pattern */
function hostsIn({ name, value = '' }: FlagValue): readonly string[] {
  const hosts = value.split(',').flatMap((text) => text.trim() || []);
  try {
    egressPolicyOf({ allow: hosts, deny: [] });
  } catch (error) {
    throw new TerminalError(`${name} ${toErrorData(error).message}`);
  }
  return hosts;
}
