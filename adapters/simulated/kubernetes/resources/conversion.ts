// Types of conversions between the versions of a definition: the converter, and its outcome.

import type { ApiError } from '../base/api-error.ts';
import type { KubeObject } from '../base/kube-object.ts';
import type { Schema } from '../schemas/schema.ts';

/** Makes the object one of another `apiVersion`. May change and return what it is given. */
export type Convert = (object: KubeObject, apiVersion: string) => KubeObject;

/** The versions of a definition, by `apiVersion`. */
export interface Versions {
  /** Version in which new objects are stored. */
  readonly storage: string;
  readonly schemas: ReadonlyMap<string, Schema>;
  readonly convert: Convert;
  /** The converter, when it takes more than another `apiVersion`. */
  readonly webhook: ConversionWebhook | undefined;
}

export interface Need {
  readonly object: KubeObject;
  /** The wanted version. */
  readonly apiVersion: string;
}

/** The outcome for one object. */
export type Outcome =
  | { readonly kind: 'done'; readonly object: KubeObject }
  | { readonly kind: 'failed'; readonly error: ApiError };

export interface ConversionWebhook {
  /** One outcome for each object, in their order. Never rejects. */
  convert(objects: readonly KubeObject[], apiVersion: string): Promise<Outcome[]>;
  /** Results that lists and watches remember between requests. */
  readonly remembered: Conversions;
}

/** Results of conversions. */
export interface Conversions {
  /** @throws {ConversionNeeded} there is no result yet; {ApiError} the conversion failed */
  readonly convert: Convert;
  /** Asks for what is needed; resolves when there are results. */
  fetch(needs: readonly Need[], webhook: ConversionWebhook): Promise<void>;
}
