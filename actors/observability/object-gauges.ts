// Gauges of the objects in a process and of its queues, computed at each scrape: nothing is counted in between.
import { Counter, Gauge, type Registry } from 'prom-client';
import type { CallLoad } from '../../adapters/api/adapter.ts';
import type { Address, Clock } from '../../bus/mod.ts';
import { QUARANTINED } from '../object/object-machines.ts';
import type { ShardHostLoad } from '../sharding/shard-host.ts';
import type { StateDurations } from './state-durations.ts';

/** Hosted object. */
export interface HostedObject {
  readonly address: Address;
  /** Empty: there is no object, others refer to it. */
  readonly state: string;
  readonly tags: ReadonlySet<string>;
}

/** Hosts of objects. */
export interface HostedObjects {
  /** Number of hosted objects by state. */
  countByState(): ReadonlyMap<string, number>;
  hostedObjects(): Iterable<HostedObject>;
  /** Queue lengths; calls by the realm of their caller. */
  load(): ShardHostLoad & { readonly calls: ReadonlyMap<string, CallLoad> };
  /** Number of mailbox messages that could not be parsed. */
  readonly rejectedMessages: number;
}

export interface PopulationDeps {
  readonly registers: Registry[];
  readonly clock: Clock;
  readonly stays: StateDurations;
}

/** @returns what looks */
export function objectGauges({ registers, clock, stays }: PopulationDeps): (populated: HostedObjects) => void {
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []): Gauge<Label> =>
    new Gauge({ name, help, labelNames, registers });
  const kind = ['realm', 'plural'] as const;
  const objects = gauge('troupe_objects', 'Objects that live in this process, by the state they are in.', ['state']);
  const actors = gauge(
    'troupe_actors',
    'Actors in this process, by kind: of objects, and of names that others refer to and that have no object.',
    kind,
  );
  const tagged = gauge(
    'troupe_tagged_objects',
    'Objects in this process, by kind and by what their state means: settled, waiting, failing, terminal, busy, deleting, ' +
      'held, available. One counts once for each that its state has.',
    [...kind, 'tag'],
  );
  const unsettled = gauge(
    'troupe_unsettled_age_seconds',
    'By kind, of the object that has not been idle without trouble for longest, how long that is, as far as this ' +
      'process knows; 0: all are.',
    kind,
  );
  const quarantined = gauge(
    'troupe_quarantined_objects',
    'Objects in this process that are stopped, since the code that serves them failed.',
  );
  const rejectedMessages = new Counter({
    name: 'troupe_rejected_messages_total',
    help: 'Messages that could not be understood, and were removed.',
    registers,
  });
  const shards = gauge(
    'troupe_shards',
    'Shards in this process: live, opening (their mail and objects are read), closing (calls to clouds have not ended).',
    ['state'],
  );
  const allShards = gauge('troupe_deployment_shards', 'Shards of the deployment, held by any process.');
  const queues = gauge(
    'troupe_queue_length',
    'Queues of this process: mail (to be published, or under way), answers (that are not needed yet), statuses ' +
      '(which say that an object waits).',
    ['queue'],
  );
  const realm = ['realm'] as const;
  const callsUnderWay = gauge('troupe_cloud_requests_in_flight', 'Requests to clouds that are under way.', realm);
  const callsWaiting = gauge('troupe_cloud_requests_waiting', 'Requests to clouds that wait for a place.', realm);
  const places = gauge(
    'troupe_cloud_request_limit',
    'How many requests to clouds this process may have under way, the sum over its clouds.',
    realm,
  );

  return (populated) => {
    const now = clock.now();
    objects.reset();
    const countByState = populated.countByState();
    for (const [state, count] of countByState) objects.set({ state }, count);
    quarantined.set(countByState.get(QUARANTINED) ?? 0);
    for (const each of [actors, tagged, unsettled]) each.reset();
    for (const [of, { total, tags, unsettledMs }] of byKind(populated.hostedObjects(), stays, now)) {
      const labels = { realm: of.realm, plural: of.plural };
      actors.set(labels, total);
      for (const [tag, count] of tags) tagged.set({ ...labels, tag }, count);
      unsettled.set(labels, unsettledMs / 1_000);
    }
    rejectedMessages.reset();
    rejectedMessages.inc(populated.rejectedMessages);
    const load = populated.load();
    for (const state of ['live', 'opening', 'closing'] as const) shards.set({ state }, load.shards[state]);
    allShards.set(load.shards.all);
    for (const [queue, length] of Object.entries(load.queues)) queues.set({ queue }, length);
    for (const [of, { underWay, waiting, limit }] of load.calls) {
      callsUnderWay.set({ realm: of }, underWay);
      callsWaiting.set({ realm: of }, waiting);
      places.set({ realm: of }, limit);
    }
  };
}

interface Sums {
  total: number;
  readonly tags: Map<string, number>;
  unsettledMs: number;
}

/** @returns by an address of the kind */
function byKind(hostedObjects: Iterable<HostedObject>, stays: StateDurations, now: number): ReadonlyMap<Address, Sums> {
  const addresses = new Map<string, Address>();
  const kinds = new Map<Address, Sums>();
  for (const { address, state, tags } of hostedObjects) {
    const name = `${address.realm}/${address.plural}`;
    const first = addresses.get(name) ?? address;
    addresses.set(name, first);
    const sums = kinds.get(first) ?? { total: 0, tags: new Map(), unsettledMs: 0 };
    kinds.set(first, sums);
    sums.total++;
    for (const tag of tags) sums.tags.set(tag, (sums.tags.get(tag) ?? 0) + 1);
    // An actor outlives its object while others claim the name.
    // mutant: deleted-object-unsettled ?: -> $3
    const since = state === '' ? undefined : stays.unsettledAt(address);
    if (since !== undefined) sums.unsettledMs = Math.max(sums.unsettledMs, now - since);
  }
  return kinds;
}
