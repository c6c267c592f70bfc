// Idle: so many settled objects at rest, a third of them networks, subnets and ports each, or of all kinds: memory, a restart,
// and what goes on while nothing happens.
import type { JsonObject } from '../../bus/mod.ts';
import { secretsFor } from '../actors/every-kind.ts';
import { chains } from './chain.ts';
import { type Report, spread, sum } from './figures.ts';
import { type Item, Landscape } from './landscape.ts';
import { copy, pattern, type SettledItem } from './settled.ts';
import { Stage, type StageOptions } from './stage.ts';

const MB = 1_000_000;
const NAMESPACE = 'bench-idle';
const POLL_MS = 50;
const QUIET_MS = 60_000;
const GIVEN_UP_MS = 600_000;

const SINCE = '2026-01-01T00:00:00Z';
const PROJECT = '0123456789abcdef0123456789abcdef';
const PARENT = '00000000-0000-4000-8000-ffffffffffff';
const finalizer = (kind: string): string => `openstack.k-orc.cloud/${kind}`;

/** What the three kinds carry and show in a chain. */
const SETTLED: Readonly<Record<string, { readonly finalizers: readonly string[]; readonly resource: JsonObject }>> = {
  networks: {
    finalizers: [finalizer('network'), finalizer('subnet'), finalizer('port')],
    resource: {
      adminStateUp: true,
      external: false,
      mtu: 1450,
      portSecurityEnabled: true,
      shared: false,
      status: 'ACTIVE',
    },
  },
  subnets: {
    finalizers: [finalizer('subnet'), finalizer('port')],
    resource: {
      networkID: PARENT,
      ipVersion: 4,
      cidr: '10.0.0.0/24',
      gatewayIP: '10.0.0.1',
      enableDHCP: false,
      allocationPools: [{ start: '10.0.0.2', end: '10.0.0.254' }],
    },
  },
  ports: {
    finalizers: [finalizer('port')],
    resource: {
      networkID: PARENT,
      adminStateUp: true,
      macAddress: 'fa:16:3e:00:00:01',
      fixedIPs: [{ ip: '10.0.0.17', subnetID: PARENT }],
      securityGroups: [PARENT],
      portSecurityEnabled: true,
      status: 'DOWN',
      vnicType: 'normal',
    },
  },
};

interface IdleOptions extends StageOptions {
  readonly count: number;
  readonly profile: boolean;
}

/** Of networks, subnets and ports. */
export function idle(options: IdleOptions): Promise<Report> {
  return atRest(options, async (_, landscape) => {
    const items = chains(Math.ceil(options.count / 3), 'idle').slice(0, options.count);
    await store(landscape, items.map(settled));
    return items.length;
  });
}

/** Of all kinds, in whole sets: the first was made by the actors, on the simulated cloud. */
export function idleAll(options: IdleOptions): Promise<Report> {
  return atRest(options, async (stage, landscape) => {
    options.onProgress('making one of each');
    const set = await pattern(stage, landscape);
    const copies = Math.max(1, Math.ceil(options.count / set.length));
    const made = Array.from({ length: copies }, (_, index) => copy(set, index));
    for (const { prefix } of made) await landscape.secrets(secretsFor(prefix));
    await store(
      landscape,
      made.flatMap(({ items }) => items),
    );
    return (copies + 1) * set.length;
  });
}

async function store(landscape: Landscape, made: readonly SettledItem[]): Promise<void> {
  await landscape.apply(made.map(({ item }) => item));
  await landscape.writeStatus(made);
}

/** @param make  stores the objects. @returns how many there are */
async function atRest(
  options: IdleOptions,
  make: (stage: Stage, landscape: Landscape) => Promise<number>,
): Promise<Report> {
  const { onProgress } = options;
  const stage = await Stage.open(options);
  const { clock } = stage;
  try {
    const landscape = new Landscape(stage, NAMESPACE);
    await landscape.open();
    onProgress('storing the objects');
    const count = await make(stage, landscape);
    onProgress('first start');
    const firstMs = await begun(stage, count, { ...options, profile: false });
    await stage.quiet();
    const firstCounts = await stage.counts();
    await stage.stopActors();
    onProgress('restart');
    const restartMs = await begun(stage, count, options);
    const profile = options.profile ? await stage.actors.ask('profiled') : undefined;
    const afterStart = await stage.actors.ask('usage');
    const startCounts = await stage.counts();
    await stage.quiet();
    const before = await stage.actors.ask('settled');
    await stage.reset();
    onProgress(`nothing happens for ${QUIET_MS / 1_000} s`);
    await clock.sleep(QUIET_MS);
    const after = await stage.actors.ask('usage');
    const counts = await stage.counts();
    return {
      profile,
      figures: {
        objects: count,
        residentMb: after.residentBytes / MB,
        heapMb: before.heapBytes / MB,
        externalMb: before.externalBytes / MB,
        firstStartMs: firstMs,
        'firstStart.writes': sum(firstCounts.writes),
        'firstStart.calls': sum(firstCounts.calls),
        restartMs,
        'restart.cpuMs': afterStart.cpuMs,
        'restart.residentMb': afterStart.residentBytes / MB,
        ...spread('restart.messages', startCounts.messages),
        'restart.writes': sum(startCounts.writes),
        'restart.calls': sum(startCounts.calls),
        'idle.cpuMsAMinute': after.cpuMs - before.cpuMs,
        'idle.callsAMinute': sum(counts.calls),
        'idle.writesAMinute': sum(counts.writes),
        'idle.messagesAMinute': sum(counts.messages),
        ...spread('idle.messages', counts.messages),
      },
    };
  } finally {
    await stage.close();
  }
}

/** From the start of the process to all objects at rest in it, in milliseconds. */
async function begun(
  stage: Stage,
  count: number,
  options: Pick<IdleOptions, 'profile' | 'onProgress'>,
): Promise<number> {
  const startedAt = stage.clock.now();
  await stage.startActors(options);
  for (;;) {
    const { countByState } = await stage.counts();
    options.onProgress(`at rest: ${countByState['idle.available'] ?? 0} of ${count}`);
    if ((countByState['idle.available'] ?? 0) >= count) return stage.clock.now() - startedAt;
    if (stage.clock.now() - startedAt > GIVEN_UP_MS) throw new Error(`not at rest: ${JSON.stringify(countByState)}`);
    await stage.clock.sleep(POLL_MS);
  }
}

/** The object as it is when it has long been Available: finalizers, id, conditions and what was observed. */
function settled({ plural, name, body }: Item, index: number): SettledItem {
  const { finalizers, resource } = SETTLED[plural] ?? { finalizers: [], resource: {} };
  const lasting = { observedGeneration: 1, lastTransitionTime: SINCE, reason: 'Success' };
  return {
    item: { plural, name, body: { ...body, metadata: { name, finalizers } } },
    status: {
      id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
      conditions: [
        { ...lasting, type: 'Available', status: 'True', message: 'OpenStack resource is available' },
        { ...lasting, type: 'Progressing', status: 'False', message: 'OpenStack resource is up to date' },
      ],
      lastSyncTime: SINCE,
      resource: { name, projectID: PROJECT, createdAt: SINCE, updatedAt: SINCE, revisionNumber: 2, ...resource },
    },
  };
}
