// Lookups for PreprovisioningImages: the version of their network data. No request is sent to Ironic.
import type { OperationRequest } from '../../../machines/kind.ts';
import { type Built, builtImage } from '../host/image-builder.ts';
import type { PreprovisioningImage } from '../host/preprovisioning.ts';
import { textOf } from '../json-values.ts';
import type { IronicPorts } from '../serving.ts';

/** A type, as an interface would be no table. */
export type PreprovisioningImageOperations = {
  /** The status of the image as it is wanted now. */
  build(request: OperationRequest): Promise<Built>;
};

export function preprovisioningImageOperations({
  clock,
  options,
  readSecret,
}: Pick<IronicPorts, 'clock' | 'readSecret'> & {
  readonly options: Pick<IronicPorts['options'], 'deploy'>;
}): PreprovisioningImageOperations {
  return {
    async build({ object }) {
      const name = textOf(object.spec?.['networkDataName']);
      const secret = name === '' ? undefined : await readSecret(object.metadata.namespace ?? '', name);
      const known = secret && { name, resourceVersion: secret.resourceVersion };
      return builtImage(object as PreprovisioningImage, known, { images: options.deploy, now: clock.now() });
    },
  };
}
