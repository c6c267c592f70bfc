// A POST that is answered from what it says and stores nothing: reviews, and requests for tokens.

import { recordUpdate } from '../apply/ownership.ts';
import { notAcceptable } from '../base/api-error.ts';
import type { KubeObject } from '../base/kube-object.ts';
import type { Action, Api, ResourceRequest } from '../resources/api.ts';
import { dropEmpty } from '../resources/metadata.ts';
import { setDefaults } from '../schemas/pruning.ts';
import { decodeObject } from '../wire/decoding.ts';
import { acceptedForm } from '../wire/negotiation.ts';
import { structureOf, writerOf } from './writer.ts';
import { checkWriteOptions, placeInNamespace } from './writes.ts';

/** @throws {ApiError} */
export function performAction(api: Api, request: ResourceRequest, { body, owned, run }: Action): KubeObject {
  checkWriteOptions(request.query, 'CreateOptions');
  const asked = { ...request, resource: body };
  if (acceptedForm(body, request.accept, request.query, false).kind !== 'object') {
    throw notAcceptable(['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf']);
  }
  const object = decodeObject(asked);
  setDefaults(body.schema, object);
  placeInNamespace(object, asked);
  delete object.metadata.managedFields;
  delete object.metadata.generation; // sent as 0 by clients that speak protobuf
  dropEmpty(object.metadata);
  // The caller owns the defaults of the question, too.
  if (owned) recordUpdate(undefined, object, { ...writerOf(api, asked), blank: structureOf(body) });
  const { kind, apiVersion } = body;
  return { ...object, ...run(api, request, object), kind, apiVersion } as KubeObject;
}
