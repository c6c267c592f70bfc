// The simulated Cinder: volumes, and the types that they are of.
import { type CinderDeps, serveTypes } from './cinder-types.ts';
import { proceedVolumes, serveVolumes } from './cinder-volumes.ts';
import { faultRefusal, type Reply, type SimulatedRequest } from './exchange.ts';
import { absent, speakerOf } from './storage-lists.ts';

/** Makes the handler of all requests below `/v3/<project>`. */
export function cinder(deps: CinderDeps): (request: SimulatedRequest) => Reply {
  return (request) => {
    const speaker = speakerOf(request, deps.tokens);
    if (!request.baseUrl.endsWith(`/${speaker.projectId}`)) throw faultRefusal(400, 'Malformed request url');
    switch (request.segments[0]) {
      case 'volumes':
        return serveVolumes(request, speaker, deps);
      case 'types':
        // A volume that was removed meanwhile uses no type.
        proceedVolumes(deps.store);
        return serveTypes(request, deps);
      default:
        throw absent();
    }
  };
}
