// The bus on NATS: its parts on one connection, and what is delivered on another. However much mail is on its way to a
// process, as at a takeover, the answers to its requests do not wait behind it: it keeps its leases, and can look whether
// the stream is still the one it was. One that hears no mail gives its leases up all the same.
import type { Bus, Connectivity, EventLimits } from './bus.ts';
import { type Connection, connectNats, type NatsOptions } from './connection.ts';
import { NoResponderError } from './connection-errors.ts';
import { ErrorCode, TerminalError, TroupeError } from './errors.ts';
import { ApiCode, isApiError, query } from './nats-api.ts';
import { EventStream } from './nats-event-stream.ts';
import { type FirstLease, NatsLeases } from './nats-leases.ts';
import { NatsMailbox } from './nats-mailbox.ts';
import { namesOf, Operation } from './nats-names.ts';
import { natsServices } from './nats-services.ts';
import { natsTrace } from './nats-trace.ts';
import { refusals } from './permission-errors.ts';
import { type BusUser, hasMail, keepsEvents } from './permissions.ts';
import { inboxPrefix, ROOT, SHARDS } from './subjects.ts';

export interface NatsBusOptions extends Omit<NatsOptions, 'name' | 'inboxPrefix' | 'onRefusal'> {
  /** Name of this process, unique among those that run: shown by the server and in the source of events. */
  readonly process: string;
  /**
   * User and roles of the process. A role without messages opens neither mailbox nor leases. By default all roles, as
   * `alone`.
   */
  readonly user?: BusUser;
  /** Number of shards; equal for all processes of a deployment, and constant. Default 64. */
  readonly shards?: number;
  /** Default 15,000 ms. */
  readonly leaseMs?: number;
  /**
   * Separates deployments on one server: first token of all subjects, and in upper case the first word of streams and
   * buckets. Lower-case letters, digits and hyphens. Default `troupe`.
   */
  readonly prefix?: string;
  /** Copies of each stream in a cluster. Default 1. */
  readonly replicas?: number;
  /**
   * Reaction of the process that finds no leases on the server and creates their bucket. `wait`, the default: none can
   * be acquired before a lease time has passed, as after a loss, since others may hold leases that the server has lost.
   * `immediate`: this deployment is known to be new, as with a development server of our own. A function is called only
   * then; it must not throw.
   */
  readonly firstLease?: FirstLease | (() => Promise<FirstLease>);
  /**
   * Limits of the history of `troupe.event.>`, in a stream of its own. `none`: this process creates no such stream; an
   * existing one stays as it is. Default: a day, and at most 256 MiB.
   */
  readonly events?: EventLimits | 'none';
  /** Warnings for people, without effect on operation. */
  readonly onWarning?: (message: string) => void;
}

/** User with all roles except serving adapters over the bus. */
export const ALONE: BusUser = { name: 'alone', roles: [{ does: 'watch' }, { does: 'act', realms: [] }] };

/** Kept unless told otherwise. */
export const EVENT_LIMITS: EventLimits = { maxAgeMs: 86_400_000, maxBytes: 268_435_456 };

/**
 * Connects and makes what is missing on the server.
 *
 * @throws {TroupeError} no connection, no JetStream, or a server older than 2.9; the message says what to do
 */
export async function natsBus(options: NatsBusOptions): Promise<Bus> {
  const { process, shards = SHARDS, leaseMs = 15_000, prefix = ROOT, replicas = 1, firstLease = 'wait' } = options;
  const { events = EVENT_LIMITS, onWarning = () => undefined, user = ALONE } = options;
  if (!/^[a-z0-9][a-z0-9-]*$/.test(prefix)) {
    throw new TerminalError(`the prefix of the bus must be lower-case letters, digits and hyphens; got '${prefix}'`);
  }
  const root = prefix;
  const names = namesOf(root);
  const reported = { inboxPrefix: inboxPrefix(user, root), onRefusal: refusals(user.name, onWarning) };
  const connection = await connectNats({ ...options, ...reported, name: process });
  const isRead = hasMail(user);
  const deliveries = !isRead
    ? connection
    : await connectNats({ ...options, ...reported, name: `${process} mail` }).catch(async (error: unknown) => {
        await connection.close();
        throw error;
      });
  const stream = names.mail;
  const mailbox = new NatsMailbox({ connection, deliveries, stream, root, shards, replicas, onWarning });
  const isOfUse = (): boolean => deliveries.up;
  const role = isRead ? 'keeper' : 'reader';
  const leases = new NatsLeases({ connection, isOfUse, bucket: names.leases, leaseMs, replicas, firstLease, role });
  const services = natsServices(connection, { root, user, leaseMs });
  const kept = { connection, stream: names.history, root };
  const isKept = events !== 'none' && keepsEvents(user);
  const eventStream = !isKept ? undefined : new EventStream({ ...kept, replicas, limits: events, onWarning });
  const close = async (): Promise<void> => {
    eventStream?.close();
    await services.close();
    await leases.close();
    await mailbox.close();
    await Promise.all([connection.close(), deliveries.close()]);
  };
  try {
    requireVersion(connection);
    if (isRead) {
      await requireJetStream(connection);
      await mailbox.open();
      await leases.open();
    }
    await eventStream?.open();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    mailbox,
    leases,
    services,
    trace: natsTrace({ ...kept, process }),
    sharable: connection.isAtLeast(2, 11),
    description: `nats-server ${connection.serverVersion.join('.')} at ${connection.place}`,
    onConnectivity: (listener) => whileBothAreUp([connection, deliveries], listener),
    close,
  };
}

/** Reports when the first goes down, and when all are up again. */
function whileBothAreUp(connections: readonly Connection[], listener: (change: Connectivity) => void): () => void {
  const isOneAway = (): boolean => connections.some(({ up }) => !up);
  let isAway = isOneAway();
  const hear = (change: Connectivity): void => {
    if (isOneAway() === isAway) return;
    isAway = !isAway;
    listener(change);
  };
  const stops = connections.map(({ connectivity }) => connectivity.add(hear));
  return () => {
    for (const stop of stops) stop();
  };
}

function requireVersion(connection: Connection): void {
  const { place } = connection;
  if (!connection.isAtLeast(2, 9)) {
    const version = connection.serverVersion.join('.');
    throw new TroupeError(ErrorCode.Terminal, `nats-server ${version} at ${place} is too old: 2.9 or later is needed`);
  }
}

async function requireJetStream(connection: Connection): Promise<void> {
  const { place } = connection;
  try {
    await query(connection, Operation.Account);
  } catch (error) {
    const off =
      error instanceof NoResponderError || isApiError(error, ApiCode.NotEnabled, ApiCode.NotEnabledForAccount);
    if (!off) throw error;
    const message = `nats at ${place} has no JetStream for us: start nats-server with --jetstream, or enable it for the account`;
    throw new TroupeError(ErrorCode.Terminal, message, { cause: error });
  }
}
