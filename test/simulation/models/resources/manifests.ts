// The objects of a history: who refers to whom, and how each is written down.
import type { JsonObject } from '../../../../bus/mod.ts';
import type { Draw } from '../../draw.ts';
import type { Named } from '../../misfortunes.ts';
import { BY_KIND, isPress } from './kinds.ts';

export const SECRET = 'clouds';
const CLOUD = 'openstack';

/** An object as a plan names it; a later one of the same name may be another. */
export interface Planned extends Named {
  /** `spec.resource`, or the whole spec of an interface, or of what the print shop makes. */
  readonly resource: JsonObject;
  /** In place of a resource: it exists already. */
  readonly filter?: JsonObject;
  readonly onDelete?: 'detach';
  readonly secret?: string;
  /** In which users write it; the one that is stored unless stated. */
  readonly version?: string;
}

export const pluralOf = (kind: string): string => `${kind.toLowerCase()}s`;

export function pathOf({
  kind,
  namespace,
  name,
  version,
}: Pick<Planned, 'kind' | 'namespace' | 'version'> & { name?: string }): string {
  const apiVersion = apiVersionOf({ kind, ...(version !== undefined && { version }) });
  const root = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
  return `${root}/namespaces/${namespace}/${pluralOf(kind)}${name === undefined ? '' : `/${name}`}`;
}

function apiVersionOf({ kind, version }: Pick<Planned, 'kind' | 'version'>): string {
  const known = BY_KIND.get(kind);
  return known === undefined ? 'v1' : `${known.group}/${version ?? known.version}`;
}

export function manifestOf(planned: Planned): JsonObject {
  const { kind, namespace, name, resource, filter, onDelete, secret = SECRET } = planned;
  const head = { apiVersion: apiVersionOf(planned), kind, metadata: { name, namespace } };
  if (kind === 'Secret') return { ...head, data: resource };
  if (kind === 'RouterInterface' || isPress(planned)) return { ...head, spec: resource };
  return {
    ...head,
    spec: {
      cloudCredentialsRef: { secretName: secret, cloudName: CLOUD },
      ...(filter === undefined ? { resource } : { managementPolicy: 'unmanaged', import: { filter } }),
      ...(onDelete !== undefined && { managedOptions: { onDelete } }),
    },
  };
}

/** The objects of one namespace, in no order that matters. `place` tells namespaces apart in the one cloud. */
export function landscape(draw: Draw, namespace: string, place: number): readonly Planned[] {
  const planned: Planned[] = [];
  const add = (kind: string, name: string, resource: JsonObject, more: Partial<Planned> = {}): string => {
    planned.push({ kind, namespace, name: `${name}-${namespace}`, resource, ...more });
    return `${name}-${namespace}`;
  };
  const count = (atLeast: number, atMost: number): number => atLeast + draw.below(atMost - atLeast + 1);
  const projects: string[] = [];
  if (draw.chance(0.3)) add('Domain', 'domain', { enabled: false });
  if (draw.chance(0.4)) {
    const domain = draw.chance(0.6) ? add('Domain', 'home', {}, { filter: { name: 'Default' } }) : undefined;
    projects.push(add('Project', 'project', domain === undefined ? {} : { domainRef: domain }));
  }
  const inProject = (): JsonObject =>
    draw.chance(0.5) && projects[0] !== undefined ? { projectRef: projects[0] } : {};
  const detached = (): Partial<Planned> => (draw.chance(0.05) ? { onDelete: 'detach' } : {});
  const outside = draw.chance(0.25)
    ? add('Network', 'outside', {}, { filter: { name: `outside-${namespace}` } })
    : undefined;
  const routers = Array.from({ length: draw.chance(0.15) ? 2 : count(0, 1) }, (_, index) =>
    add('Router', `router${index}`, {
      ...(outside !== undefined && draw.chance(0.7) && { externalGateways: [{ networkRef: outside }] }),
      ...inProject(),
    }),
  );
  const groups = Array.from({ length: draw.chance(0.15) ? 2 : count(0, 1) }, (_, index) =>
    add('SecurityGroup', `group${index}`, {
      ...inProject(),
      ...(draw.chance(0.6) && { rules: [{ direction: 'ingress', ethertype: 'IPv4', protocol: 'tcp' }] }),
    }),
  );
  const [networks, ofSubnets, ofPorts] = [count(1, 2), count(0, 2), count(0, 2)];
  for (let index = 0; index < networks; index++) {
    const network = add('Network', `net${index}`, { ...inProject(), description: 'first' }, detached());
    const subnets: string[] = [];
    for (let part = 0; part < ofSubnets; part++) {
      const own = routers.length > 0 && draw.chance(0.4);
      const subnet = add('Subnet', `sub${index}-${part}`, {
        networkRef: network,
        ipVersion: 4,
        cidr: `10.${place}.${index * 10 + part}.0/24`,
        ...(own && { routerRef: draw.pick(routers) }),
      });
      subnets.push(subnet);
      if (!own && routers.length > 0 && draw.chance(0.5))
        add('RouterInterface', `plug${index}-${part}`, {
          type: 'Subnet',
          routerRef: draw.pick(routers),
          subnetRef: subnet,
        });
    }
    for (let part = 0; part < ofPorts; part++) {
      add('Port', `port${index}-${part}`, {
        networkRef: network,
        ...inProject(),
        ...(subnets.length > 0 && draw.chance(0.7) && { addresses: [{ subnetRef: draw.pick(subnets) }] }),
        ...(groups.length > 0 && draw.chance(0.6) && { securityGroupRefs: [draw.pick(groups)] }),
      });
    }
  }
  return planned;
}
