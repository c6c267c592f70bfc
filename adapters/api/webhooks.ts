// Webhooks of an adapter for objects of its kinds: conversion between API versions, and admission. Types only.
import type { JsonObject } from '../../bus/json.ts';
import type { Resource } from '../../machines/kind.ts';
import type { KubeObject } from '../../machines/object.ts';

/** JSON data; integers that no number holds are BigInts. */
export type Data = Readonly<Record<string, unknown>>;

/** Paths of one server: no two adapters of a process have the same. */
export interface Webhooks {
  /** Conversion between API versions. */
  readonly conversion?: ConversionWebhook;
  /** Judgment of objects before they are stored. */
  readonly admission?: AdmissionWebhook;
}

/** Webhook that converts objects between API versions. */
export interface ConversionWebhook {
  /** `/convert`. */
  readonly path: string;
  /** Names of CustomResourceDefinitions that may call the webhook. Only the trusted authority is written into them. */
  readonly definitions: readonly string[];
  /** The object in another version. Looks at nothing but the object, and gives the same answer for ever. */
  convert(object: unknown, desiredAPIVersion: string): ConvertedObject;
}

/** Result of a conversion. */
export type ConvertedObject =
  | { readonly kind: 'done'; readonly object: Data }
  /** Error for the client, with the name of the object and nothing of its content. */
  | { readonly kind: 'failed'; readonly message: string };

/** Webhook that judges objects before they are stored. */
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

/** Dependencies of a review. */
export interface ReviewPorts {
  /** Reads the objects of all namespaces, or of the managed ones. @throws as `KubeClient.call` */
  listObjects(resource: Resource): Promise<readonly KubeObject[]>;
}

/** The answer: an AdmissionReview with 200, or a Status that says why there is none. */
export interface ReviewReply {
  readonly status: number;
  readonly body: JsonObject;
}
