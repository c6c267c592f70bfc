// A Windows machine in memory whose changes are written down, and whose calls may be held up. Whoever uses it is a process, which may be gone
// from one moment to the next: what it was at goes on, and nothing follows.
import type { Host } from '../../adapters/csi-proxy/hosts/host.ts';
import type { MemoryMachine } from '../../adapters/csi-proxy/hosts/memory/memory-host.ts';

export interface Machine extends MemoryMachine {
  /** Calls of the host that change something, as `formatVolume`, in their order. */
  readonly changes: string[];
  /** What is done before a call of the host, by its name: it may wait, or throw. */
  readonly before: Map<string, () => Promise<void>>;
  /** The same, after the call and before whoever asked hears of it. */
  readonly after: Map<string, () => Promise<void>>;
}

/** Names of calls of a host that change something. */
export const CHANGES =
  /^(initialize|create|set|mount|unmount|format|resize|mkdir|rmdir|new|remove|add|connect|disconnect|start|writeVolume)/;

/** The machine, whose serial number is of its name. */
export function watched(machine: MemoryMachine, name: string): Machine {
  const changes: string[] = [];
  const [before, after] = [new Map<string, () => Promise<void>>(), new Map<string, () => Promise<void>>()];
  const host = everyPart(machine.host, (call, member) => async (...args) => {
    await before.get(member)?.();
    if (CHANGES.test(member)) changes.push(member);
    const result = await call(...args);
    await after.get(member)?.();
    return result;
  });
  Object.assign(host.system, { getBIOSSerialNumber: async () => `serial-${name}` });
  return { ...machine, changes, before, after, host };
}

/** The machine as a process has it. @param isThere  whether that process is: nothing is begun for one that is gone, nor told to it */
export function usedBy(isThere: () => boolean, host: Host): Host {
  const never = new Promise<never>(() => undefined);
  return everyPart(host, (call) => async (...args) => {
    if (!isThere()) return never;
    try {
      return await call(...args);
    } finally {
      if (!isThere()) await never;
    }
  });
}

/** The machine as a process has it that may not do anything on it. */
export function untouchable(host: Host): Host {
  return everyPart(host, (_, member) => () => Promise.reject(new Error(`access is denied: ${member}`)));
}

type Call = (...args: unknown[]) => Promise<unknown>;

function everyPart(host: Host, around: (call: Call, member: string) => Call): Host {
  const follow = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get(target, member, receiver) {
        const value: unknown = Reflect.get(target, member, receiver);
        if (typeof value !== 'function') return value;
        return around(async (...args) => Reflect.apply(value, target, args), String(member));
      },
    });
  const { disk, volume, filesystem, smb, iscsi, system } = host;
  return {
    disk: follow(disk),
    volume: follow(volume),
    filesystem: follow(filesystem),
    smb: follow(smb),
    iscsi: follow(iscsi),
    system: follow(system),
    close: async () => undefined,
  };
}
