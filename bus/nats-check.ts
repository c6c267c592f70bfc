// Check of the bus for people before the first use: nothing is created or published.
import type { LeaseRecord } from './bus.ts';
import { type Connection, connectNats } from './connection.ts';
import { NoResponderError } from './connection-errors.ts';
import { toErrorData } from './errors.ts';
import { ApiCode, isApiError, query } from './nats-api.ts';
import type { NatsBusOptions } from './nats-bus.ts';
import { listLeases } from './nats-lease-list.ts';
import { bucketStream, entrySubject, namesOf, Operation } from './nats-names.ts';
import type { Refused } from './permission-errors.ts';
import type { BusUser } from './permissions.ts';
import { inboxPrefix, ROOT } from './subjects.ts';
import { parseTimestamp } from './timestamps.ts';

/** Finding, if the user's permissions allow it. */
export const Finding = { There: 'there', Absent: 'absent', Untold: 'untold' } as const;
export type Finding = (typeof Finding)[keyof typeof Finding];

export interface BusCheck {
  /** Without password. */
  readonly place: string;
  readonly version: string;
  /** Whether it serves at all, and whether several processes may share it. */
  readonly isUsable: boolean;
  readonly isSharable: boolean;
  readonly jetStream: Finding;
  readonly streams: readonly { readonly name: string; readonly holds: StreamUse; readonly seen: Finding }[];
  /** Time of the server between two local readings; undefined without permission, or with an old server. */
  readonly time?: { readonly at: number; readonly askedAt: number; readonly answeredAt: number };
  /** Current lease holders; undefined if they could not be read. */
  readonly held?: readonly LeaseRecord[];
  /** Permissions that the user needs and lacks. */
  readonly refused: readonly Refused[];
}

/** Purpose of a stream. */
export type StreamUse = 'mail' | 'leases' | 'events';

/** Timeout of a response that may not come for lack of permission, in milliseconds. */
const ANSWER_MS = 3_000;

interface Looked {
  readonly seen: Finding;
  readonly answer?: Record<string, unknown>;
  readonly answeredAt: number;
}

/** @throws {TroupeError} as `natsBus`, where it cannot be reached */
export async function checkNats(options: Omit<NatsBusOptions, 'user'> & { readonly user: BusUser }): Promise<BusCheck> {
  const { process, prefix = ROOT, user, clock } = options;
  const refused: Refused[] = [];
  const onRefusal = (each: Refused): void => {
    refused.push(each);
  };
  const heard = { inboxPrefix: inboxPrefix(user, prefix), onRefusal };
  const connection = await connectNats({ ...options, ...heard, name: process });
  const see = async (operation: string): Promise<Looked> => {
    try {
      const answer = await query(connection, operation, {}, ANSWER_MS);
      return { seen: Finding.There, answer, answeredAt: clock.now() };
    } catch (error) {
      const off = [ApiCode.NotEnabled, ApiCode.NotEnabledForAccount, ApiCode.StreamNotFound] as const;
      if (error instanceof NoResponderError || isApiError(error, ...off))
        return { seen: Finding.Absent, answeredAt: clock.now() };
      if (toErrorData(error).code !== 'transient' || !connection.up) throw error;
      return { seen: Finding.Untold, answeredAt: clock.now() };
    }
  };
  try {
    const { mail, leases, history } = namesOf(prefix);
    const uses = [
      { name: mail, holds: 'mail' },
      { name: bucketStream(leases), holds: 'leases' },
      { name: history, holds: 'events' },
    ] as const;
    const askedAt = clock.now();
    // In parallel, since each may take its whole timeout without permission.
    const [jetStream, ...streams] = await Promise.all([
      see(Operation.Account),
      ...uses.map(({ name }) => see(Operation.streamInfo(name))),
    ]);
    const reported = streams.map(({ answer, answeredAt }) => ({
      at: parseTimestamp(String(answer?.['ts'])),
      answeredAt,
    }));
    const time = reported.find(({ at }) => !Number.isNaN(at));
    const held = streams[1]?.seen === Finding.There ? await heldLeases(connection, leases) : undefined;
    return {
      place: connection.place,
      version: connection.serverVersion.join('.'),
      isUsable: connection.isAtLeast(2, 9),
      isSharable: connection.isAtLeast(2, 11),
      jetStream: jetStream.seen,
      streams: uses.map((use, index) => ({ ...use, seen: streams[index]?.seen ?? Finding.Untold })),
      ...(time !== undefined && { time: { ...time, askedAt } }),
      ...(held !== undefined && { held }),
      refused,
    };
  } finally {
    await connection.close();
  }
}

/** Undefined without permission, or if it was deleted meanwhile. */
async function heldLeases(connection: Connection, bucket: string): Promise<readonly LeaseRecord[] | undefined> {
  try {
    return await listLeases(connection, bucketStream(bucket), entrySubject(bucket));
  } catch (error) {
    if (toErrorData(error).code !== 'transient') throw error;
    return undefined;
  }
}
