// Allocation pools of the simulated Neutron: those it computes, and what it says to those it is given.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { formatAddress, formatPrefix, type Prefix, parseAddress } from './addresses.ts';
import { neutronRefusal, pythonRepr } from './exchange.ts';

/** All that hosts may use, but the gateway. */
export function defaultPools(prefix: Prefix, gateway: Json): readonly JsonObject[] {
  const { first, last } = hosts(prefix);
  const own = gateway === null ? undefined : parseAddress(String(gateway))?.value;
  const ranges =
    own === undefined || own < first || own > last
      ? [[first, last] as const]
      : [[first, own - 1n] as const, [own + 1n, last] as const];
  return ranges
    .filter(([start, end]) => start <= end)
    .map(([start, end]) => ({
      start: formatAddress({ version: prefix.version, value: start }),
      end: formatAddress({ version: prefix.version, value: end }),
    }));
}

/** Addresses that hosts may have: not the network's own, and not the broadcast address of IPv4. */
function hosts(prefix: Prefix): { readonly first: bigint; readonly last: bigint } {
  const bits = prefix.version === 4 ? 32 : 128;
  if (bits - prefix.length < 2) return prefix;
  return { first: prefix.first + 1n, last: prefix.version === 6 ? prefix.last : prefix.last - 1n };
}

/** Refuses pools that Neutron refuses, in its order of checks. */
export function checkPools(value: Json, prefix: Prefix, gateway: Json): void {
  const { first, last } = hosts(prefix);
  const pools = (value as readonly JsonObject[]).map((pool) => {
    const start = parseAddress(String(pool['start']));
    const end = parseAddress(String(pool['end']));
    const text = `${pool['start']}-${pool['end']}`;
    if (start?.version !== prefix.version || end?.version !== prefix.version) {
      throw neutronRefusal(400, 'InvalidAllocationPool', `The allocation pool ${text} is not valid.`);
    }
    if (end.value < start.value) {
      const shown = pythonRepr({ start: pool['start'] ?? null, end: pool['end'] ?? null });
      throw neutronRefusal(400, 'InvalidAllocationPool', `The allocation pool ${shown} is not valid.`);
    }
    if (start.value < first || end.value > last) {
      const beyond = `spans beyond the subnet cidr ${formatPrefix(prefix)}`;
      throw neutronRefusal(400, 'OutOfBoundsAllocationPool', `The allocation pool ${text} ${beyond}.`);
    }
    return { start: start.value, end: end.value, text };
  });
  for (const [index, pool] of pools.entries()) {
    for (const other of pools.slice(index + 1)) {
      if (pool.start > other.end || other.start > pool.end) continue;
      const message = `Found overlapping allocation pools: ${pool.text} ${other.text} for subnet ${formatPrefix(prefix)}.`;
      throw neutronRefusal(409, 'OverlappingAllocationPools', message);
    }
  }
  const own = gateway === null ? undefined : parseAddress(String(gateway))?.value;
  const hit = own === undefined ? undefined : pools.find((pool) => pool.start <= own && own <= pool.end);
  if (hit === undefined) return;
  const message = `Gateway ip ${gateway} conflicts with allocation pool ${hit.text}.`;
  throw neutronRefusal(409, 'GatewayConflictWithAllocationPools', message);
}
