// Objects that come and go through the real host, on the bus in memory: what is left of them. Each refers to one base that
// stays, so a claim, an answer and a tombstone come and go with it.
//
// There is no API server: the objects arrive settled, with all finalizers, as the watch would tell of them.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import pino from 'pino';
import { systemClock } from '../../actors/base/clock.ts';
import { registry } from '../../actors/object/registry.ts';
import { type HostDeps, ShardHost } from '../../actors/sharding/shard-host.ts';
import { type Address, type JsonObject, type Lease, memoryBroker } from '../../bus/mod.ts';
import type { Kind } from '../../machines/kind.ts';
import type { KubeObject } from '../../machines/object.ts';
import { simpleKind } from '../actors/kinds.ts';

export interface ChurnOptions {
  readonly count: number;
  onProgress(line: string): void;
}

/** So many are there at a time. */
const BATCH = 500;
/** Of the objects after which it is first measured: what is compiled, and grows to its size, has done so by then. */
const WARM_UP = 0.1;
const BASE = 'base';

function kindOf(kind: string): Kind {
  return simpleKind({
    realm: 'bench',
    kind,
    plural: `${kind.toLowerCase()}s`,
    references: () =>
      kind === 'Base'
        ? []
        : [{ kind: 'Base', name: BASE, finalizers: ['own/thing'], neededFor: 'create', fixed: true }],
    isSettled: () => true,
    isAvailable: () => true,
  });
}

/** The same host, objects coming and going; `pass` takes so many through their lives, and tells what is left of them. */
export async function churningHost() {
  const clock = systemClock();
  const bus = memoryBroker({ clock, shards: 1 }).connect();
  // As over a network, what was said comes back after it was acknowledged.
  const subscribe = bus.mailbox.subscribe.bind(bus.mailbox);
  bus.mailbox.subscribe = (filter, { onMail, onReplayed }) =>
    subscribe(filter, {
      onMail: (mail) => void setImmediate(() => onMail(mail)),
      onReplayed: () => void setImmediate(onReplayed),
    });
  const lease: Lease = {
    name: 'shard.0',
    endsAt: () => Number.POSITIVE_INFINITY,
    lost: new Promise(() => undefined),
    confirm: async () => true,
    release: async () => undefined,
  };
  let version = 100;
  const object = (kind: string, name: string): KubeObject => ({
    apiVersion: 'example.org/v1',
    kind,
    metadata: {
      name,
      namespace: 'ns',
      uid: `uid-${name}`,
      resourceVersion: `${++version}`,
      generation: 1,
      finalizers: kind === 'Base' ? ['own/base', 'own/thing'] : ['own/thing'],
    },
    spec: {},
    status: { id: `id-${name}` },
  });
  const base = object('Base', BASE);
  const objects = {
    list: async ({ kind }: { kind: string }) => ({
      items: kind === 'Base' ? [base] : [],
      resourceVersion: `${version}`,
      serverTime: 0,
    }),
  } as unknown as HostDeps['objects'];
  const host = new ShardHost({
    bus,
    objects,
    registry: registry([kindOf('Base'), kindOf('Thing')], []),
    namespaces: undefined,
    clock,
    log: pino({ level: 'silent' }),
    callMs: 1_000,
    lateEffectMs: 30_000,
    report: () => undefined,
  });
  const ended = new AbortController();
  await host.open(new Map([[0, lease]]), ended.signal, () => undefined);
  const report = async (name: string, payload: JsonObject): Promise<void> => {
    const to: Address = { realm: 'bench', plural: name === BASE ? 'bases' : 'things', namespace: 'ns', name };
    await bus.mailbox.publish({ to, topic: 'object' }, payload, undefined);
  };
  /** Until so many objects live here, and nothing more is said. */
  const quiet = async (living: number): Promise<void> => {
    for (let calm = 0, last = -1; calm < 5; ) {
      await new Promise((resolve) => setImmediate(resolve));
      const isThere = [...host.countByState().values()].reduce((sum, count) => sum + count, 0) === living;
      calm = isThere && host.remembered === last ? calm + 1 : 0;
      last = host.remembered;
    }
  };
  // What no mail tells of would be read again, and whatever that list does not have be ended (SHARD-HOST-5).
  await report(BASE, { object: base as unknown as JsonObject });
  await quiet(1);
  return {
    host,
    async pass(names: readonly string[]): Promise<void> {
      for (const name of names) await report(name, { object: object('Thing', name) as unknown as JsonObject });
      await quiet(names.length + 1);
      for (const name of names) await report(name, { gone: { uid: `uid-${name}`, resourceVersion: `${++version}` } });
      await quiet(1);
    },
    async close(): Promise<void> {
      ended.abort();
      await host.close(0);
      await bus.close();
    },
  };
}

/** Figures of one run: heap in megabytes, and what the host remembers, early and in the end. */
export async function churn({ count, onProgress }: ChurnOptions): Promise<Record<string, number>> {
  const clock = systemClock();
  const { host, pass, close } = await churningHost();
  const figures: Record<string, number> = {};
  let startedAt = clock.now();
  let warm = 0;
  for (let done = 0; done < count; done += BATCH) {
    if (figures['heapBeforeMb'] === undefined && done >= count * WARM_UP) {
      figures['heapBeforeMb'] = heapMb();
      figures['rememberedBefore'] = host.remembered;
      startedAt = clock.now();
      warm = done;
    }
    onProgress(`${done} came and went`);
    await pass(Array.from({ length: Math.min(BATCH, count - done) }, (_, index) => `thing-${done + index}`));
  }
  figures['perSecond'] = ((count - warm) * 1_000) / (clock.now() - startedAt);
  figures['heapAfterMb'] = heapMb();
  figures['rememberedAfter'] = host.remembered;
  await close();
  return figures;
}

/** After everything that nobody needs was collected. */
function heapMb(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let turn = 0; turn < 3; turn++) collect();
  return process.memoryUsage().heapUsed / 2 ** 20;
}
