// Images that a host boots from or finds at boot: PreprovisioningImage and DataImage.
import type { Condition, ImageFormat } from './shapes.ts';

export interface PreprovisioningImageSpec {
  readonly acceptFormats?: readonly ImageFormat[];
  readonly architecture?: string;
  readonly networkDataName?: string;
}

export interface PreprovisioningImageStatus {
  readonly architecture?: string;
  readonly conditions?: readonly Condition[];
  readonly extraKernelParams?: string;
  readonly format?: ImageFormat;
  readonly imageUrl?: string;
  readonly kernelUrl?: string;
  readonly networkData?: SecretStatus;
}

/** `version`: the resourceVersion that the Secret had. */
export interface SecretStatus {
  readonly name?: string;
  readonly version?: string;
}

export interface DataImageSpec {
  readonly url: string;
}

export interface DataImageStatus {
  readonly attachedImage?: AttachedImageReference;
  readonly error?: DataImageError;
  readonly lastReconciled?: string;
}

export interface AttachedImageReference {
  readonly url: string;
}

export interface DataImageError {
  readonly count: number;
  readonly message: string;
}
