// What the cloud was asked to do, held against what may never happen, call by call.
//
// Invariants:
//   I1. Nothing is created on what is not there.
//   I2. Nothing is deleted while something that stands on it is there.
//   I4. No object has two resources, and no name is there twice.
import type { ServedCall } from '../../adapters/openstack/simulator/mod.ts';
import type { Json, JsonObject } from '../../bus/mod.ts';

interface Resource {
  /** `ports`, or `interfaces` for what plugs a router into a subnet. */
  readonly collection: string;
  readonly name: string;
  /** Of the object that it was made for. */
  readonly uid: string;
  /** Ids of what it stands on, by the attribute that said so. */
  readonly needs: Map<string, ReadonlySet<string>>;
}

const COLLECTIONS: ReadonlySet<string> = new Set([
  'networks',
  'subnets',
  'ports',
  'routers',
  'security-groups',
  'projects',
]);

export class CloudLog {
  readonly #onViolation: (what: string) => void;
  readonly #live = new Map<string, Resource>();
  /** What may be gone already: its end was asked for, and not yet answered. */
  readonly #ending = new Map<string, number>();

  constructor(onViolation: (what: string) => void) {
    this.#onViolation = onViolation;
  }

  /**
   * A call is on its way: whoever sees it done before its answer is here is right. Of a cloud that tells of its calls in
   * the order in which it does them, nobody needs to know.
   */
  begin(call: Pick<ServedCall, 'method' | 'path' | 'body'>): void {
    const id = endedBy(call);
    if (id !== undefined) this.#ending.set(id, (this.#ending.get(id) ?? 0) + 1);
  }

  /** @param call  served after all that were taken before it; with status 0: nobody knows whether it was */
  take(call: ServedCall): void {
    const { method, path, status } = call;
    const [collection = '', id = '', part] = path.split('/').slice(1);
    this.#end(call);
    if (part === 'add_router_interface' || part === 'remove_router_interface') this.#plug(call, plain(id), part);
    else if (!COLLECTIONS.has(collection) || part !== undefined) return;
    else if (method === 'POST') this.#create(call, collection);
    else if (method === 'PUT' && status === 200) this.#change(call, plain(id));
    else if (method === 'DELETE') this.#remove(call, plain(id));
  }

  #end(call: ServedCall): void {
    const id = endedBy(call);
    const count = id === undefined ? undefined : this.#ending.get(id);
    if (id === undefined || count === undefined) return;
    // Without an answer it stays so for ever.
    if (count > 1) this.#ending.set(id, count - 1);
    else if (call.status !== 0) this.#ending.delete(id);
  }

  #create(call: ServedCall, collection: string): void {
    const { status, answer, body } = call;
    if (status === 404) this.#onViolation(`I1: ${told(call)}: created on what is not there: ${JSON.stringify(answer)}`);
    if (status !== 201) return;
    const item = memberOf(answer);
    const made: Resource = {
      collection,
      name: String(item['name']),
      uid: uidOf(call),
      needs: new Map(),
    };
    this.#note(made, body);
    for (const [id, other] of this.#live) {
      if (other.collection !== collection) continue;
      const sort = other.uid === made.uid ? 'the same object' : 'another object';
      if (other.name === made.name) {
        this.#onViolation(
          `I4: ${told(call)}: '${made.name}' is there already, made for ${sort}: ${id} and ${item['id']}`,
        );
      }
    }
    this.#live.set(plain(item['id']), made);
  }

  #change({ body }: ServedCall, id: string): void {
    const resource = this.#live.get(id);
    if (resource !== undefined) this.#note(resource, body);
  }

  #remove(call: ServedCall, id: string): void {
    const resource = this.#live.get(id);
    if (resource === undefined || call.status === 404) return;
    for (const [otherId, other] of this.#live) {
      if (this.#ending.has(otherId)) continue;
      if (![...other.needs.values()].some((ids) => ids.has(id))) continue;
      this.#onViolation(
        `I2: ${told(call)}: '${resource.name}' is deleted while '${other.name}' of ${other.collection} needs it`,
      );
    }
    if (call.status === 204) this.#live.delete(id);
  }

  #plug(call: ServedCall, router: string, part: 'add_router_interface' | 'remove_router_interface'): void {
    const { status, answer } = call;
    if (part === 'add_router_interface' && status === 404)
      this.#onViolation(`I1: ${told(call)}: plugged into what is not there: ${JSON.stringify(answer)}`);
    if (status !== 200) return;
    const subnet = plain((answer as JsonObject)['subnet_id']);
    const id = `${router}/${subnet}`;
    if (part === 'remove_router_interface') this.#live.delete(id);
    else
      this.#live.set(id, {
        collection: 'interfaces',
        name: id,
        uid: uidOf(call),
        needs: new Map([['itself', new Set([router, subnet])]]),
      });
  }

  /** What was asked for, not what came of it: a cloud gives ports addresses of subnets that nobody named. */
  #note({ needs }: Resource, body: JsonObject | undefined): void {
    for (const [attribute, value] of Object.entries(memberOf(body))) needs.set(attribute, this.#idsIn(value));
  }

  /** Of all that is named there, what was made here. */
  #idsIn(value: Json | undefined): ReadonlySet<string> {
    if (typeof value === 'string') return new Set(this.#live.has(plain(value)) ? [plain(value)] : []);
    if (typeof value !== 'object' || value === null) return new Set();
    return new Set(Object.values(value).flatMap((each: Json) => [...this.#idsIn(each)]));
  }
}

/** What a call deletes, or unplugs: a key of what is live. */
function endedBy({ method, path, body }: Pick<ServedCall, 'method' | 'path' | 'body'>): string | undefined {
  const [, id = '', part] = path.split('/').slice(1);
  if (method === 'DELETE' && part === undefined) return plain(id);
  return part === 'remove_router_interface' ? `${plain(id)}/${plain(body?.['subnet_id'])}` : undefined;
}

/** `POST /ports 201`. */
export function told({ method, path, status }: Pick<ServedCall, 'method' | 'path' | 'status'>): string {
  return `${method} ${path} ${status}`;
}

/** The runtime's calls carry the uid of the object that they are made for. */
export function uidOf({ requestId }: Pick<ServedCall, 'requestId'>): string {
  return requestId.replace(/^req-/, '');
}

function memberOf(answer: Json | undefined): JsonObject {
  const [member] = Object.values((answer ?? {}) as JsonObject);
  return (member ?? {}) as JsonObject;
}

/** Keystone writes ids without dashes, and takes them with. */
function plain(id: unknown): string {
  return String(id).replaceAll('-', '');
}
