// Add, Update and Delete.
//
// Invariants:
//   OCM-WRITING-1. Attributes that are the server's own are never among what a client stores.
import { decodeStruct } from '../envelope/decode.ts';
import { fieldDeprecation, methodDeprecation } from '../envelope/deprecation.ts';
import { RefusedRequest, refuse } from '../envelope/faults.ts';
import { merged, refuseServerOwned } from '../envelope/merge.ts';
import { equals } from '../search/compile.ts';
import { fieldOf } from '../search/fields.ts';
import { type FoundLink, type Holder, isObject, linksIn } from '../store/links.ts';
import { withMembersOf } from '../store/paths.ts';
import type { Address, Outcome, StoredObject, UpdateRequest, Value } from '../store/store.ts';
import { type Answer, type Call, isReadable, objectName, refuseFault, tableOf } from './call.ts';
import { addressOf, existing, mayRead } from './reading.ts';
import type { ServedTable } from './served.ts';

const LONGEST_ID = 255;
/** Objects that one request updates; each is a write of its own. */
const MOST_UPDATES = 1_000;
/** The class for which clients expect 400 for a name that is taken, and not 409. */
const NAMED_CLASS = 'cluster';

export async function add(call: Call): Promise<Answer> {
  const { operation, query, ids, context, newId } = call;
  const { method } = operation;
  const parameters = query.values(method.query);
  const dryRun = method.query.some(({ name, wireName }) => name.key === 'dry_run' && parameters[wireName] === true);
  const served = tableOf(call);
  const body = await call.body();
  // mutant: gateway-add-anything if -> false
  if (!isObject(body)) return refuse(400, 'The body must be an object');
  const { type } = served.collection;
  const value = decodedFor(served, decodeStruct(type, body, '', 'absent'));
  refuseServerOwned(served.table.serverOwned, {}, value);
  // mutant: gateway-own-identifier ?? -> $2
  const address = { outer: ids, id: idOf(body['id']) ?? newId() };
  // mutant: gateway-link-nowhere drop
  await checkLinks(call, served, { ...address, value }, {});
  const isNamed = type.name.key === NAMED_CLASS;
  const object = await withName(served, address, value, async () => {
    // mutant: gateway-dry-run-stores {} -> { ...context, address, value, dryRun: false }
    const outcome = await served.table.create({ ...context, address, value, dryRun });
    // mutant: gateway-taken-409 ?: -> 409
    return stored(outcome, served, address, isNamed ? 400 : 409);
  });
  if (dryRun) return { status: 204 };
  return written(call, served, object);
}

export async function update(call: Call): Promise<Answer> {
  const served = tableOf(call);
  call.query.values(call.operation.method.query);
  const body = await call.body();
  if (call.operation.subject === 'collection') return updateAll(call, served, body);
  if (!isObject(body)) return refuse(400, 'The body must be an object');
  const address = addressOf(call);
  const { singleton, type } = served.collection;
  const patch = decodedFor(served, decodeStruct(type, body, '', 'kept'));
  if (singleton && served.index.get(address) === undefined) return createSingleton(call, served, address, patch);
  const current = await existing(call, served);
  await checkLinks(call, served, { ...address, value: merged(type, current.value, patch) }, current.value);
  return written(call, served, await patched(call, served, { address, patch, isFirst: true }));
}

/** Each element by its identifier; the answer is the whole list. */
async function updateAll(call: Call, served: ServedTable, body: unknown): Promise<Answer> {
  const { ids, operation } = call;
  if (!Array.isArray(body)) return refuse(400, 'The body must be a list');
  // mutant: gateway-updates-without-end if -> false
  if (body.length > MOST_UPDATES) refuse(400, `The list in the body has at most ${MOST_UPDATES} elements`);
  await mayRead(call, served, { outer: ids, id: undefined });
  const seen = new Set<string>();
  const patches = body.map((each, index) => {
    if (!isObject(each)) return refuse(400, `The value of '[${index}]' must be an object`);
    const id = idOf(each['id']);
    if (id === undefined) return refuse(400, `The value of '[${index}].id' must be a string that is not empty`);
    // mutant: gateway-updated-twice if -> false
    if (seen.has(id)) refuse(400, `The value of '[${index}].id' is that of an earlier element`);
    seen.add(id);
    const address = { outer: ids, id };
    const current = served.index.get(address);
    if (current === undefined) return refuse(404, `${objectName(served, id)} not found`);
    const patch = decodedFor(served, decodeStruct(served.collection.type, each, `[${index}]`, 'kept'));
    return { address, current, patch };
  });
  // All elements are checked before the first one is stored.
  // mutant: gateway-list-checked-late drop
  for (const { address, current, patch } of patches) {
    const edited = editOf(served, patch)(current);
    if ('kind' in edited) return refuseFault(edited, objectName(served, address.id));
    await checkLinks(call, served, { ...address, value: edited.value }, current.value);
    refuseTakenName(served, address, patch);
  }
  // mutant: gateway-list-not-updated drop
  for (const [index, { address, patch }] of patches.entries()) {
    // mutant: gateway-updates-for-a-closed-connection if -> false
    if (call.context.signal?.aborted === true) refuse(503, 'The connection of the client was closed');
    await patched(call, served, { address, patch, isFirst: index === 0 });
  }
  const texts = served.index
    .inside(ids)
    .query(undefined)
    .objects.map((object) => served.writer.text(object));
  return { status: operation.method.status, body: `[${texts.join()}]` };
}

export async function remove(call: Call): Promise<Answer> {
  const { operation, query, context } = call;
  const { method } = operation;
  const parameters = query.values(method.query);
  const served = tableOf(call);
  const { id } = await existing(call, served);
  const address = addressOf(call);
  const outcome = await served.table.remove({ ...context, address });
  const given = new Set(Object.keys(parameters).filter((name) => query.text(name) !== undefined));
  const headers = methodDeprecation(method, given);
  if (outcome.kind === 'removed') {
    served.index.apply({ kind: 'removed', address, revision: outcome.revision });
    // mutant: gateway-delete-200 return -> { status: 200, headers }
    return { status: method.status, headers };
  }
  if (outcome.kind !== 'stored') return refuseFault(outcome, objectName(served, id));
  served.index.apply(outcome);
  // mutant: gateway-delete-at-once return -> { status: 204, headers }
  return method.status === 204
    ? { status: 204, headers }
    : { status: method.status, headers, body: served.writer.text(outcome.object) };
}

interface PatchOf {
  readonly address: Address;
  readonly patch: Value;
  /** False where the request has stored others already. */
  readonly isFirst: boolean;
}

function patched(call: Call, served: ServedTable, { address, patch, isFirst }: PatchOf): Promise<StoredObject> {
  return withName(served, address, patch, async () => {
    const outcome = await served.table.update({
      ...call.context,
      address,
      // mutant: gateway-lost-update : -> ((edited) => () => edited)($(served.index.get(address)))
      edit: editOf(served, patch),
    });
    // Clients repeat a request that is unavailable: nothing of it must be stored then.
    // mutant: gateway-list-repeated ?:.1 -> false
    const known: Outcome = outcome.kind === 'unavailable' && !isFirst ? { kind: 'unknown' } : outcome;
    return stored(known, served, address);
  });
}

function editOf({ table, collection, writer }: ServedTable, patch: Value): UpdateRequest['edit'] {
  return (newest) => {
    const value = merged(collection.type, newest.value, patch);
    try {
      // mutant: gateway-owned-as-stored ()#1 -> refuseServerOwned(table.serverOwned, newest.value, value)
      refuseServerOwned(table.serverOwned, writer.attributes(newest.value, newest), writer.attributes(value, newest));
    } catch (error) {
      if (error instanceof RefusedRequest) return { kind: 'invalid', reason: error.message };
      throw error;
    }
    return { value: withMembersOf(value, newest.value, table.serverOwned) };
  };
}

async function createSingleton(call: Call, served: ServedTable, address: Address, patch: Value): Promise<Answer> {
  const value = merged(served.collection.type, {}, patch);
  refuseServerOwned(served.table.serverOwned, {}, value);
  await checkLinks(call, served, { ...address, value }, {});
  const outcome = await served.table.create({ ...call.context, address, value, dryRun: false });
  return written(call, served, stored(outcome, served, address));
}

/** The answer of a write: the object as it is stored, which is read from now on. */
function stored(outcome: Outcome, served: ServedTable, { id }: Address, existsStatus?: 400 | 409): StoredObject {
  if (outcome.kind !== 'stored') return refuseFault(outcome, objectName(served, id), existsStatus);
  // A dry run has no revision.
  if (outcome.object.revision !== '0') served.index.apply(outcome);
  return outcome.object;
}

function written(
  { operation: { method }, query }: Call,
  { writer, collection }: ServedTable,
  object: StoredObject,
): Answer {
  const given = new Set(
    method.query.flatMap(({ queryName, wireName }) => (query.text(queryName) === undefined ? [] : wireName)),
  );
  const headers = { ...methodDeprecation(method, given), ...fieldDeprecation(collection.type, object.value) };
  // mutant: gateway-always-200 return -> { status: 200, headers, body: writer.text(object) }
  return { status: method.status, headers, body: writer.text(object) };
}

/** Lists of links that are collections of their own are not part of an object. */
function decodedFor({ collection, writer }: ServedTable, value: Value): Value {
  const owned = collection.type.attributes.filter((attribute) => writer.isCollection(attribute));
  return withMembersOf(
    value,
    {},
    owned.map(({ wireName }) => wireName),
  );
}

/** @returns undefined where there is none; @throws {RefusedRequest} 400: it cannot be one */
function idOf(id: unknown): string | undefined {
  if (id === undefined || id === null || id === '') return undefined;
  if (typeof id !== 'string') return refuse(400, "The value of 'id' must be a string");
  // It becomes a segment of paths.
  if (id.length > LONGEST_ID || /\p{C}/u.test(id) || id === '.' || id === '..') {
    refuse(400, `The value of 'id' must have at most ${LONGEST_ID} printable characters`);
  }
  return id;
}

/**
 * Runs a write that may give an object of NAMED_CLASS another name. Writes with one name are made one after another, from the
 * check until the index has the object, so only one of them finds the name free.
 *
 * @throws {RefusedRequest} 400: another object has the name
 */
async function withName<Result>(
  served: ServedTable,
  address: Address,
  value: Value,
  write: () => Promise<Result>,
): Promise<Result> {
  const name = nameIn(served, value);
  if (name === undefined) return write();
  // mutant: gateway-names-at-once () -> ($2)()
  return served.naming.run(JSON.stringify([...address.outer, name]), async () => {
    refuseTakenName(served, address, value);
    return write();
  });
}

/** @throws {RefusedRequest} 400: another object has the name */
function refuseTakenName(served: ServedTable, address: Address, value: Value): void {
  const { collection, index, scope } = served;
  const [name, field] = [nameIn(served, value), fieldOf(['name'], scope)];
  if (name === undefined || field === undefined || index.get(address)?.value['name'] === name) return;
  // mutant: gateway-taken-name if -> false
  if (index.inside(address.outer).query(equals(field, name, scope), undefined, 0, 0).total > 0)
    refuse(400, `${collection.type.name.camel} '${name}' already exists`);
}

/** The name that is to be unique; undefined where there is none. */
function nameIn({ collection: { type } }: ServedTable, { name }: Value): string | undefined {
  return type.name.key === NAMED_CLASS && typeof name === 'string' && name !== '' ? name : undefined;
}

/** Links that are new have to lead somewhere, as far as it is known here. @throws {RefusedRequest} 400 */
async function checkLinks(call: Call, served: ServedTable, holder: Holder, current: Value): Promise<void> {
  const { type } = served.collection;
  const known = new Set(linksIn(type, current).map((link) => keyOf(call, served, { ...holder, value: current }, link)));
  for (const link of linksIn(type, holder.value)) {
    if (known.has(keyOf(call, served, holder, link)) || (await isThere(call, served, holder, link))) continue;
    refuse(
      400,
      `The value of '${link.path.join('.')}' names ${link.type.name.camel} '${link.id}', which does not exist`,
    );
  }
}

/** The same link to the same object, also when what is around that object comes from elsewhere in the holder. */
function keyOf({ served: { links } }: Call, { collection }: ServedTable, holder: Holder, link: FoundLink): string {
  return JSON.stringify([link.path, link.id, links.linkHref(link.type, link.id, holder, collection)]);
}

/** True also where nothing here serves objects of the type. */
async function isThere(
  { served, context }: Call,
  { collection }: ServedTable,
  holder: Holder,
  { type, id }: FoundLink,
): Promise<boolean> {
  // mutant: gateway-link-anywhere = -> target = undefined
  const target = served.links.linkTarget(type, id, holder, collection);
  const places = target === undefined ? served.links.collectionsOf(type) : [target.collection];
  const tables = places.flatMap((each) => served.table(each) ?? []);
  if (tables.length === 0 || tables.some(({ index }) => !index.isComplete)) return true;
  for (const table of tables) {
    const object = target === undefined ? table.index.find(id) : table.index.get(target.address);
    if (object !== undefined && (await isReadable(table, context.caller, object))) return true;
  }
  return false;
}
