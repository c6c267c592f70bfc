// `troupe events` with what the command line says.
import { openBusReader } from '../bus-reader.ts';
import type { CommandCall } from '../command.ts';
import { events } from './events.ts';
import { clusterOf, isThere, refuseAbsent } from './presence.ts';

export function run(call: CommandCall): Promise<number> {
  const { config, clock, folder, own, env } = call;
  const { since = '1h', type: types, watch: isWatched = false, inspect, namespace: namespaces, output } = own;
  const adapters = call.configured();
  const cluster = { config: clusterOf(config, folder), adapters, clock, home: env['HOME'] };
  return events({
    ...call,
    adapters,
    openBus: () => openBusReader(config, clock, folder),
    isThere: (address) => isThere(cluster, address),
    refuseAbsent: (namespaces) => refuseAbsent(cluster, namespaces),
    prefix: config.natsPrefix,
    namespaces,
    since,
    types,
    isWatched,
    inspect,
    output,
    signal: call.stopSignal(),
    notes: call.err,
  });
}
