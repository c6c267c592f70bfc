// The limit of an object's size.

import { plainFailure } from '../base/api-error.ts';
import type { KubeObject } from '../base/kube-object.ts';
import { textOf } from '../storage/stored.ts';

/** etcd's limit for one request, and that of the API server for what it sends to etcd, in bytes. */
const MAX_STORED_BYTES = 1.5 * 1024 * 1024;
const MAX_SENT_BYTES = 2 * 1024 * 1024;

/** Bytes that key and transaction add to an object, about. */
const STORED_OVERHEAD_BYTES = 150;

/**
 * Refuses what etcd would not store, in its words.
 *
 * @param about  characters that went into the object: few of them make no large object
 */
export function checkSize(object: KubeObject, about: number): void {
  if (about < MAX_STORED_BYTES / 4) return;
  const bytes = Buffer.byteLength(textOf(object)) + STORED_OVERHEAD_BYTES;
  if (bytes > MAX_SENT_BYTES) {
    const sizes = `(${bytes} vs. ${MAX_SENT_BYTES})`;
    throw plainFailure(`rpc error: code = ResourceExhausted desc = trying to send message larger than max ${sizes}`);
  }
  if (bytes > MAX_STORED_BYTES) throw plainFailure('etcdserver: request is too large');
}
