// long
// The sequences of drivers on a seeded machine, once as they are meant, and once for everything that may go wrong with
// each change that they make of it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openLog } from '../../../../actors/base/log.ts';
import { isRead } from '../../../../adapters/csi-proxy/base/limits.ts';
import type { Host } from '../../../../adapters/csi-proxy/hosts/host.ts';
import { type Fault, FaultKind, withFaults } from '../../../../adapters/csi-proxy/hosts/memory/faults.ts';
import { memoryMachine } from '../../../../adapters/csi-proxy/hosts/memory/memory-host.ts';
import { plant } from '../../../../adapters/csi-proxy/hosts/memory/seed.ts';
import { allGroups } from '../../../../adapters/csi-proxy/server/all_groups_generated.ts';
import { CsiProxyServer } from '../../../../adapters/csi-proxy/server/csi-proxy-server.ts';
import { groupDeps } from '../../../../adapters/csi-proxy/server/group-deps.ts';
import { serverMetrics } from '../../../../adapters/csi-proxy/server/metrics.ts';
import { selected } from '../../../../adapters/csi-proxy/server/selection.ts';
import { clock, freshPrefix } from '../echo-group.ts';
import { MODULES, openDriver } from './driver.ts';
import { LIVES, type Lifecycle, SEED } from './lives.ts';

const test = suite('sequences of drivers');

/** A driver waits for a change only so long; what is late takes longer. In milliseconds. */
const DEADLINE_MS = 150;
const DELAY_MS = 300;
const READ_DEADLINE_MS = 20_000;
/** A life meets more faults than that. */
const MANY = 40;
/** Lives that are led at a time: they mostly wait. */
const AT_ONCE = 12;

/** Operations that change the machine; all others only look. */
const CHANGES = /\.(?!is|get|list|path|real|discover|basic)/;

interface Outcome {
  readonly end: unknown;
  /** Operations of the host that changed something, in their order. */
  readonly changes: readonly string[];
}

async function outcomeOf({ live }: Lifecycle, faults: readonly Fault[]): Promise<Outcome> {
  const { prefix, remove } = freshPrefix();
  const machine = await memoryMachine({ clock, unknownShares: SEED.unknownShares });
  await plant(machine, SEED);
  const changes: string[] = [];
  const host = withFaults(noting(machine.host, changes), faults, clock);
  const server = new CsiProxyServer({
    groups: selected(
      allGroups.map((group) => group.serve(groupDeps({ clock, host }))),
      new Map(MODULES.map(({ groupName, version }) => [groupName, new Set([version])])),
    ),
    pipePrefix: prefix,
    clock,
    log: openLog({ level: 'silent', readable: false }),
    metrics: serverMetrics(),
  });
  await server.start();
  const looks = (rpc: string): boolean => isRead(rpc) || rpc === 'DiscoverTargetPortal';
  const timeoutMs = (rpc: string): number => (looks(rpc) ? READ_DEADLINE_MS : DEADLINE_MS);
  const driver = await openDriver(prefix, { clock, timeoutMs });
  try {
    return { end: await live(driver, machine), changes };
  } finally {
    driver.close();
    await server.stop(0);
    remove();
  }
}

/** The host, with what it is made to change written down when it is begun. */
function noting(host: Host, changes: string[]): Host {
  const groups = Object.entries(host).map(([group, operations]) => {
    if (typeof operations === 'function') return [group, operations];
    const noted = Object.entries(operations as Record<string, (...args: unknown[]) => unknown>).map(([name, run]) => {
      const operation = `${group}.${name}`;
      const note = (...args: unknown[]): unknown => {
        if (CHANGES.test(operation)) changes.push(operation);
        return run(...args);
      };
      return [name, note];
    });
    return [group, Object.fromEntries(noted)];
  });
  return Object.fromEntries(groups) as Host;
}

/** Every change of a life, with everything that may become of it. */
function faultsOf(changes: readonly string[]): Fault[] {
  return changes.flatMap((operation, index) => {
    const skip = changes.slice(0, index).filter((earlier) => earlier === operation).length;
    return Object.values(FaultKind).map((kind) => ({
      operation,
      kind,
      skip,
      times: 1,
      delayMs: DELAY_MS,
      message: 'it failed',
    }));
  });
}

for (const life of LIVES) {
  test(`${life.title}: as meant, and after every uncertain outcome`, async () => {
    const meant = await outcomeOf(life, []);
    assert.is((meant.end as { isDataKept: boolean }).isDataKept, true);
    const faults = faultsOf(meant.changes);
    assert.ok(faults.length >= MANY, String(faults.length));
    const waiting = faults.values();
    const lead = async (): Promise<void> => {
      for (const fault of waiting) {
        const what = `${fault.kind} ${fault.operation}, after ${fault.skip}`;
        const { end, changes } = await outcomeOf(life, [fault]).catch((error) => {
          throw new Error(`${what}: ${error.message}`, { cause: error });
        });
        assert.equal(end, meant.end, what);
        const formats = changes.filter((operation) => operation === 'volume.formatVolume').length;
        assert.is(formats, meant.changes.includes('volume.formatVolume') ? 1 : 0, `${what}: formats`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lead));
  });
}

test.run();
