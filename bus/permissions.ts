// Permissions on the bus. A user is one role or several; the subjects of each role are listed here, as the code builds
// them, and the server's configuration is generated from that (server-users.ts).
//
// Invariants:
//   BUS-PERMISSIONS-1. What a role does not do it may not: the server refuses whatever is not listed.
//   BUS-PERMISSIONS-2. Responses go to an inbox that only its user can read. Only the server that received the request
//       can respond, once.
//   BUS-PERMISSIONS-3. Callers and servers of a long call are always reached under names that only the other side
//       knows.
import { FRESH, leaseKey, WATCH_LEASE } from './lease-names.ts';
import {
  acknowledgements,
  apiSubject,
  bucketStream,
  discoveries,
  entrySubject,
  flowControl,
  namesOf,
  Operation,
  streamAdvisory,
} from './nats-names.ts';
import {
  epochSubject,
  eventFilter,
  eventWildcard,
  holdsOf,
  inboxPrefix,
  longCallWildcard,
  operationFilter,
  ROOT,
  topicFilter,
  type UserName,
} from './subjects.ts';

/** Role of a process on the bus. */
export type BusRole =
  /** Turns the API server's watch into mail. */
  | { readonly does: 'watch' }
  /** Hosts actors, and asks these adapters. */
  | { readonly does: 'act'; readonly realms: readonly string[] }
  /** Serves an adapter: for any node, or for a given one. */
  | { readonly does: 'serve'; readonly realm: string; readonly node?: string | undefined }
  /** Listens to what happens, and says nothing: people. */
  | { readonly does: 'observe' }
  /** Shows events, history and messages to people, and the lease holders; it publishes nothing either. */
  | { readonly does: 'visualize' };

export interface BusUser extends UserName {
  readonly roles: readonly BusRole[];
}

/** Subjects, wildcards among them. */
export interface Permissions {
  readonly publish: readonly string[];
  /** Exceptions from these. */
  readonly notPublish: readonly string[];
  readonly subscribe: readonly string[];
  /** Whether what is asked may be answered, wherever the answer is to go. */
  readonly answers: boolean;
}

/** Types of events about a call rather than an actor. */
export const CALL_EVENT = 'call';

/** Whether a process with these roles has mail and leases. */
export function hasMail({ roles }: Pick<BusUser, 'roles'>): boolean {
  return roles.some(({ does }) => does === 'watch' || does === 'act');
}

/** Whether it sees to the stream of events. */
export function keepsEvents({ roles }: Pick<BusUser, 'roles'>): boolean {
  return roles.some(({ does }) => does === 'act');
}

/** All that the user may, with this root of subjects. */
export function permissionsOf(user: BusUser, root: string = ROOT): Permissions {
  const parts = user.roles.map((role) => partOf(role, user, root));
  const answers = parts.some((part) => part.answers === true);
  const { mail, leases } = namesOf(root);
  const publish = union(parts.map((part) => part.publish));
  return {
    publish: union([
      publish,
      // The server keeps book of whatever could be answered, unless it is allowed anyway: of each delivery, else.
      answers && hasMail(user) ? [acknowledgements(mail), acknowledgements(bucketStream(leases))] : [],
    ]),
    notPublish: union(parts.map((part) => part.notPublish ?? [])).filter((subject) => !publish.includes(subject)),
    // mutant: inbox-of-everybody `.1 -> $2
    subscribe: union([[`${inboxPrefix(user, root)}.>`], ...parts.map((part) => part.subscribe)]),
    answers,
  };
}

type Part = Pick<Permissions, 'publish' | 'subscribe'> & Partial<Permissions>;

function partOf(role: BusRole, user: BusUser, root: string): Part {
  switch (role.does) {
    case 'watch':
      return watching(root);
    case 'act':
      return acting(role.realms, user, root);
    case 'serve':
      return serving(role, user, root);
    case 'observe':
      return observing(root);
    case 'visualize':
      return visualizing(root);
  }
}

function watching(root: string): Part {
  const { leases } = namesOf(root);
  const { publish, subscribe } = keeping(root);
  return {
    publish: [...publish, topicFilter('object', root), entrySubject(leases, leaseKey(WATCH_LEASE))],
    subscribe,
  };
}

function acting(realms: readonly string[], user: BusUser, root: string): Part {
  const { mail, leases, history } = namesOf(root);
  const { publish, subscribe } = keeping(root);
  return {
    publish: [
      ...publish,
      ...(['claim', 'ready', 'creates', 'reservation'] as const).map((topic) => topicFilter(topic, root)),
      ...asking([Operation.deleteMessage(mail)]),
      entrySubject(leases, '>'),
      ...asking([Operation.streamInfo, Operation.createStream, Operation.updateStream].map((of) => of(history))),
      eventWildcard(root),
      ...realms.flatMap((realm) => [operationFilter(realm, undefined, root), operationFilter(realm, '*', root)]),
      longCallWildcard(root),
    ],
    // mutant: host-leads-watch drop
    notPublish: [entrySubject(leases, leaseKey(WATCH_LEASE))],
    subscribe: [...subscribe, holdsOf(user, root)],
  };
}

function serving(
  { realm, node = '*' }: { realm: string; node?: string | undefined },
  user: BusUser,
  root: string,
): Part {
  return {
    publish: [eventFilter({ realm, type: CALL_EVENT }, root), longCallWildcard(root)],
    subscribe: [
      operationFilter(realm, undefined, root),
      // mutant: node-hears-others ().2 -> '*'
      operationFilter(realm, node, root),
      holdsOf(user, root),
      ...discoveries(realm),
    ],
    answers: true,
  };
}

function observing(root: string): Part {
  const { history, leases } = namesOf(root);
  const held = bucketStream(leases);
  return {
    // Without a consumer: that could be made to deliver to any subject with a listener.
    publish: [
      ...asking([
        Operation.Account,
        Operation.streamInfo(history),
        Operation.readDirectly(history),
        Operation.readMessage(history),
        // Lease holders are no secret: a lease's record gives no way to write one.
        Operation.streamInfo(held),
        Operation.readDirectly(held),
      ]),
      ...discoveries('*'),
    ],
    subscribe: [eventWildcard(root)],
  };
}

/**
 * A process, rather than a person: its consumer names a delivery subject for the lease holders, which the server does
 * not check. Mailbox messages, on which decisions depend, are read one by one, and events from the history.
 */
function visualizing(root: string): Part {
  const { mail, leases, history } = namesOf(root);
  const held = bucketStream(leases);
  return {
    publish: [
      ...asking([
        ...[mail, history, held].flatMap((stream) => [Operation.streamInfo(stream), Operation.readDirectly(stream)]),
        Operation.readMessage(held),
        Operation.createConsumer(held),
        Operation.deleteConsumer(held, '*'),
      ]),
      flowControl(held),
    ],
    subscribe: [eventWildcard(root)],
  };
}

/** Permissions for keeping mailbox and leases, including their re-creation, and for reading them. */
function keeping(root: string): Part {
  const { mail, leases } = namesOf(root);
  const streams = [mail, bucketStream(leases)];
  return {
    publish: [
      ...asking([Operation.Account]),
      ...streams.flatMap((stream) => [
        ...asking([
          Operation.streamInfo(stream),
          Operation.createStream(stream),
          Operation.updateStream(stream),
          Operation.deleteStream(stream),
          Operation.readDirectly(stream),
          Operation.readMessage(stream),
          Operation.createConsumer(stream),
          Operation.deleteConsumer(stream, '*'),
        ]),
        flowControl(stream),
      ]),
      epochSubject(root),
      entrySubject(leases, FRESH),
    ],
    subscribe: [...streams.map(streamAdvisory), epochSubject(root)],
  };
}

function asking(operations: readonly string[]): readonly string[] {
  return operations.map(apiSubject);
}

function union(lists: readonly (readonly string[])[]): readonly string[] {
  return [...new Set(lists.flat())];
}
