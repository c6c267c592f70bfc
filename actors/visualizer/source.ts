// Everything that the page shows, from a bus and an API server: of any process, for it takes part in nothing.
//
// Invariants:
//   UI-SOURCE-1. Nothing is published on the bus or written to the API server.
//   UI-SOURCE-2. Only objects with a lifecycle here are shown. Of a Secret the name alone is, where others refer to it.
//   UI-SOURCE-3. Nothing runs while no page is open.
import type { Logger } from 'pino';
import type { AnyStateMachine } from 'xstate';
import type { ConfiguredAdapter } from '../../adapters/api/adapter.ts';
import { type KubeClient, objects as kubeObjects } from '../../adapters/kubernetes/mod.ts';
import { AbsentError, type Bus, type Clock } from '../../bus/mod.ts';
import { TROUPE_VERSION } from '../base/version.ts';
import { causesIn, type Notes } from '../diagnosis/infrastructure-causes.ts';
import { leaderAmong } from '../diagnosis/legacy-leader.ts';
import type { Registry } from '../object/registry.ts';
import { layoutOf } from './chart-layout.ts';
import { chartNodeOf } from './chart-nodes.ts';
import { EventSubscriptions } from './event-subscriptions.ts';
import { GraphReader } from './graph-reader.ts';
import { historySince } from './history.ts';
import { inspected, shownBy } from './inspection.ts';
import { knownMachines } from './known-machines.ts';
import { messagesAmong } from './messages.ts';
import { problemsOf } from './problems.ts';
import { SharedAnswer } from './shared-answer.ts';
import type { Chart, Hello, Problems, Source, Steps } from './wire.ts';

export interface SourceDeps {
  readonly bus: Bus;
  readonly client: KubeClient;
  readonly registry: Registry;
  readonly adapters: readonly Pick<ConfiguredAdapter, 'kinds' | 'legacyController'>[];
  /** Whose objects are shown; undefined: all. */
  readonly namespaces: readonly string[] | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

/** An answer about problems is good for so long, in milliseconds, or for this many times what it took. */
const PROBLEMS_MS = 1_000;
const PROBLEMS_TIMES = 10;
/** Time for which the history is kept for pages that ask for it after the same snapshot, in milliseconds. */
const HISTORY_MS = 5_000;

/** Costs nothing before the first request. After `close` it answers no more. */
export function source(deps: SourceDeps): Source & { close(): Promise<void> } {
  const { bus, client, registry, adapters, namespaces, clock } = deps;
  const objects = kubeObjects({ client });
  const following = new EventSubscriptions({ ...deps, objects });
  const readings = new GraphReader({ objects, client, registry, clock });
  const predecessors = adapters.flatMap(({ legacyController }) => legacyController ?? []);
  const machines = new Map(knownMachines(adapters).map(({ name, machine }) => [name, machine]));
  const charts = new Map<string, Promise<Chart>>();
  const problems = new SharedAnswer<Problems>({
    clock,
    make: () =>
      following.ask((session) =>
        problemsOf({ objects, registry, predecessors, clock }, session, readings.of(session.graph)),
      ),
    keepMs: (tookMs) => Math.max(PROBLEMS_MS, PROBLEMS_TIMES * tookMs),
  });
  const historyFrom = (since: number): Promise<Steps> =>
    following.ask(({ graph }) =>
      historySince(
        {
          trace: bus.trace,
          isShown: ({ realm, plural, namespace }) =>
            registry.kind({ realm, plural }) !== undefined &&
            (namespace === '' || namespaces?.includes(namespace) !== false),
          keyOfSpan: (span) => graph.keyOfSpan(span),
        },
        since,
      ),
    );
  const history = new SharedAnswer({ clock, make: () => historyFrom(0), keepMs: () => HISTORY_MS });

  return {
    async hello() {
      return {
        version: TROUPE_VERSION,
        bus: bus.description,
        server: client.server,
        kinds: kindsOf(registry),
        keepsHistory: await keepsHistory(bus, clock.now()),
      };
    },
    follow: async (listener) => following.follow(listener),
    // Pages ask for all of it. One that is older than a page's snapshot would lack the events between the two.
    history: (since) => (since === 0 ? history.get(following.snapshotAt) : historyFrom(since)),
    async inspect(key) {
      const shown = shownBy({ registry, namespaces }, key);
      if (shown === undefined) return undefined;
      return following.ask((session) => {
        const inquiry = { reading: readings.of(session.graph), registry, now: clock.now() };
        const notes: Notes = async (reported) => {
          const leader = await leaderAmong(predecessors, objects);
          return causesIn({ leader, hosting: await session.hosting(reported) }, reported, registry);
        };
        return inspected({ bus, client, registry, namespaces }, shown, inquiry, notes);
      });
    },
    messages: (keys) => {
      const shown = (key: string): boolean => shownBy({ registry, namespaces }, key) !== undefined;
      return messagesAmong({ mailbox: bus.mailbox, registry, shown }, keys);
    },
    problems: () => problems.get(),
    async machine(name) {
      const machine = machines.get(name);
      if (machine === undefined) return undefined;
      const known = charts.get(name) ?? chartOf(name, machine);
      charts.set(name, known);
      return known;
    },
    close() {
      problems.close();
      history.close();
      return following.close();
    },
  };
}

async function chartOf(name: string, machine: AnyStateMachine): Promise<Chart> {
  const root = chartNodeOf(machine);
  return { root, layout: await layoutOf(name, root) };
}

function kindsOf({ kinds, resources }: Registry): Hello['kinds'] {
  const machines = new Map(kinds.map(({ realm, plural, life }) => [`${realm}/${plural}`, life.machine.id]));
  return resources.map(({ kind, realm, plural }) => ({
    kind,
    realm,
    plural,
    machine: machines.get(`${realm}/${plural}`) ?? '',
  }));
}

/** Unless the bus says that there is no history, there is one. */
async function keepsHistory({ trace }: Bus, now: number): Promise<boolean> {
  try {
    for await (const _ of trace.history({ since: now })) break;
  } catch (error) {
    return !(error instanceof AbsentError);
  }
  return true;
}
