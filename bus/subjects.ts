// Every subject, built and parsed in one place. Names may hold dots, NATS tokens may not: they are percent-encoded
// here and nowhere else.
//
//   troupe.mail.<shard>.<realm>.<plural>.<namespace>.<name>.<topic>[.<realm>.<plural>.<namespace>.<name>]
//   troupe.mail.<shard>.creates
//   troupe.mail.<shard>.reservation.<name>
//   troupe.event.<realm>.<plural>.<namespace>.<name>.<type>
//   troupe.epoch
//   troupe.longcall.<user>.<process>
//   troupe.inbox.<user>.<connection>
//
// The namespace of a cluster-scoped object is the empty string, written as the token `_`. `troupe` is the root; another
// one (a single token) separates deployments that share a server.
import type { Address } from './address.ts';
import { keyOfShared, sharedByKey } from './interning.ts';

export type { Address };

/** Mail to an actor. A claim and an answer name the other side, which lives in the same namespace. */
export type ActorSubject = { readonly to: Address } & (
  | { readonly topic: 'object' }
  | { readonly topic: 'claim' | 'ready'; readonly from: Address }
);

/** Record that the host of a shard leaves to the next one. */
export interface ShardSubject {
  readonly topic: 'creates';
  readonly shard: number;
}

/** Whom the server knows a process as. */
export interface UserName {
  readonly name: string;
  /** Node of an operation that belongs to one node. */
  readonly node?: string | undefined;
}

/** Reservation for a lookup. Its shard is that of its name. */
export interface ReservationSubject {
  readonly topic: 'reservation';
  /** Letters and digits. */
  readonly name: string;
}

/** Subject of a value in the mailbox. */
export type MailboxSubject = ActorSubject | ShardSubject | ReservationSubject;

/** Default number of shards; fixed for the existence of a deployment. */
export const SHARDS = 64;
/** First token of every subject unless a deployment says otherwise. */
export const ROOT = 'troupe';
/**
 * Tokens after the root in the bus's own subjects; the realm of an operation, which has the same place, must be none of
 * these.
 */
export const RESERVED_TOKENS: readonly string[] = ['mail', 'event', 'epoch', 'longcall', 'inbox'];

const ENCODER = new TextEncoder();
// ignoreBOM keeps a leading byte order mark, without which decoding would not be the inverse of encoding.
const DECODER = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const PLAIN = /^[A-Za-z0-9_-]+$/;
const TURN = /^[A-Za-z0-9]+$/;
const ESCAPED = /^(?:[A-Za-z0-9_-]|%[0-9A-F]{2})+$/;

/**
 * One token of a subject for any text: bytes outside `A-Z a-z 0-9 _ -` become `%` and two upper-case hexadecimal digits.
 * The empty text is `_`; the text `_` is therefore `%5F`.
 */
export function encodeToken(text: string): string {
  if (text === '') return '_';
  if (text === '_') return '%5F';
  if (PLAIN.test(text)) return text;
  let token = '';
  for (const byte of ENCODER.encode(text)) {
    const character = String.fromCharCode(byte);
    token += byte < 0x80 && PLAIN.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return token;
}

/** The inverse of `encodeToken`; undefined for what it never makes. */
export function decodeToken(token: string): string | undefined {
  if (token === '_') return '';
  if (PLAIN.test(token)) return token;
  if (!ESCAPED.test(token)) return undefined;
  const bytes: number[] = [];
  for (let at = 0; at < token.length; at += 1) {
    if (token[at] === '%') {
      bytes.push(Number.parseInt(token.slice(at + 1, at + 3), 16));
      at += 2;
    } else {
      bytes.push(token.charCodeAt(at));
    }
  }
  let text: string;
  try {
    text = DECODER.decode(Uint8Array.from(bytes));
  } catch {
    return undefined; // not UTF-8
  }
  return encodeToken(text) === token ? text : undefined;
}

/**
 * An address as one string, `<realm>.<plural>.<namespace>.<name>` of encoded tokens: key of maps, `subject` of events.
 * Joined, as a template would leave a tree of its parts, ten times as large, in every map whose key it is.
 */
export function addressKey(address: Address): string {
  const known = keyOfShared(address);
  if (known !== undefined) return known;
  const { realm, plural, namespace, name } = address;
  return [encodeToken(realm), encodeToken(plural), encodeToken(namespace), encodeToken(name)].join('.');
}

/** The same address, as the object that all who mention it share. */
export function internAddress(address: Address): Address {
  return sharedByKey(addressKey(address), () => address) ?? address;
}

/** The inverse of `addressKey`; undefined for what it never makes. */
export function parseAddressKey(key: string): Address | undefined {
  return parseAddress(key.split('.'));
}

/** The shard of an actor, 0 to `shards` - 1: FNV-1a, 32 bits, over its key. The same in every process and release. */
export function shardOf(address: Address, shards: number = SHARDS): number {
  return shardOfKey(addressKey(address), shards);
}

/** The shard whose mail it is. */
export function shardOfMail(mail: MailboxSubject, shards: number = SHARDS): number {
  if ('shard' in mail) return mail.shard;
  return 'name' in mail ? shardOfKey(mail.name, shards) : shardOf(mail.to, shards);
}

/** Subject of a value in the mailbox. */
export function mailboxSubject(mail: MailboxSubject, shards: number = SHARDS, root: string = ROOT): string {
  if ('shard' in mail) return `${root}.mail.${mail.shard}.${mail.topic}`;
  if ('name' in mail) return `${root}.mail.${shardOfKey(mail.name, shards)}.${mail.topic}.${mail.name}`;
  const key = addressKey(mail.to);
  const base = [root, 'mail', shardOfKey(key, shards), key, mail.topic];
  if (!('from' in mail)) return base.join('.');
  return [...base, addressKey(mail.from)].join('.');
}

/** The inverse of `mailboxSubject`; undefined for what it never makes with this number of shards and this root. */
export function parseMailboxSubject(
  subject: string,
  shards: number = SHARDS,
  root: string = ROOT,
): MailboxSubject | undefined {
  const [first, mail, shard, ...rest] = subject.split('.');
  if (first !== root || mail !== 'mail') return undefined;
  if (rest.length === 1) return rest[0] === 'creates' ? parseShard(shard, shards) : undefined;
  if (rest.length === 2) return rest[0] === 'reservation' ? parseTurn(shard, rest[1], shards) : undefined;
  const to = parseAddress(rest.slice(0, 4));
  if (to === undefined || shard !== String(shardOfKey(rest.slice(0, 4).join('.'), shards))) return undefined;
  const topic = rest[4];
  if (topic === 'object') return rest.length === 5 ? { to, topic } : undefined;
  if ((topic !== 'claim' && topic !== 'ready') || rest.length !== 9) return undefined;
  const from = parseAddress(rest.slice(5));
  return from === undefined ? undefined : { to, topic, from };
}

/** All mail. */
export function mailWildcard(root: string = ROOT): string {
  return `${root}.mail.>`;
}

/** All mail of one shard. */
export function shardFilter(shard: number, root: string = ROOT): string {
  return `${root}.mail.${shard}.>`;
}

/** One topic of all shards. */
export function topicFilter(topic: MailboxSubject['topic'], root: string = ROOT): string {
  if (topic === 'creates') return `${root}.mail.*.${topic}`;
  if (topic === 'reservation') return `${root}.mail.*.${topic}.*`;
  const base = `${root}.mail.*.*.*.*.*.${topic}`;
  return topic === 'claim' || topic === 'ready' ? `${base}.*.*.*.*` : base;
}

/** All mail to one actor. */
export function objectFilter(address: Address, shards: number = SHARDS, root: string = ROOT): string {
  const key = addressKey(address);
  return `${root}.mail.${shardOfKey(key, shards)}.${key}.>`;
}

/** All mail that one actor has sent: its claims, and its answers. */
export function senderFilters(address: Address, root: string = ROOT): readonly string[] {
  return ['claim', 'ready'].map((topic) => `${root}.mail.*.*.*.*.*.${topic}.${addressKey(address)}`);
}

/** Subject of the mailbox stream's epoch. */
export function epochSubject(root: string = ROOT): string {
  return `${root}.epoch`;
}

/** Subject of a trace event. */
export function eventSubject({ actor, type }: { actor: Address; type: string }, root: string = ROOT): string {
  return `${root}.event.${addressKey(actor)}.${encodeToken(type)}`;
}

/** The inverse of `eventSubject`; undefined for what it never makes. */
export function parseEventSubject(subject: string, root: string = ROOT): { actor: Address; type: string } | undefined {
  const [first, event, ...rest] = subject.split('.');
  if (first !== root || event !== 'event' || rest.length !== 5) return undefined;
  const actor = parseAddress(rest.slice(0, 4));
  const type = decodeToken(rest[4] ?? '');
  return actor === undefined || type === undefined ? undefined : { actor, type };
}

/** Trace events of one actor or of all of a realm, or of all; of one type, or of all. */
export function eventFilter(
  {
    actor,
    realm,
    type,
  }: { readonly actor?: Address | undefined; readonly realm?: string; readonly type?: string | undefined },
  root: string = ROOT,
): string {
  const whose = actor === undefined ? `${realm === undefined ? '*' : encodeToken(realm)}.*.*.*` : addressKey(actor);
  return `${root}.event.${whose}.${type === undefined ? '*' : encodeToken(type)}`;
}

/** All trace events. */
export function eventWildcard(root: string = ROOT): string {
  return `${root}.event.>`;
}

/** Subject, without the root, of an operation of an adapter: of any process that serves it, or of the one of a node. */
export function operationSubject({
  realm,
  plural,
  operation,
  node,
}: {
  readonly realm: string;
  readonly plural: string;
  readonly operation: string;
  readonly node?: string | undefined;
}): string {
  return [realm, ...(node === undefined ? [] : [encodeToken(node)]), plural, operation].join('.');
}

/** Subject of a service's endpoint: its own tokens under the root. */
export function endpointSubject(subject: string, root: string = ROOT): string {
  return `${root}.${subject}`;
}

/**
 * Filter for all operations of a realm's kinds: of any process that serves them, of the one of a node or, with `*`, of
 * any node's.
 */
export function operationFilter(realm: string, node?: string, root: string = ROOT): string {
  if (node === undefined) return `${root}.${realm}.*.*`;
  return `${root}.${realm}.${node === '*' ? node : encodeToken(node)}.*.*`;
}

/** Subject under which a process is reached about long calls, as caller and as server. */
export function longCallSubject(name: string, root: string = ROOT): string {
  return [root, 'longcall', ...name.split('.').map(encodeToken)].join('.');
}

/** Subjects under which all processes of a user are reached about long calls: their names begin with the user's. */
export function holdsOf(user: UserName, root: string = ROOT): string {
  // mutant: holds-of-everybody () -> $2
  return `${longCallSubject(userTokens(user), root)}.>`;
}

/** Subjects of all messages about long calls. */
export function longCallWildcard(root: string = ROOT): string {
  return `${root}.longcall.>`;
}

/** Prefix of a user's inboxes. Those of a node lie within those of its name. */
export function inboxPrefix(user: UserName, root: string = ROOT): string {
  return [root, 'inbox', userTokens(user)].join('.');
}

/** A user as tokens. */
export function userTokens({ name, node }: UserName): string {
  return [name, ...(node === undefined ? [] : [node])].map(encodeToken).join('.');
}

function parseShard(token: string | undefined, shards: number): ShardSubject | undefined {
  const shard = Number(token);
  return String(shard) === token && Number.isInteger(shard) && shard >= 0 && shard < shards
    ? { topic: 'creates', shard }
    : undefined;
}

function parseTurn(
  shard: string | undefined,
  name: string | undefined,
  shards: number,
): ReservationSubject | undefined {
  if (name === undefined || !TURN.test(name) || shard !== String(shardOfKey(name, shards))) return undefined;
  return { topic: 'reservation', name };
}

function parseAddress(tokens: readonly string[]): Address | undefined {
  return tokens.length === 4 ? sharedByKey(tokens.join('.'), decodeAddress) : undefined;
}

/** Parts of the key, and not of the longer text that it was cut out of, which they would keep. */
function decodeAddress(key: string): Address | undefined {
  const [realm, plural, namespace, name] = key.split('.').map(decodeToken);
  if (realm === undefined || plural === undefined || namespace === undefined || name === undefined) return undefined;
  return { realm, plural, namespace, name };
}

/** As `shardOf`, by the actor's key. */
export function shardOfKey(key: string, shards: number): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at += 1) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return (hash >>> 0) % shards;
}
