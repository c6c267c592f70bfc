// URLs that tenants specify and other systems connect to: checked before they are sent on.
import type { Foreign, ForeignReach } from '../../http/egress-policy.ts';
import { splitUrl } from './url-parts.ts';

const PORTS: Readonly<Record<string, number>> = { http: 80, https: 443 };

/** Why the first that may not be connected to may not; undefined: all may. What is no URL names no host. */
export async function foreignUrlProblem(
  reach: ForeignReach,
  what: Foreign,
  urls: readonly unknown[],
): Promise<string | undefined> {
  for (const url of urls) {
    const split = splitUrl(typeof url === 'string' ? url : '');
    if ('problem' in split || split.parts.hostname === '') continue;
    const { hostname, port, scheme } = split.parts;
    const problem = await reach.refusalOf(what, hostname, Number(port) || PORTS[scheme]);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
