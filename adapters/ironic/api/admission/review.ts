// The protocol of admission webhooks, `AdmissionReview` of `admission.k8s.io/v1`: from a question to its answer.
import type { JsonObject } from '../../../../bus/json.ts';
import { isMap, mapOf, textOf } from '../../json-values.ts';
import { type AdmissionRequest, admit, asksForOthers } from './admit.ts';
import type { Others } from './rules.ts';
import { ADMITTED } from './webhooks.ts';

const GROUP = 'metal3.io';
const API_VERSION = 'admission.k8s.io/v1';

const PATH = /^\/validate-metal3-io-(?:v1alpha1|v1beta1)-([a-z]+)$/;

/** Response of the webhook server. */
export interface ReviewAnswer {
  /** 200: `body` is an AdmissionReview; otherwise a Status that says why there is none. */
  readonly status: 200 | 400 | 404;
  readonly body: JsonObject;
}

type Question = { readonly uid: string; readonly request: AdmissionRequest } | { readonly answer: ReviewAnswer };

/**
 * Answers one review, whatever is wrong with it.
 *
 * @param review  the body of the request, as it was parsed
 * @param path  that was asked for, with or without a query
 * @param others  BareMetalHosts of all namespaces, where `reviewAsksForOthers`; left out: refused then
 */
export function answerAdmissionReview(review: unknown, path: string, others?: Others): ReviewAnswer {
  const question = questionOf(review, path);
  if ('answer' in question) return question.answer;
  const { allowed, problems, warnings } = admit({ ...question.request, others });
  return answer(question.uid, {
    allowed,
    // As validation of the API server's own answers: the request can never succeed as it is.
    ...(!allowed && {
      status: failure(422, 'Invalid', problems.length === 1 ? `${problems[0]}` : `[${problems.join(', ')}]`),
    }),
    ...(warnings.length > 0 && { warnings }),
  });
}

/** Whether a review can be answered only with the BareMetalHosts of all namespaces. */
export function reviewAsksForOthers(review: unknown, path: string): boolean {
  const question = questionOf(review, path);
  return 'request' in question && asksForOthers(question.request);
}

function questionOf(review: unknown, path: string): Question {
  const kind = kindAt(path);
  if (kind === undefined) return refusal(404, 'NotFound', 'nothing is reviewed at this path');
  const { apiVersion, kind: reviewKind, request } = mapOf(review);
  if (apiVersion !== API_VERSION || reviewKind !== 'AdmissionReview') {
    return refusal(400, 'BadRequest', `the body is no AdmissionReview of ${API_VERSION}`);
  }
  const { uid, kind: objectKind, operation, subResource, object, oldObject } = mapOf(request);
  if (textOf(uid) === '') return refusal(400, 'BadRequest', 'the review has no request with a uid');
  const { group, version, kind: asked } = mapOf(objectKind);
  const bad = (message: string): Question => ({
    answer: answer(textOf(uid), { allowed: false, status: failure(400, 'BadRequest', message) }),
  });
  if (group !== GROUP || asked !== kind) return bad(`expected an object of ${kind}.${GROUP}`);
  if (textOf(subResource) !== '') return { answer: answer(textOf(uid), { allowed: true }) };
  const named = { kind, version: textOf(version), operation: textOf(operation) };
  const isThere = named.operation === 'DELETE' ? isMap(oldObject) : isMap(object);
  if (!isThere && named.operation !== 'CONNECT') return bad('the request has no object');
  return { uid: textOf(uid), request: { ...named, object, oldObject } };
}

function kindAt(path: string): string | undefined {
  const [, name] = PATH.exec(path.replace(/\?.*$/s, '')) ?? [];
  return ADMITTED.find(({ kind }) => kind.toLowerCase() === name)?.kind;
}

function answer(uid: string, response: JsonObject): ReviewAnswer {
  return { status: 200, body: { apiVersion: API_VERSION, kind: 'AdmissionReview', response: { uid, ...response } } };
}

function refusal(code: 400 | 404, reason: string, message: string): Question {
  return {
    answer: { status: code, body: { apiVersion: 'v1', kind: 'Status', ...failure(code, reason, message) } },
  };
}

function failure(code: number, reason: string, message: string): JsonObject {
  return { status: 'Failure', code, reason, message };
}
