// ConversionReview: what a conversion webhook is asked, and what of its answer is taken.
//
// Invariants:
//   KSIM-REVIEW-1. Of the metadata an answer may change labels and annotations only: an answer that changes name, namespace or uid is
//       refused, and the rest is what it was.
import { jsonText, parseJson } from '../../../text/exact-json.ts';
import { copy, dig, isList, isMap, type JsonMap, mapOf, same, stringOf } from '../../../text/json.ts';
import { aggregate } from '../base/field-error.ts';
import { goType } from '../base/go-values.ts';
import type { KubeObject } from '../base/kube-object.ts';
import { annotationErrors, labelErrors } from '../resources/metadata.ts';

const GROUP = 'apiextensions.k8s.io';

/** The versions of reviews that are spoken. */
export const REVIEW_VERSIONS: readonly string[] = ['v1', 'v1beta1'];

/** An answer that is none, or that says no. The message follows `conversion webhook for ... `. */
export class ReviewError extends Error {
  override name = 'ReviewError';
}

export function reviewOf(
  version: string,
  uid: string,
  objects: readonly KubeObject[],
  desiredAPIVersion: string,
): JsonMap {
  return {
    kind: 'ConversionReview',
    apiVersion: `${GROUP}/${version}`,
    request: { uid, desiredAPIVersion, objects },
    response: { uid: '', convertedObjects: null, result: { metadata: {} } },
  };
}

/**
 * The objects of an answer.
 *
 * @param text  the body of the answer
 * @throws {ReviewError} `failed: ...`
 */
export function objectsOf(text: string, version: string, uid: string): unknown[] {
  const review = reviewFrom(text, version);
  const { response } = review;
  if (!isMap(response)) throw new ReviewError('failed: no response provided');
  if (version === 'v1' && response['uid'] !== uid) {
    const got = JSON.stringify(stringOf(response['uid']));
    throw new ReviewError(`failed: expected response.uid=${JSON.stringify(uid)}, got ${got}`);
  }
  const status = stringOf(dig(response, 'result', 'status'));
  if (status !== 'Success') {
    const message = stringOf(dig(response, 'result', 'message'));
    throw new ReviewError(`failed: ${message || `response.result.status was '${status}', not 'Success'`}`);
  }
  const objects = response['convertedObjects'];
  return isList(objects) ? objects : [];
}

function reviewFrom(text: string, version: string): JsonMap {
  let review: unknown;
  try {
    review = parseJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  if (!isMap(review)) {
    const got = review === undefined ? 'string' : isList(review) ? 'array' : typeof review;
    const struct =
      'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
    throw new ReviewError(
      `failed: couldn't get version/kind; json parse error: json: cannot unmarshal ${got} into Go value of type ${struct}`,
    );
  }
  const [apiVersion, kind] = [stringOf(review['apiVersion']), stringOf(review['kind'])];
  const expected = `${GROUP}/${version}`;
  if (version !== 'v1' || (apiVersion === expected && kind === 'ConversionReview')) return review;
  if (apiVersion === '' && kind === '') {
    const asked = `${expected}, Kind=ConversionReview`;
    throw new ReviewError(`failed: expected webhook response of ${asked}, got /, Kind=`);
  }
  if (kind === 'ConversionReview' && REVIEW_VERSIONS.some((one) => apiVersion === `${GROUP}/${one}`)) {
    const got = apiVersion.slice(GROUP.length + 1);
    throw new ReviewError(
      `failed: converting (${got}.ConversionReview) to (${version}.ConversionReview): unknown conversion`,
    );
  }
  const of = `${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`;
  throw new ReviewError(`failed: no kind ${of} in scheme "pkg/runtime/scheme.go:111"`);
}

/**
 * One object of an answer, checked against what was sent, with the metadata it may have (KSIM-REVIEW-1).
 *
 * @param at  its index among several, undefined when there is one only: messages say so
 * @throws {ReviewError}
 */
export function checkedObject(
  sent: KubeObject,
  received: unknown,
  apiVersion: string,
  at: number | undefined,
): KubeObject {
  const [indexed, invalidObject] = [
    at === undefined ? 'returned invalid object at index 0' : `returned invalid converted object at index ${at}`,
    at === undefined ? 'returned invalid object' : `returned invalid converted object at index ${at}`,
  ];
  const invalidMetadata =
    at === undefined ? 'returned invalid metadata' : `returned invalid metadata in object at index ${at}`;
  if (!isMap(received)) {
    const got = isList(received) ? 'array' : typeof received;
    throw new ReviewError(`${indexed}: json: cannot unmarshal ${got} into Go value of type map[string]interface {}`);
  }
  if (stringOf(received['kind']) === '') {
    throw new ReviewError(`${indexed}: Object 'Kind' is missing in '${jsonText(received)}'`);
  }
  if (received['apiVersion'] !== apiVersion) {
    const got = stringOf(received['apiVersion']);
    throw new ReviewError(`${indexed}: invalid groupVersion (expected ${apiVersion}, received ${got})`);
  }
  if (received['kind'] !== sent.kind) {
    throw new ReviewError(`${indexed}: invalid kind (expected ${sent.kind}, received ${stringOf(received['kind'])})`);
  }
  for (const [key, word] of [
    ['name', 'name'],
    ['namespace', 'namespace'],
    ['uid', 'UID'],
  ] as const) {
    const [before, after] = [sent.metadata[key] ?? '', stringOf(dig(received, 'metadata', key))];
    if (before !== after) throw new ReviewError(`${invalidObject}: must have the same ${word}: ${before} != ${after}`);
  }
  const { metadata } = received;
  if (!isMap(metadata)) throw new ReviewError(`${invalidMetadata}: missing metadata in converted object`);
  const kept: KubeObject['metadata'] = copy(sent.metadata);
  for (const field of ['labels', 'annotations'] as const) {
    const given = metadata[field];
    if (given === undefined || given === null) {
      delete kept[field];
      continue;
    }
    if (!isMap(given)) {
      throw new ReviewError(
        `${invalidMetadata}: invalid metadata.${field} of type ${goType(given)} in converted object`,
      );
    }
    const odd = Object.keys(given).find((key) => typeof given[key] !== 'string');
    if (odd !== undefined) {
      const type = goType(given[odd]);
      throw new ReviewError(
        `${invalidMetadata}: metadata.${field}[${odd}] must be a string, but is ${type} in converted object`,
      );
    }
    const texts = Object.fromEntries(Object.entries(given).map(([key, value]) => [key, stringOf(value)]));
    if (!same(texts, mapOf(sent.metadata[field]))) {
      const errors = field === 'labels' ? labelErrors({ labels: texts }) : annotationErrors({ annotations: texts });
      if (errors.length > 0) throw new ReviewError(`${invalidMetadata}: ${aggregate(errors)}`);
    }
    kept[field] = texts;
  }
  return { ...received, apiVersion, kind: sent.kind, metadata: kept };
}
