// An operator of the cloud: whoever is no process of the runtime, and asks the same services.
import type { SimulatedCloud } from '../../../../adapters/simulated/openstack/mod.ts';
import type { JsonObject } from '../../../../bus/mod.ts';
import { urlOf } from '../../clouds.ts';
import { INNER, OUTER } from './families.ts';
import { pathOfResource } from './requests.ts';

/** Nova serves one version alone. */
const HEADERS = { 'openstack-api-version': 'compute 2.71' };

export class Operator {
  readonly #cloud: SimulatedCloud;

  constructor(cloud: SimulatedCloud) {
    this.#cloud = cloud;
  }

  /** A network with addresses of its own, one inside, and a router between them, as floating IPs need them. */
  open(namespace: string): void {
    const [outer, inner] = [`${OUTER}-${namespace}`, `${INNER}-${namespace}`];
    const outerId = this.#make('networks', 'network', { name: outer, 'router:external': true });
    this.#make('subnets', 'subnet', { name: outer, network_id: outerId, ip_version: 4, cidr: '203.0.113.0/24' });
    const innerId = this.#make('networks', 'network', { name: inner });
    const subnet = { name: inner, network_id: innerId, ip_version: 4, cidr: '10.90.0.0/24' };
    const subnetId = this.#make('subnets', 'subnet', subnet);
    const router = { name: outer, external_gateway_info: { network_id: outerId } };
    const routerId = this.#make('routers', 'router', router);
    const { status } = this.#ask('network', 'PUT', `/routers/${routerId}/add_router_interface`, {
      subnet_id: subnetId,
    });
    if (status >= 300) throw new Error(`the cloud answered ${status} to an operator's router interface`);
  }

  /** @returns whether the cloud did it: what is in use it may not remove */
  remove(kind: string, id: string): boolean {
    const { service, path } = pathOfResource(kind, id);
    return this.#ask(service, 'DELETE', path).status < 300;
  }

  #make(collection: string, member: string, attributes: JsonObject): string {
    const { status, body } = this.#ask('network', 'POST', `/${collection}`, { [member]: attributes });
    const made = (body as Readonly<Record<string, { readonly id: string }>> | undefined)?.[member];
    if (status !== 201 || made === undefined)
      throw new Error(`the cloud answered ${status} to an operator's ${member}`);
    return made.id;
  }

  #ask(service: string, method: string, path: string, body?: JsonObject): { status: number; body?: unknown } {
    const cloud = this.#cloud;
    const send = (where: string, how: string, headers: Readonly<Record<string, string>>, what?: JsonObject) => {
      const request = cloud.parse(how, where, headers, what === undefined ? '' : JSON.stringify(what));
      return request === undefined ? { status: 404 } : cloud.answer(request);
    };
    const user = { name: 'admin', password: 'secret', domain: { id: 'default' } };
    const auth = {
      identity: { methods: ['password'], password: { user } },
      scope: { project: { id: cloud.projectId } },
    };
    const { headers } = send(urlOf('identity', '/auth/tokens', cloud.projectId), 'POST', {}, { auth }) as {
      readonly headers?: Readonly<Record<string, string>>;
    };
    const token = headers?.['X-Subject-Token'] ?? '';
    return send(urlOf(service, path, cloud.projectId), method, { ...HEADERS, 'x-auth-token': token }, body);
  }
}
