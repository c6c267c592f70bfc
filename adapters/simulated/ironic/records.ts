// Ironic's database: nodes and ports, and what is kept beside them.
import type { Json, JsonObject } from '../../../bus/json.ts';
import type { Clock } from '../../../bus/time.ts';
import type { Agenda } from './agenda.ts';
import { refusal, UUID } from './exchange.ts';

export type Item = Record<string, Json>;

/** The conductor's work on a node: each value that it yields is a wait in milliseconds. */
export type Work = Generator<number, void, void>;

export interface NodeRecord {
  /** Its row's number, by which some messages name it. */
  readonly row: number;
  /** Its fields as the API names them, passwords as they are. */
  readonly item: Item;
  readonly history: JsonObject[];
  /** Findings of the last inspection. */
  inventory: JsonObject | undefined;
  bios: readonly JsonObject[];
  firmware: readonly JsonObject[];
  /** Ends what is done with it; undefined: nothing is. */
  cancel: (() => void) | undefined;
  /** The conductor is at work on it. */
  isLocked: boolean;
  /** A test holds it, as a conductor does that is busy with it. */
  isHeld: boolean;
  /** Failed checks of its power since the last good one. */
  failedSyncs: number;
}

/** A node as it is kept where it outlives its Ironic: without what is under way. */
export type KeptNode = Pick<NodeRecord, 'row' | 'item' | 'history' | 'inventory' | 'bios' | 'firmware' | 'failedSyncs'>;

export interface KeptRecords {
  readonly rows: number;
  readonly nodes: readonly KeptNode[];
  readonly ports: readonly Item[];
}

/** As data of its own: nothing of it is what is stored. Many times as fast as `structuredClone`, for what is JSON. */
export function copyOf<Data>(data: Data): Data {
  return data === undefined ? data : (JSON.parse(JSON.stringify(data)) as Data);
}

export class Records {
  readonly agenda: Agenda;
  readonly nodes = new Map<string, NodeRecord>();
  readonly ports = new Map<string, Item>();
  readonly #clock: Pick<Clock, 'random'>;
  #rows = 0;

  constructor(clock: Pick<Clock, 'random'>, agenda: Agenda) {
    this.#clock = clock;
    this.agenda = agenda;
  }

  addNode(item: Item): NodeRecord {
    const known = { inventory: undefined, bios: [], firmware: [], failedSyncs: 0 };
    return this.#put({ row: ++this.#rows, item, history: [], ...known });
  }

  /** All that there is, as data; what is under way is in the nodes' states alone. */
  kept(): KeptRecords {
    const nodes = [...this.nodes.values()].map(({ cancel: _, isLocked: __, isHeld: ___, ...node }): KeptNode => node);
    return { rows: this.#rows, nodes, ports: [...this.ports.values()] };
  }

  /** Takes over what was kept; nothing is under way. */
  restore({ rows, nodes, ports }: KeptRecords): void {
    this.#rows = rows;
    for (const node of nodes) this.#put(node);
    for (const port of ports) this.ports.set(String(port['uuid']), port);
  }

  #put(node: KeptNode): NodeRecord {
    const record: NodeRecord = { ...node, cancel: undefined, isLocked: false, isHeld: false };
    this.nodes.set(String(node.item['uuid']), record);
    return record;
  }

  removeNode({ item, cancel }: NodeRecord): void {
    cancel?.();
    this.nodes.delete(String(item['uuid']));
    for (const [id, port] of this.ports) if (port['node_uuid'] === item['uuid']) this.ports.delete(id);
  }

  /** Everything is lost. */
  forget(): void {
    for (const record of [...this.nodes.values()]) this.removeNode(record);
    this.#rows = 0;
  }

  /** Keyed by its UUID or name; names are known from version 1.5 on. */
  find(ident: string, minor = Number.POSITIVE_INFINITY): NodeRecord | undefined {
    const byId = this.nodes.get(ident);
    if (byId !== undefined || minor < 5) return byId;
    return [...this.nodes.values()].find(({ item }) => item['name'] === ident);
  }

  /** @throws {Refusal} 404 */
  node(ident: string, minor?: number): NodeRecord {
    const found = this.find(ident, minor);
    if (found === undefined) throw refusal(404, `Node ${ident} could not be found.`);
    return found;
  }

  portsOf(uuid: Json | undefined): readonly Item[] {
    return [...this.ports.values()].filter((port) => port['node_uuid'] === uuid);
  }

  addPort(nodeUuid: Json, address: string, pxeEnabled: boolean): Item {
    const port: Item = {
      uuid: this.newUuid(),
      created_at: this.now(),
      updated_at: null,
      address: address.toLowerCase(),
      extra: {},
      internal_info: {},
      is_smartnic: false,
      local_link_connection: {},
      physical_network: null,
      pxe_enabled: pxeEnabled,
      node_uuid: nodeUuid,
      name: null,
      portgroup_uuid: null,
    };
    this.ports.set(String(port['uuid']), port);
    return port;
  }

  /** A UUID of version 4. */
  newUuid(): string {
    const digit = (below = 16, from = 0): string => (from + Math.floor(this.#clock.random() * below)).toString(16);
    const digits = (count: number): string => Array.from({ length: count }, () => digit()).join('');
    return `${digits(8)}-${digits(4)}-4${digits(3)}-${digit(4, 8)}${digits(3)}-${digits(12)}`;
  }

  /** Ironic's form of the present time. */
  now(): string {
    return `${new Date(this.agenda.now()).toISOString().slice(0, 23)}000+00:00`;
  }

  /** Notes an error where people look for it. */
  fail({ item, history }: NodeRecord, message: string, about: string): void {
    item['last_error'] = message;
    history.push({
      uuid: this.newUuid(),
      created_at: this.now(),
      severity: 'ERROR',
      event_type: about,
      event: message,
      conductor: item['conductor'] ?? null,
      user: null,
    });
  }
}

export function isUuid(text: string): boolean {
  return UUID.test(text);
}
