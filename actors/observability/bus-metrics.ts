// Metrics of the bus: connection, leases, and delivery delays.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { type Bus, type Clock, type Lease, type Leases, type Mailbox, WATCH_LEASE } from '../../bus/mod.ts';
import { POD_LEASE } from '../sharding/replica-count.ts';
import { offersIn, servingOf } from '../sharding/served-kinds.ts';

/** Seconds. Between two pods on one network it is milliseconds; after an outage it is as long as that was. */
const LAG_BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.5, 2, 10, 60];

export interface BusMetricsDeps {
  readonly registers: Registry[];
  readonly clock: Clock;
}

/** @returns the same bus, but for the trace, which is left as it is; called once */
export function busMetrics({ registers, clock }: BusMetricsDeps): (bus: Bus) => Bus {
  const connected = new Gauge({
    name: 'troupe_bus_connected',
    help: 'Whether the bus is connected: 1, or 0.',
    registers,
  });
  const disconnections = new Counter({
    name: 'troupe_bus_disconnections_total',
    help: 'Number of times that the connection to the bus was lost.',
    registers,
  });
  const held = new Gauge({
    name: 'troupe_leases_held',
    help: 'Leases that this process holds: of shards, of itself as a pod, and of the watch, which one in a deployment leads.',
    labelNames: ['lease'],
    registers,
  });
  const lost = new Counter({
    name: 'troupe_leases_lost_total',
    help: 'Leases that this process lost: they could not be renewed in time, or another process holds them.',
    labelNames: ['lease'],
    registers,
  });
  const unserved = new Gauge({
    name: 'troupe_unserved_kinds',
    help:
      'Kinds, or kinds in one namespace, that some pod serves and those that get shards do not: the pods are configured ' +
      'differently, and objects of these kinds stand.',
    registers,
  });
  const lag = new Histogram({
    name: 'troupe_mail_lag_seconds',
    help:
      'From the storing of a message to its handling, by topic, without what is read again at a start. It is stored by the ' +
      'clock of the NATS server and handled by that of this process, so it shows how far the two are apart, too.',
    labelNames: ['topic'],
    buckets: LAG_BUCKETS,
    registers,
  });
  for (const lease of ['shard', 'pod', 'watch']) {
    held.set({ lease }, 0);
    lost.inc({ lease }, 0);
  }

  const leasesOf = (leases: Leases): Leases => ({
    leaseMs: leases.leaseMs,
    watch: (onChange) =>
      leases.watch((records) => {
        unserved.set(servingOf(offersIn(records)).unserved.length);
        onChange(records);
      }),
    list: () => leases.list(),
    async acquire(name, holder, note) {
      const acquired = await leases.acquire(name, holder, note);
      return acquired && followed(acquired);
    },
  });
  const followed = (lease: Lease): Lease => {
    const labels = { lease: classOf(lease.name) };
    held.inc(labels);
    let isHeld = true;
    const end = (): void => {
      if (isHeld) held.dec(labels);
      isHeld = false;
    };
    void lease.lost.then(() => {
      if (isHeld) lost.inc(labels);
      end();
    });
    return {
      name: lease.name,
      lost: lease.lost,
      endsAt: () => lease.endsAt(),
      confirm: () => lease.confirm(),
      release() {
        end();
        return lease.release();
      },
    };
  };
  const mailboxOf = (mailbox: Mailbox): Mailbox => ({
    shards: mailbox.shards,
    epoch: () => mailbox.epoch(),
    watchEpoch: (onEpoch) => mailbox.watchEpoch(onEpoch),
    markSeeded: (seededAt) => mailbox.markSeeded(seededAt),
    forgetSeeded: (now) => mailbox.forgetSeeded(now),
    startAnew: (epochId) => mailbox.startAnew(epochId),
    publish: (...given) => mailbox.publish(...given),
    last: (subject) => mailbox.last(subject),
    readMessagesOf: (...given) => mailbox.readMessagesOf(...given),
    remove: (sequence) => mailbox.remove(sequence),
    subscribe(filter, handlers) {
      let isReplayed = false;
      return mailbox.subscribe(filter, {
        onMail(mail) {
          const { storedAt, subject } = mail;
          if (isReplayed && storedAt !== undefined)
            lag.observe({ topic: subject.topic }, Math.max(0, clock.now() - storedAt) / 1_000);
          handlers.onMail(mail);
        },
        onUnreadable: (subject) => handlers.onUnreadable?.(subject),
        onReplayed() {
          isReplayed = true;
          handlers.onReplayed();
        },
      });
    },
  });

  return (bus) => {
    connected.set(1);
    bus.onConnectivity(({ kind }) => {
      connected.set(kind === 'connected' ? 1 : 0);
      if (kind === 'disconnected') disconnections.inc();
    });
    return { ...bus, mailbox: mailboxOf(bus.mailbox), leases: leasesOf(bus.leases) };
  };
}

function classOf(name: string): 'shard' | 'pod' | 'watch' {
  if (name === WATCH_LEASE) return 'watch';
  return name.startsWith(POD_LEASE) ? 'pod' : 'shard';
}
