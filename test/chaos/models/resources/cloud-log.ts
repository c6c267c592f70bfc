// What the cloud was asked to do, held against what may never happen, call by call.
//
// Invariants:
//   I1. Nothing is created on what is not there.
//   I2. Nothing is deleted while something that stands on it is there.
//   I4. No object has two resources, and no name is there twice.

import type { Schema } from '../../../../adapters/api/contract/contract.ts';
import { resourceIn } from '../../../../adapters/openstack/client/wire-format.ts';
import type { TableKind } from '../../../../adapters/openstack/resource/table.ts';
import type { ServedCall } from '../../../../adapters/simulated/openstack/mod.ts';
import type { Json, JsonObject } from '../../../../bus/mod.ts';
import { TABLES } from '../../../world/cloud-contents.ts';
import type { Line } from '../../story.ts';
import type { Seen } from './order.ts';

interface Resource {
  /** Undefined: what plugs a router into a subnet. */
  readonly table: TableKind | undefined;
  readonly collection: string;
  readonly name: string | undefined;
  /** Of the object that it was made for. */
  readonly uid: string;
  /** Ids of what it stands on, by the attribute that said so. */
  readonly needs: Map<string, ReadonlySet<string>>;
}

type Call = Pick<ServedCall, 'method' | 'path' | 'body'>;

/** What a path names. */
interface Place {
  readonly table: TableKind;
  readonly id: string | undefined;
  /** What of the resource is asked for, and which one of these. */
  readonly part: string | undefined;
  readonly item: string | undefined;
}

const PLACES: ReadonlyMap<string, TableKind> = new Map(
  [...TABLES.values()].map((table) => [
    table.ofUser === undefined ? table.collection : `users/${table.collection}`,
    table,
  ]),
);
const ASSIGNMENTS = [...TABLES.values()].find(({ identity }) => identity !== undefined);
/** The path at which a role is assigned, which is all that there is of an assignment. */
const ASSIGNMENT = /^\/(projects|domains)\/[^/]+\/(users|groups)\/[^/]+\/roles\/[^/]+$/;
/** What Neutron answers to a floating IP whose port no router leads to yet: a 404 that says nothing of what is not there. */
const UNREACHED = 'ExternalGatewayForFloatingIPNotFound';

export class CloudLog {
  readonly #onViolation: (what: string) => void;
  readonly #live = new Map<string, Resource>();
  /** What was there, and of which kind. */
  readonly #gone = new Map<string, TableKind | undefined>();
  /** What may be gone already: its end was asked for, and not yet answered. */
  readonly #ending = new Map<string, number>();

  constructor(onViolation: (what: string) => void) {
    this.#onViolation = onViolation;
  }

  /**
   * A call is on its way: whoever sees it done before its answer is here is right. Of a cloud that tells of its calls in
   * the order in which it does them, nobody needs to know.
   */
  begin(call: Call): void {
    const id = endedBy(call);
    if (id !== undefined) this.#ending.set(id, (this.#ending.get(id) ?? 0) + 1);
  }

  /** @param call  served after all that were taken before it; with status 0: nobody knows whether it was */
  take(call: ServedCall): void {
    const { method, path, status } = call;
    this.#end(call);
    if (ASSIGNMENT.test(path)) {
      this.#assign(call);
      return;
    }
    const place = placeOf(path);
    if (place === undefined) return;
    const { table, id, part, item } = place;
    const isDone = status >= 200 && status < 300;
    if (part === 'add_router_interface' || part === 'remove_router_interface') this.#plug(call, plain(id), part);
    else if (id === undefined) {
      if (method === 'POST') this.#create(call, table);
    } else if (part === undefined) {
      if (method === 'DELETE') this.#remove(call, plain(id));
      else if (isDone) this.#change(call, table, plain(id));
    } else if (isDone && (method === 'DELETE' || part.startsWith('remove_'))) this.#detach(call, plain(id), item);
    else if (isDone) this.#attach(call, plain(id), part);
  }

  #end(call: ServedCall): void {
    const id = endedBy(call);
    const count = id === undefined ? undefined : this.#ending.get(id);
    if (id === undefined || count === undefined) return;
    // Without an answer it stays so for ever.
    if (count > 1) this.#ending.set(id, count - 1);
    else if (call.status !== 0) this.#ending.delete(id);
  }

  #create(call: ServedCall, table: TableKind): void {
    const { status, answer, body } = call;
    const given = attributesOf(table, body);
    this.#refuse(call, table, given);
    if (status < 200 || status > 299) return;
    const item = (resourceIn(table, answer as JsonObject) ?? {}) as JsonObject;
    const name = item['name'] ?? given['name'];
    const made: Resource = {
      table,
      collection: table.collection,
      name: typeof name === 'string' ? name : undefined,
      uid: uidOf(call),
      needs: new Map(),
    };
    this.#note(made, given);
    // Below a user its path says whose it is.
    if (table.ofUser !== undefined) made.needs.set(table.ofUser, this.#liveIn(call.path.split('/')));
    const id = item['id'] ?? name;
    for (const [otherId, other] of this.#live) {
      if (other.table !== table) continue;
      const isSame = other.uid === made.uid;
      if (!isSame && (made.name === undefined || other.name !== made.name)) continue;
      const sort = isSame ? 'the same object' : 'another object';
      this.#onViolation(
        `I4: ${reported(call)}: '${made.name}' is there already, made for ${sort}: ${otherId} and ${id}`,
      );
    }
    this.#live.set(plain(id), made);
    this.#gone.delete(plain(id));
  }

  /** A create that was refused, as what it is to stand on is not there. */
  #refuse(call: ServedCall, table: TableKind, given: JsonObject): void {
    const { status, answer } = call;
    if (status !== 404 && status !== 400) return;
    const dead = [...idsIn(given, (id) => this.#gone.has(id))].map((id) => this.#gone.get(id));
    // What nobody keeps may go at any time.
    const isKept = dead.some((other) => keeps(table, other));
    const isUnknown = status === 404 && dead.length === 0 && !JSON.stringify(answer ?? '').includes(UNREACHED);
    if (isKept || isUnknown)
      this.#onViolation(`I1: ${reported(call)}: created on what is not there: ${JSON.stringify(answer)}`);
  }

  #change({ body }: ServedCall, table: TableKind, id: string): void {
    const resource = this.#live.get(id);
    if (resource !== undefined) this.#note(resource, attributesOf(table, body));
  }

  #attach({ body }: ServedCall, id: string, part: string): void {
    const needs = this.#live.get(id)?.needs;
    needs?.set(part, new Set([...(needs.get(part) ?? []), ...this.#liveIn(body)]));
  }

  #detach({ body }: ServedCall, id: string, item: string | undefined): void {
    const needs = this.#live.get(id)?.needs;
    const gone = new Set([...this.#liveIn(body), plain(item)]);
    for (const [attribute, ids] of needs ?? [])
      needs?.set(attribute, new Set([...ids].filter((one) => !gone.has(one))));
  }

  #remove(call: ServedCall, id: string): void {
    const resource = this.#live.get(id);
    if (resource === undefined || call.status === 404) return;
    const isDone = call.status >= 200 && call.status < 300;
    const holders = [...this.#live].filter(
      ([otherId, { needs, table }]) =>
        !this.#ending.has(otherId) &&
        [...needs.values()].some((ids) => ids.has(id)) &&
        (table === undefined || keeps(table, resource.table)),
    );
    for (const [, { name, collection }] of holders)
      this.#onViolation(
        `I2: ${reported(call)}: '${resource.name}' is deleted while '${name}' of ${collection} needs it`,
      );
    if (!isDone) return;
    this.#live.delete(id);
    this.#gone.set(id, resource.table);
  }

  #plug(call: ServedCall, router: string, part: 'add_router_interface' | 'remove_router_interface'): void {
    const { status, answer } = call;
    if (part === 'add_router_interface' && status === 404)
      this.#onViolation(`I1: ${reported(call)}: plugged into what is not there: ${JSON.stringify(answer)}`);
    if (status !== 200) return;
    const subnet = plain((answer as JsonObject)['subnet_id']);
    const id = `${router}/${subnet}`;
    if (part === 'remove_router_interface') this.#live.delete(id);
    else this.#live.set(id, this.#whole('interfaces', id, uidOf(call), [router, subnet]));
  }

  /** A PUT makes an assignment, as often as it is sent. */
  #assign(call: ServedCall): void {
    const { method, path, status, answer } = call;
    if (method === 'PUT' && status === 404)
      this.#onViolation(`I1: ${reported(call)}: assigned to what is not there: ${JSON.stringify(answer)}`);
    if (status !== 204) return;
    if (method === 'DELETE') this.#live.delete(path);
    else
      this.#live.set(path, this.#whole(ASSIGNMENTS?.collection ?? '', path, uidOf(call), path.split('/').map(plain)));
  }

  /** What is nothing beside what it is made of. */
  #whole(collection: string, name: string, uid: string, of: readonly string[]): Resource {
    const parts = new Set(of.filter((id) => this.#live.has(id)));
    return { table: undefined, collection, name, uid, needs: new Map([['itself', parts]]) };
  }

  /** What was asked for, not what came of it: a cloud gives ports addresses of subnets that nobody named. */
  #note({ needs }: Resource, given: JsonObject): void {
    for (const [attribute, value] of Object.entries(given)) {
      if (attribute !== 'name') needs.set(attribute, this.#liveIn(value));
    }
  }

  /** Of all that is named there, what was made here. */
  #liveIn(value: Json | undefined): ReadonlySet<string> {
    return idsIn(value, (id) => this.#live.has(id));
  }
}

function idsIn(value: Json | undefined, isOne: (id: string) => boolean): ReadonlySet<string> {
  if (typeof value === 'string') return new Set(isOne(plain(value)) ? [plain(value)] : []);
  if (typeof value !== 'object' || value === null) return new Set();
  return new Set(Object.values(value).flatMap((each: Json) => [...idsIn(each, isOne)]));
}

/** Of a kind, those whose objects keep what they refer to from going. */
const KEPT: ReadonlyMap<TableKind, ReadonlySet<string>> = new Map(
  [...TABLES.values()].map((table) => [
    table,
    new Set(Object.values(table.resource).flatMap(({ schema }) => kept(schema))),
  ]),
);

function kept({ reference, items, values, properties = {} }: Schema): readonly string[] {
  const inner = [items, values, ...Object.values(properties)].filter((each) => each !== undefined);
  return [...(reference?.guarded ? [reference.kind] : []), ...inner.flatMap(kept)];
}

function keeps(table: TableKind, other: TableKind | undefined): boolean {
  return other === undefined || KEPT.get(table)?.has(other.kind) === true;
}

/** Undefined: it is none of a kind. */
function placeOf(path: string): Place | undefined {
  const segments = path.split('/').slice(1);
  const below = PLACES.get(`${segments[0]}/${segments[2]}`);
  const table = below ?? PLACES.get(segments[0] ?? '');
  const [id, part, item] = segments.slice(below === undefined ? 1 : 3);
  return table && { table, id, part, item };
}

/** What a body says of a resource; nothing where it is a list of changes. */
function attributesOf(table: TableKind, body: JsonObject | undefined): JsonObject {
  return (resourceIn({ service: table.service, member: table.member }, body ?? {}) ?? {}) as JsonObject;
}

/** What a call deletes, or unplugs: a key of what is live. */
function endedBy({ method, path, body }: Call): string | undefined {
  if (ASSIGNMENT.test(path)) return method === 'DELETE' ? path : undefined;
  const { id, part } = placeOf(path) ?? {};
  if (method === 'DELETE' && part === undefined) return plain(id);
  return part === 'remove_router_interface' ? `${plain(id)}/${plain(body?.['subnet_id'])}` : undefined;
}

/** What the cloud was asked to do, as a story tells it. */
export function linesOf(calls: readonly ServedCall[], seen: Pick<Seen, 'everSeen' | 'history'>): readonly Line[] {
  const names = new Map(
    seen.everSeen().flatMap((key) => {
      const [kind = '', name = ''] = key.split('/');
      return seen.history(kind, name).map(({ metadata }): [string, string] => [withoutBeginning(metadata.uid), key]);
    }),
  );
  return calls.map((call) => {
    const whom = names.get(uidOf(call)) ?? 'the test';
    return { at: call.at, who: 'cloud', what: `${reported(call)} for ${whom}${reason(call)}`.replace(UUID, '$1') };
  });
}

const UUID = /([0-9a-f]{8})-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}/g;

/** Why the cloud refused. */
function reason({ status, answer }: ServedCall): string {
  if (status !== 0 && status < 400) return '';
  const [said] = Object.values((answer ?? {}) as JsonObject);
  const { message = JSON.stringify(answer ?? 'no answer') } = (said ?? {}) as JsonObject;
  return `: ${message}`;
}

/** `POST /ports 201`. */
function reported({ method, path, status }: Pick<ServedCall, 'method' | 'path' | 'status'>): string {
  return `${method} ${path} ${status}`;
}

/** The runtime's calls carry the uid of the object that they are made for, the generation in place of its beginning. */
function uidOf({ requestId }: Pick<ServedCall, 'requestId'>): string {
  return withoutBeginning(requestId.replace(/^req-/, ''));
}

/** What of a uid calls carry. */
function withoutBeginning(uid: string): string {
  return uid.replace(/^[0-9a-f]{8}-/, '');
}

/** Keystone writes ids without dashes, and takes them with. */
function plain(id: unknown): string {
  return String(id).replaceAll('-', '');
}
