// What the API server may ask an adapter while it serves objects of its kinds: to convert them between versions of their API, and
// whether it may store them. Types only.
import type { JsonObject } from '../../bus/json.ts';
import type { Resource } from '../../machines/kind.ts';
import type { KubeObject } from '../../machines/object.ts';

/** JSON data; integers that no number holds are BigInts. */
export type Data = Readonly<Record<string, unknown>>;

/** Paths of one server: no two adapters of a process have the same. */
export interface Webhooks {
  readonly conversion?: ConversionWebhook;
  readonly admission?: AdmissionWebhook;
}

export interface ConversionWebhook {
  /** `/convert`. */
  readonly path: string;
  /** CustomResourceDefinitions, by name, that may lead there. They are told whom to trust, and nothing else of them is touched. */
  readonly definitions: readonly string[];
  /** The object in another version. Looks at nothing but the object, and gives the same answer for ever. */
  convert(object: unknown, desiredAPIVersion: string): ConvertedObject;
}

export type ConvertedObject =
  | { readonly kind: 'done'; readonly object: Data }
  /** For whoever asked, with the name of the object and nothing of its content. */
  | { readonly kind: 'failed'; readonly message: string };

export interface AdmissionWebhook {
  readonly paths: readonly string[];
  /** ValidatingWebhookConfigurations, by name, that may lead there, as definitions do. */
  readonly configurations: readonly string[];
  /** Those, as manifests for a Service of the cluster. */
  manifests(service: { readonly namespace: string; readonly name: string }): readonly JsonObject[];
  /** Kinds whose objects of all namespaces an answer may hang on. */
  readonly reads: readonly Resource[];
  /** @param review  the body of the request, as it was parsed */
  review(review: unknown, path: string, ports: ReviewPorts): Promise<ReviewReply>;
}

export interface ReviewPorts {
  /** Those of all namespaces, or of the ones that the process cares for. @throws as `KubeClient.call` */
  listObjects(resource: Resource): Promise<readonly KubeObject[]>;
}

/** The answer: an AdmissionReview with 200, or a Status that says why there is none. */
export interface ReviewReply {
  readonly status: number;
  readonly body: JsonObject;
}
