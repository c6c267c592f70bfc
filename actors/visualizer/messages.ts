// The messages in the mailboxes of actors. Those of a Secret are left out, though they are metadata alone: only
// objects with a lifecycle here are shown.
import {
  type Address,
  addressKey,
  type Mailbox,
  parseAddressKey,
  type TimestampedMessage,
  toErrorData,
} from '../../bus/mod.ts';
import type { Registry } from '../object/registry.ts';
import type { Messages, MessageView } from './wire.ts';

export interface MessagesDeps {
  readonly mailbox: Pick<Mailbox, 'readMessagesOf'>;
  readonly registry: Pick<Registry, 'kind'>;
  /** Whether an object of this key is shown. */
  readonly shown: (key: string) => boolean;
}

/** Messages of one actor, the newest. */
export const LETTERS_OF_ONE = 200;
/** Actors that are asked about at a time. */
const ACTORS = 50;

/** Messages of one actor, the oldest first. @throws {TransientError} */
export async function messageViewsOf(
  { mailbox, registry }: Omit<MessagesDeps, 'shown'>,
  actor: Address,
): Promise<readonly MessageView[]> {
  return (await mailbox.readMessagesOf(actor, LETTERS_OF_ONE)).flatMap((mail) => letterOf(mail, registry));
}

/** Those between these actors, and what the watch says of each. */
export async function messagesAmong(deps: MessagesDeps, keys: readonly string[]): Promise<Messages> {
  const asked = new Set(keys.slice(0, ACTORS));
  const actors = [...asked].filter(deps.shown).flatMap((key) => parseAddressKey(key) ?? []);
  try {
    const found = await Promise.all(actors.map((actor) => messageViewsOf(deps, actor)));
    const among = found.flat().filter(({ from, to }) => asked.has(to) && (from === '' || asked.has(from)));
    const each = new Map(among.map((letter) => [`${letter.topic} ${letter.from} ${letter.to}`, letter]));
    return { letters: [...each.values()].sort((one, other) => one.at - other.at) };
  } catch (error) {
    return { letters: [], problem: toErrorData(error).message };
  }
}

function letterOf(
  { subject, payload, storedAt }: TimestampedMessage,
  registry: MessagesDeps['registry'],
): readonly MessageView[] {
  if (!('to' in subject)) return [];
  const { topic, to } = subject;
  if (topic === 'object' && registry.kind(to) === undefined) return [];
  const from = 'from' in subject ? addressKey(subject.from) : '';
  return [{ topic, from, to: addressKey(to), at: storedAt, payload }];
}
