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
    help: 'names, *.example.com, addresses, CIDRs or *, with commas: clouds are reached there, and BMCs, images and storage may be there, whatever else is said',
  },
  {
    name: 'cloud-deny',
    variable: 'TROUPE_CLOUD_DENY',
    value: 'HOSTS',
    help: 'clouds are not reached there, and nothing that a tenant names may be, nor at link-local addresses, at the API server, or in a pod at loopback; clouds not at service addresses either',
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
