// The simulated Nova: routes, and the one microversion that it speaks.
import { keystoneRefusal, Refusal, type Reply, type SimulatedRequest, UNAUTHENTICATED } from './exchange.ts';
import { novaRefusal } from './nova-answers.ts';
import { flavors } from './nova-flavors.ts';
import { keyPairs } from './nova-key-pairs.ts';
import type { NovaCollection, NovaDeps } from './nova-resource.ts';
import { serverGroups } from './nova-server-groups.ts';
import { servers } from './nova-servers.ts';

const MICROVERSION = '2.71';
const NAMES = { now: 'openstack-api-version', before: 'x-openstack-nova-api-version' } as const;

/** Makes the handler of all requests below `/v2.1`. */
export function nova(deps: NovaDeps): (request: SimulatedRequest) => Reply {
  const collections: Readonly<Record<string, NovaCollection>> = {
    flavors: flavors(deps),
    'os-keypairs': keyPairs(deps),
    'os-server-groups': serverGroups(deps),
    servers: servers(deps),
  };
  return (request) => {
    const reply = answer(request, collections, deps);
    const headers = {
      'OpenStack-API-Version': `compute ${MICROVERSION}`,
      'X-OpenStack-Nova-API-Version': MICROVERSION,
      Vary: 'OpenStack-API-Version, X-OpenStack-Nova-API-Version',
      ...reply.headers,
    };
    return { ...reply, headers };
  };
}

function answer(
  request: SimulatedRequest,
  collections: Readonly<Record<string, NovaCollection>>,
  { tokens }: NovaDeps,
): Reply {
  try {
    const speaker = tokens.find(String(request.headers['x-auth-token']));
    if (speaker === undefined) throw keystoneRefusal(401, UNAUTHENTICATED);
    checkVersion(request);
    const [name = ''] = request.segments;
    const serve = Object.hasOwn(collections, name) ? collections[name] : undefined;
    if (serve === undefined) throw novaRefusal(404, 'The resource could not be found.');
    return serve(request, speaker);
  } catch (error) {
    if (error instanceof Refusal) return error.reply;
    throw error;
  }
}

/** The only microversion that this simulator supports; a request without a version is not served as the first would be. */
function checkVersion({ headers }: SimulatedRequest): void {
  const asked = /^compute (\S+)$/.exec(String(headers[NAMES.now] ?? ''))?.[1] ?? String(headers[NAMES.before] ?? '2.1');
  if (asked === MICROVERSION) return;
  const offered = `Minimum is ${MICROVERSION} and maximum is ${MICROVERSION}.`;
  throw novaRefusal(406, `Version ${asked} is not supported by the API. ${offered}`);
}
