// The small model of the samples: `troupe demo` serves it, and `troupe dev` where no models are named.
import { fileURLToPath } from 'node:url';
import { shellWord } from '../../adapters/text/shell-word.ts';
import type { ModelPlace } from '../process/load-models.ts';
import type { Gateway } from '../process/run.ts';

export const SMALL_MODEL: ModelPlace = {
  roots: [fileURLToPath(new URL('../../deploy/samples/company-api/models', import.meta.url))],
  bindings: undefined,
};

/** Lines for people who want to try it. */
export function smallModelUsage({ url, curl }: Pick<Gateway, 'url' | 'curl'>): readonly string[] {
  return [
    `export TROUPE_MODELS=${SMALL_MODEL.roots.map(shellWord).join()}   # for the commands of troupe`,
    `${curl} --json '{"id": "north", "enabled": true}' ${url}/api/fleet/v1/regions   # 'kubectl get regions' lists it`,
    `${url}/docs   # a small model over HTTP, in the browser`,
  ];
}
