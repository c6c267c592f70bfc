// The Ironic of `troupe dev`: the one of IRONIC_ENDPOINT or IRONIC_NAME, or a simulated one that is kept in the folder.
import { resolve } from 'node:path';
import type { DevBackend, DevBackendPorts } from '../api/adapter.ts';
import { type MachineOptions, startSimulator, timesDivided } from '../simulated/ironic/mod.ts';
import { speedIn } from './options.ts';

/** Number of machines in the simulated racks. */
const MACHINES = 4;
const SYSTEM = '/redfish/v1/Systems/1';
/** Credentials of the BMC of every simulated machine; nothing else accepts them. */
const BMC = { username: 'admin', password: 'secret' } as const;

/** @throws {TerminalError} an option is wrong, or the simulated Ironic cannot start */
export async function devBackend(ports: DevBackendPorts): Promise<DevBackend> {
  const { clock, folder, cluster, flag } = ports;
  const [endpoint, name] = [flag('ironic-endpoint').value, flag('ironic-name').value];
  const close = async (): Promise<void> => undefined;
  if (name) return { description: `Ironic: as Ironic/${name} in the cluster says`, usage: [], close };
  if (endpoint) return { description: `Ironic: ${endpoint}`, usage: [], close };
  if (cluster === 'given') {
    // Real hosts would be registered with machines that are none.
    const why = 'none, as the cluster may have real hosts; IRONIC_ENDPOINT or IRONIC_NAME leads to theirs';
    return { description: `Ironic: ${why}`, usage: [], close };
  }
  const speed = speedIn(ports);
  const machines = Array.from({ length: MACHINES }, (_, index) => simulatedMachine(index + 1));
  const times = timesDivided(speed);
  const simulator = await startSimulator({ clock, file: resolve(folder, 'ironic.json'), machines, times });
  return {
    description: `Ironic: ${simulator.endpoint} (simulated, with ${MACHINES} machines${speedOf(speed)})`,
    usage: usageOf(simulatedMachine(1)),
    options: { 'ironic-endpoint': simulator.endpoint },
    close: () => simulator.close(),
  };
}

/** For people, after what is as fast. */
function speedOf(speed: number): string {
  return speed === 1 ? '' : `, ${speed} times as fast as real ones`;
}

/** A machine of the simulated racks, whose addresses are of documentation (RFC 5737). @param number  from 1 on */
export function simulatedMachine(number: number): MachineOptions {
  return {
    name: `machine-${number}`,
    address: `http://192.0.2.${number}:8000`,
    systemId: SYSTEM,
    macs: [`52:54:00:00:00:0${number}`],
    ...BMC,
  };
}

/** A Secret and a host, each as one line of a shell, as lines are shown indented. */
function usageOf({ name, address, systemId, macs }: MachineOptions): readonly string[] {
  // JSON: kubectl takes whatever begins with a brace for it.
  const host = JSON.stringify({
    apiVersion: 'metal3.io/v1alpha1',
    kind: 'BareMetalHost',
    metadata: { name },
    spec: {
      online: true,
      bootMACAddress: macs[0],
      bmc: { address: `redfish-virtualmedia+${address}${systemId}`, credentialsName: 'bmc' },
    },
  });
  return [
    `kubectl create secret generic bmc --from-literal=username=${BMC.username} --from-literal=password=${BMC.password}`,
    `echo '${host}' | kubectl apply -f -`,
    `# and so on to machine-${MACHINES}, each with its number in both addresses`,
  ];
}
