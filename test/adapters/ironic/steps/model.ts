// A small model of Ironic: nodes that go from state to state, one at each tick, and ports. It takes what Ironic takes in a state.
//
// Not here: reservations, versions, maintenance that Ironic sets itself, interfaces, secrets that are masked.
import type { IronicNode } from '../../../../adapters/ironic/client/node-answer.ts';
import type { NodeRequest } from '../../../../adapters/ironic/steps/step.ts';
import type { Json, JsonObject } from '../../../../bus/bus.ts';

export interface Answer {
  readonly status: number;
  readonly body: Json;
}

type Fields = Record<string, Json>;

/** The states that a target leads through, by the state that it is asked for in. */
const WAYS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  manage: {
    enroll: ['verifying', 'manageable'],
    available: ['manageable'],
    'clean failed': ['manageable'],
    'inspect failed': ['manageable'],
  },
  inspect: { manageable: ['inspecting', 'inspect wait', 'inspecting', 'manageable'] },
  clean: { manageable: ['cleaning', 'clean wait', 'cleaning', 'manageable'] },
  provide: { manageable: ['cleaning', 'clean wait', 'cleaning', 'available'] },
  active: { available: ['deploying', 'wait call-back', 'deploying', 'active'] },
  deleted: { active: ['deleting', 'cleaning', 'clean wait', 'available'] },
  adopt: { manageable: ['adopting', 'active'] },
  abort: { 'clean wait': ['clean failed'], 'inspect wait': ['inspect failed'] },
};

/** Of the nodes that were made, the first is 1. */
export function uuidOfNode(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

export class IronicModel {
  readonly nodes: Map<string, Fields> = new Map();
  readonly ports: Fields[] = [];
  readonly inventories: Map<string, JsonObject> = new Map();
  #ways: Map<string, readonly string[]> = new Map();
  #made = 0;

  /** All nodes go one state further. */
  tick(): void {
    for (const [uuid, node] of this.nodes) {
      const [next, ...rest] = this.#ways.get(uuid) ?? [];
      if (next !== undefined) this.#enter(uuid, next, rest);
      const power = node['target_power_state'];
      if (typeof power === 'string') {
        Object.assign(node, { power_state: power.replace('soft ', ''), target_power_state: null });
      }
    }
  }

  #enter(uuid: string, state: string, rest: readonly string[]): void {
    const node = this.nodes.get(uuid) ?? {};
    if (state === 'manageable' && node['provision_state'] === 'inspecting')
      this.inventories.set(uuid, { inventory: {} });
    Object.assign(node, { provision_state: state, target_provision_state: rest.at(-1) ?? null });
    this.#ways.set(uuid, rest);
  }

  call({ method, path, query = {}, body }: NodeRequest): Answer {
    const parts = path.split('/').slice(2).map(decodeURIComponent);
    const [collection, id, ...rest] = parts;
    if (collection === 'ports') return method === 'POST' ? this.#makePort(body as JsonObject) : this.#listPorts(query);
    if (id === undefined) return this.#enrol(body as JsonObject);
    const found = [...this.nodes.values()].find(({ uuid, name }) => uuid === id || name === id);
    if (found === undefined) return { status: 404, body: { error_message: 'no such node' } };
    return this.#callNode(found, method, rest.join('/'), body);
  }

  #callNode(node: Fields, method: string, part: string, body: Json | undefined): Answer {
    const uuid = String(node['uuid']);
    switch (`${method} ${part}`) {
      case 'GET ':
        return { status: 200, body: structuredClone(node) };
      case 'PATCH ':
        for (const operation of body as readonly JsonObject[]) patch(node, operation);
        return { status: 200, body: structuredClone(node) };
      case 'DELETE ':
        this.nodes.delete(uuid);
        this.ports.splice(0, this.ports.length, ...this.ports.filter((port) => port['node_uuid'] !== uuid));
        return { status: 204, body: null };
      case 'GET inventory': {
        const inventory = this.inventories.get(uuid);
        return inventory === undefined ? { status: 404, body: null } : { status: 200, body: inventory };
      }
      case 'GET firmware':
        return { status: 200, body: { firmware: [] } };
      case 'GET validate':
        return { status: 200, body: { boot: { result: true }, deploy: { result: true } } };
      case 'PUT states/provision':
        return this.#change(node, String((body as JsonObject)['target']));
      case 'PUT states/power':
        node['target_power_state'] = (body as JsonObject)['target'] ?? null;
        return { status: 202, body: null };
      case 'PUT states/raid':
        return { status: 204, body: null };
      case 'PUT maintenance':
      case 'DELETE maintenance':
        Object.assign(node, { maintenance: method === 'PUT', fault: null });
        return { status: 202, body: null };
      default:
        throw new Error(`the model knows no ${method} ${part}`);
    }
  }

  #change(node: Fields, target: string): Answer {
    const way = WAYS[target]?.[String(node['provision_state'])];
    if (way === undefined) return { status: 400, body: { error_message: `not ${target} now` } };
    const [first = '', ...rest] = way;
    this.#enter(String(node['uuid']), first, rest);
    return { status: 202, body: null };
  }

  #enrol(body: JsonObject): Answer {
    this.#made += 1;
    const uuid = uuidOfNode(this.#made);
    const node: Fields = {
      uuid,
      provision_state: 'enroll',
      target_provision_state: null,
      power_state: 'power off',
      target_power_state: null,
      maintenance: false,
      fault: null,
      last_error: null,
      automated_clean: null,
      instance_uuid: null,
      instance_info: {},
      ...structuredClone(body),
    };
    this.nodes.set(uuid, node);
    return { status: 201, body: structuredClone(node) };
  }

  #makePort(body: JsonObject): Answer {
    const port = { uuid: `port-${this.ports.length}`, ...body };
    this.ports.push(port);
    return { status: 201, body: port };
  }

  #listPorts({ node_uuid, address }: Readonly<Record<string, string>>): Answer {
    const found = this.ports.filter(
      (port) =>
        (node_uuid ?? port['node_uuid']) === port['node_uuid'] && (address ?? port['address']) === port['address'],
    );
    return { status: 200, body: { ports: found } };
  }
}

function patch(node: IronicNode, { op, path, value = null }: JsonObject): void {
  const names = String(path).split('/').slice(1);
  const last = names.pop() ?? '';
  const parent = names.reduce((at, name) => at[name] as Fields, node as Fields);
  if (op === 'remove') delete parent[last];
  else parent[last] = value;
}
