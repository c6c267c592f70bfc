// The small model of the samples: `troupe demo` serves it, and `troupe dev` where no models are named.
import { fileURLToPath } from 'node:url';
import type { ModelPlace } from '../process/load-models.ts';

export const SMALL_MODEL: ModelPlace = {
  roots: [fileURLToPath(new URL('../../deploy/samples/company-api/models', import.meta.url))],
  bindings: undefined,
};

/** Lines for people who want to try it. @param url  of its server */
export function smallModelUsage(url: string): readonly string[] {
  return [
    `export TROUPE_MODELS=${SMALL_MODEL.roots[0]}   # for the commands of troupe`,
    `curl --json '{"id": "north", "enabled": true}' ${url}/api/fleet/v1/regions   # 'kubectl get regions' lists it`,
    `${url}/docs   # a small model over HTTP, in the browser`,
  ];
}
