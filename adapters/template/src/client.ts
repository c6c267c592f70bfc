// The HTTP API of the service, as the operations ask it.
import {
  type Json,
  type JsonClientDeps,
  jsonClient,
  type KubeObject,
  type ServePorts,
  secretText,
} from 'troupe/adapter';

/** A Lamp as the service has it. */
export interface Lamp {
  readonly id: string;
  readonly name: string;
  readonly watts: number;
  readonly behind?: string;
}

export interface LightingRequest {
  readonly object: KubeObject;
  readonly deadlineAt: number;
  readonly traceparent: string;
}

export type LightingClient = (
  request: LightingRequest,
  method: string,
  path: string,
  body?: Json,
) => Promise<Json | undefined>;

export function lightingClient(
  deps: Omit<JsonClientDeps, 'service'> & Pick<ServePorts, 'readSecret'> & { readonly url: string },
): LightingClient {
  const call = jsonClient({ ...deps, service: 'lighting' });
  return async (request, method, path, body) => {
    // Read for each call: a replaced token needs no restart.
    const token = await secretText(deps, request.object, 'tokenRef', 'token');
    const headers = { authorization: `Bearer ${token}` };
    return call({ method, url: new URL(path, deps.url), headers, request, ...(body !== undefined && { body }) });
  };
}
