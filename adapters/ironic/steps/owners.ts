// Whose a node is, by the hosts of all namespaces as they are now.
import type { OperationRequest } from '../../../machines/kind.ts';
import type { IronicNode } from '../client/node-answer.ts';
import { askingFor, type IronicPorts, metal3Resource } from '../serving.ts';
import { hasBareName, isAnothers, isNamedAfter, namesakeOf } from './ownership.ts';
import type { Host } from './step-host.ts';

type Cluster = Pick<IronicPorts, 'listObjects' | 'readObject'>;

const HOSTS = metal3Resource('BareMetalHost', 'baremetalhosts');

/** Whether another living host has the node. Asked for nodes alone that lack the name of the host: all hosts are listed. */
export async function isOfAnother(
  { listObjects, readObject }: Cluster,
  host: Host,
  node: IronicNode,
): Promise<boolean> {
  if (isAnothers(host, node, (await listObjects(HOSTS)) as readonly Host[])) return true;
  // Its host may be in a namespace that this deployment does not manage.
  const namesake = namesakeOf(node);
  // mutant: host-takes-named-node return -> false
  return namesake !== undefined && (await readObject(HOSTS, namesake.namespace, namesake.name)) !== undefined;
}

/** Relation of a node to the host whose status was restored. A type, since an interface is not assignable to JSON. */
export type Recognition = {
  /** `unknown`: Ironic has no such node. */
  readonly node: 'own' | 'foreign' | 'unknown';
};

/** A status is anybody's words: the node itself says by its name whose it is. @param request.named  UUID of the node */
export async function recognize(
  { ironic, ...cluster }: Cluster & Pick<IronicPorts, 'ironic'>,
  { named, ...request }: Pick<OperationRequest, 'object' | 'deadlineAt' | 'traceparent'> & { readonly named: string },
): Promise<Recognition> {
  const host = request.object as Host;
  const node = await ironic.node(named, askingFor(request));
  if (node === undefined) return { node: 'unknown' };
  const isOwn = isNamedAfter(host, node) || (hasBareName(host, node) && !(await isOfAnother(cluster, host, node)));
  // mutant: host-believes-status return -> { node: 'own' }
  return { node: isOwn ? 'own' : 'foreign' };
}
