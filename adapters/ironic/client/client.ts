// Ironic's REST API: one client for all hosts of an Ironic. Each call is a row of `ENDPOINTS`, typed.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { AbsentError, UnknownOutcomeError } from '../../../bus/errors.ts';
import type { CallLoad } from '../../api/adapter.ts';
import { ENDPOINTS, type Endpoint, endpointOf, pathOf } from './endpoints.ts';
import {
  type Inventory,
  inventoryIn,
  type Node,
  type NodeField,
  nodeFields,
  nodeIn,
  objectsIn,
  type PatchOperation,
  type Port,
  portIn,
  type Validation,
  type VirtualMedium,
  validationIn,
  virtualMediumIn,
} from './node.ts';
import {
  type Asking,
  type IronicAnswer,
  IronicSession,
  type IronicSessionDeps,
  type Readiness,
  type RequestParameters,
} from './session.ts';
import { type Subscription, subscriptionIdsIn, subscriptionIn } from './subscriptions.ts';

/** One request, as a decision writes it down. */
export interface IronicRequest {
  readonly method: Endpoint['method'];
  /** From `/v1` on. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Json;
}

/**
 * Calls to Ironic. All of them throw, beside what they say:
 *
 * - {BusyError} 409: the node is held; `retryAfterMs` is the short pause
 * - {AbsentError} 404, said by Ironic of what the call is about
 * - {TerminalError} 400: refused as it is; or Ironic lacks the feature; or an argument is no uuid or name
 * - {TransientError} 401 and 403 (`fault` is `credentials`), 5xx and any other status; nothing was sent
 * - {UnknownOutcomeError} no answer by the deadline or the timeout, or before the connection broke: it may be done
 */
export interface IronicClient {
  /**
   * Whether Ironic can be used: it answers, in a version that fits, and has a driver. Kept for a while.
   *
   * @throws {NotReadyError} it cannot; `retryAfterMs` says when to look again
   */
  ready(asking: Asking): Promise<Readiness>;
  /**
   * Sends a request of the table. All pages of a paged list are returned, unless the query has a `limit`. `refusalIn`
   * interprets error responses.
   */
  call(request: IronicRequest, asking: Asking): Promise<IronicAnswer>;

  createNode(node: JsonObject, asking: Asking): Promise<Node>;
  /** @param ident  uuid or name @returns undefined: Ironic says that there is none */
  node(ident: string, asking: Asking): Promise<Node | undefined>;
  /** All nodes, page by page. @param fields  fields of each node; the uuid is always included */
  nodePages(fields: readonly NodeField[] | 'all', asking: Asking): AsyncGenerator<readonly Node[], void>;
  patchNode(ident: string, patch: readonly PatchOperation[], asking: Asking): Promise<Node>;
  deleteNode(ident: string, asking: Asking): Promise<void>;
  validateNode(ident: string, asking: Asking): Promise<Validation>;
  /** @param state  `target`, and what goes with it: `configdrive`, `clean_steps`, `deploy_steps`, `service_steps` */
  setProvisionState(ident: string, state: JsonObject & { readonly target: string }, asking: Asking): Promise<void>;
  /** @param state.timeout  of a soft power off, in seconds */
  setPowerState(
    ident: string,
    state: { readonly target: string; readonly timeout?: number },
    asking: Asking,
  ): Promise<void>;
  setRaid(ident: string, logicalDisks: readonly JsonObject[], asking: Asking): Promise<void>;
  setMaintenance(ident: string, reason: string, asking: Asking): Promise<void>;
  clearMaintenance(ident: string, asking: Asking): Promise<void>;
  /** @returns undefined: the node was never inspected */
  inventory(ident: string, asking: Asking): Promise<Inventory | undefined>;
  /** BIOS settings with all that Ironic reports of each. */
  biosSettings(ident: string, asking: Asking): Promise<readonly JsonObject[]>;
  firmwareComponents(ident: string, asking: Asking): Promise<readonly JsonObject[]>;
  /** Errors and events, the oldest first: some failures appear only here. */
  history(ident: string, asking: Asking): Promise<readonly JsonObject[]>;
  virtualMedia(ident: string, asking: Asking): Promise<readonly VirtualMedium[]>;
  attachVirtualCd(ident: string, imageUrl: string, asking: Asking): Promise<void>;
  detachVirtualCd(ident: string, asking: Asking): Promise<void>;
  /** @param subscription  `Destination`, `Context`, `HttpHeaders` @returns its id at the BMC */
  createSubscription(ident: string, subscription: JsonObject, asking: Asking): Promise<string>;
  /** Ids of all subscriptions of the BMC, including those of others. */
  subscriptions(ident: string, asking: Asking): Promise<readonly string[]>;
  /** @returns undefined: Ironic says that there is none */
  subscription(ident: string, id: string, asking: Asking): Promise<Subscription | undefined>;
  deleteSubscription(ident: string, id: string, asking: Asking): Promise<void>;
  ports(of: { readonly nodeUuid: string } | { readonly address: string }, asking: Asking): Promise<readonly Port[]>;
  createPort(
    port: { readonly node_uuid: string; readonly address: string; readonly pxe_enabled: boolean },
    asking: Asking,
  ): Promise<Port>;

  /** Calls now. */
  load(): CallLoad;
  /** Ends all connections; calls that are running fail. */
  close(): Promise<void>;
}

/** Nodes that are asked for at a time. */
const PAGE_SIZE = 500;
const PORT_FIELDS = 'node_uuid,uuid,address';

/** Makes the client of one Ironic; nothing is opened before the first call. The caller must close it. */
export function ironicClient(deps: IronicSessionDeps): IronicClient {
  return new Client(new IronicSession(deps));
}

class Client implements IronicClient {
  readonly #session: IronicSession;

  constructor(session: IronicSession) {
    this.#session = session;
  }

  ready(asking: Asking): Promise<Readiness> {
    return this.#session.ready(asking);
  }

  async call({ method, path, query, body }: IronicRequest, asking: Asking): Promise<IronicAnswer> {
    const endpoint = endpointOf(method, path);
    const search = new URLSearchParams(query);
    const { pages: key } = endpoint;
    if (key === undefined || search.has('limit')) {
      const text = search.size === 0 ? undefined : String(search);
      return this.#session.ask(endpoint, path, { query: text, body }, asking);
    }
    const all: JsonObject[] = [];
    for await (const page of this.#session.pages(endpoint, search, asking)) for (const item of page) all.push(item);
    return { status: 200, body: { [key]: all } };
  }

  async createNode(node: JsonObject, asking: Asking): Promise<Node> {
    const { body } = await this.#send(ENDPOINTS.createNode, undefined, { body: node }, asking);
    return nodeIn(body);
  }

  async node(ident: string, asking: Asking): Promise<Node | undefined> {
    const answer = await unlessAbsent(this.#send(ENDPOINTS.getNode, ident, {}, asking));
    return answer === undefined ? undefined : nodeIn(answer.body);
  }

  async *nodePages(fields: readonly NodeField[] | 'all', asking: Asking): AsyncGenerator<readonly Node[], void> {
    const { features } = await this.#session.choice(asking);
    const reported = fields === 'all' ? nodeFields(features) : [...new Set<NodeField>(['uuid', ...fields])];
    const query = new URLSearchParams({ fields: reported.join(','), limit: String(PAGE_SIZE) });
    for await (const page of this.#session.pages(ENDPOINTS.listNodes, query, asking)) {
      yield page.map((node) => nodeIn(node));
    }
  }

  async patchNode(ident: string, patch: readonly PatchOperation[], asking: Asking): Promise<Node> {
    const body = patch as readonly (PatchOperation & JsonObject)[];
    return nodeIn((await this.#send(ENDPOINTS.patchNode, ident, { body }, asking)).body);
  }

  async deleteNode(ident: string, asking: Asking): Promise<void> {
    await this.#send(ENDPOINTS.deleteNode, ident, {}, asking);
  }

  async validateNode(ident: string, asking: Asking): Promise<Validation> {
    return validationIn((await this.#send(ENDPOINTS.validateNode, ident, {}, asking)).body);
  }

  async setProvisionState(ident: string, state: JsonObject, asking: Asking): Promise<void> {
    await this.#send(ENDPOINTS.setProvisionState, ident, { body: state }, asking);
  }

  async setPowerState(ident: string, state: { target: string; timeout?: number }, asking: Asking): Promise<void> {
    await this.#send(ENDPOINTS.setPowerState, ident, { body: state }, asking);
  }

  async setRaid(ident: string, logicalDisks: readonly JsonObject[], asking: Asking): Promise<void> {
    await this.#send(ENDPOINTS.setRaid, ident, { body: { logical_disks: logicalDisks } }, asking);
  }

  async setMaintenance(ident: string, reason: string, asking: Asking): Promise<void> {
    await this.#send(ENDPOINTS.setMaintenance, ident, { body: { reason } }, asking);
  }

  async clearMaintenance(ident: string, asking: Asking): Promise<void> {
    await this.#send(ENDPOINTS.clearMaintenance, ident, {}, asking);
  }

  async inventory(ident: string, asking: Asking): Promise<Inventory | undefined> {
    const answer = await unlessAbsent(this.#send(ENDPOINTS.getInventory, ident, {}, asking));
    return answer === undefined ? undefined : inventoryIn(answer.body);
  }

  async biosSettings(ident: string, asking: Asking): Promise<readonly JsonObject[]> {
    const { body } = await this.#send(ENDPOINTS.listBiosSettings, ident, { query: 'detail=true' }, asking);
    return objectsIn(body['bios']);
  }

  async firmwareComponents(ident: string, asking: Asking): Promise<readonly JsonObject[]> {
    return objectsIn((await this.#send(ENDPOINTS.listFirmware, ident, {}, asking)).body['firmware']);
  }

  async history(ident: string, asking: Asking): Promise<readonly JsonObject[]> {
    const { body } = await this.#send(ENDPOINTS.listHistory, ident, { query: 'detail=true' }, asking);
    return objectsIn(body['history']);
  }

  async virtualMedia(ident: string, asking: Asking): Promise<readonly VirtualMedium[]> {
    const { items } = await this.#send(ENDPOINTS.listVirtualMedia, ident, {}, asking);
    return objectsIn(items).map(virtualMediumIn);
  }

  async attachVirtualCd(ident: string, imageUrl: string, asking: Asking): Promise<void> {
    const body = { device_type: 'cdrom', image_url: imageUrl };
    await this.#send(ENDPOINTS.attachVirtualMedia, ident, { body }, asking);
  }

  async detachVirtualCd(ident: string, asking: Asking): Promise<void> {
    await this.#send(ENDPOINTS.detachVirtualMedia, ident, { query: 'device_types=cdrom' }, asking);
  }

  async createSubscription(ident: string, subscription: JsonObject, asking: Asking): Promise<string> {
    const request = { query: 'method=create_subscription', body: subscription };
    const { body } = await this.#send(ENDPOINTS.createSubscription, ident, request, asking);
    const id = body['Id'];
    if (typeof id !== 'string' || id === '') throw new UnknownOutcomeError('the answer holds no Id of a subscription');
    return id;
  }

  async subscriptions(ident: string, asking: Asking): Promise<readonly string[]> {
    const request = { query: 'method=get_all_subscriptions' };
    return subscriptionIdsIn((await this.#send(ENDPOINTS.listSubscriptions, ident, request, asking)).body);
  }

  async subscription(ident: string, id: string, asking: Asking): Promise<Subscription | undefined> {
    // Ironic reads the parameters from the body alone, of a GET too.
    const request = { query: 'method=get_subscription', body: { id } };
    const answer = await unlessAbsent(this.#send(ENDPOINTS.getSubscription, ident, request, asking));
    return answer === undefined ? undefined : subscriptionIn(answer.body);
  }

  async deleteSubscription(ident: string, id: string, asking: Asking): Promise<void> {
    const request = { query: 'method=delete_subscription', body: { id } };
    await this.#send(ENDPOINTS.deleteSubscription, ident, request, asking);
  }

  async ports(
    of: { readonly nodeUuid: string } | { readonly address: string },
    asking: Asking,
  ): Promise<readonly Port[]> {
    const query = new URLSearchParams({ fields: PORT_FIELDS });
    if ('address' in of) query.set('address', of.address);
    else query.set('node_uuid', of.nodeUuid);
    const all: Port[] = [];
    for await (const page of this.#session.pages(ENDPOINTS.listPorts, query, asking)) {
      for (const port of page) all.push(portIn(port));
    }
    return all;
  }

  async createPort(port: JsonObject, asking: Asking): Promise<Port> {
    return portIn((await this.#send(ENDPOINTS.createPort, undefined, { body: port }, asking)).body);
  }

  load(): CallLoad {
    return this.#session.load;
  }

  close(): Promise<void> {
    return this.#session.close();
  }

  async #send(
    endpoint: Endpoint,
    ident: string | undefined,
    given: RequestParameters,
    asking: Asking,
  ): Promise<IronicAnswer> {
    const path = ident === undefined ? endpoint.path : pathOf(endpoint, ident);
    return this.#session.ask(endpoint, path, given, asking);
  }
}

async function unlessAbsent<T>(asking: Promise<T>): Promise<T | undefined> {
  try {
    return await asking;
  } catch (error) {
    if (error instanceof AbsentError) return undefined;
    throw error;
  }
}
