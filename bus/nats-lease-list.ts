// Reads the lease holders once.
import type { LeaseRecord } from './bus.ts';
import type { Connection } from './connection.ts';
import { parseLease, recordOf } from './lease-record.ts';
import { lastMessages } from './nats-direct-reads.ts';
import { listSubjects, pagesOf } from './nats-listing.ts';

/**
 * @param prefix  of all subjects of the bucket, with the last dot
 * @throws {TransientError}
 */
export async function listLeases(
  connection: Connection,
  stream: string,
  prefix: string,
): Promise<readonly LeaseRecord[]> {
  // By the names of the entries: a renewal replaces the record that existed when the read began.
  const subjects = await listSubjects(pagesOf(connection, stream, `${prefix}>`));
  return (await lastMessages(connection, stream, subjects)).flatMap(({ data, deleted }) => {
    const lease = parseLease({ payload: new TextDecoder().decode(data), deleted });
    return lease === undefined ? [] : [recordOf(lease)];
  });
}
