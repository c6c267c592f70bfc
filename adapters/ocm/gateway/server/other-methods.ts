// Actions, Post and Search: what a store has a handler for.
import type { Method } from '../../model/mod.ts';
import { decodeValue } from '../envelope/decode.ts';
import { methodDeprecation } from '../envelope/deprecation.ts';
import { refuse } from '../envelope/faults.ts';
import { isObject } from '../store/links.ts';
import type { Value } from '../store/store.ts';
import { type Answer, type Call, objectName, refuseFault, tableOf } from './call.ts';
import { addressOf, existing } from './reading.ts';

export async function callMethod(call: Call): Promise<Answer> {
  const { operation, query, context } = call;
  const { method, path, subject } = operation;
  const served = tableOf(call);
  const handler = served.table.methods?.get(method.name.camel);
  if (handler === undefined) return refuse(501, `Nothing serves '${method.verb} ${path}' here`);
  if (subject === 'object') await existing(call, served);
  const fromQuery = query.values(method.query);
  const input = { ...fromQuery, ...bodyInput(method, await call.body()) };
  const address = addressOf(call);
  const outcome = await handler({ ...context, address, input });
  if (outcome.kind !== 'done') return refuseFault(outcome, objectName(served, address.id));
  const headers = methodDeprecation(method, new Set(Object.keys(input)));
  if (outcome.isEmpty === true) return { status: 204, headers };
  return { status: method.status, headers, body: JSON.stringify(outputOf(method, outcome.output)) };
}

function bodyInput({ requestBody: { bare, parameters } }: Method, body: unknown): Value {
  const [only] = parameters;
  if (bare && only !== undefined) {
    if (body === undefined || body === null) return refuse(400, 'The body is missing');
    return { [only.wireName]: decodeValue(only.type, body, '', 'absent') };
  }
  if (body !== undefined && body !== null && !isObject(body)) return refuse(400, 'The body must be an object');
  return Object.fromEntries(
    parameters.flatMap(({ wireName, type, default: initial }): [string, unknown][] => {
      const member = isObject(body) && Object.hasOwn(body, wireName) ? (body[wireName] ?? undefined) : undefined;
      const value = member === undefined ? initial : decodeValue(type, member, wireName, 'absent');
      return value === undefined ? [] : [[wireName, value]];
    }),
  );
}

/** In the order of the model, whatever else a handler gives. */
function outputOf({ responseBody: { bare, parameters } }: Method, output: Value): unknown {
  const [only] = parameters;
  if (bare && only !== undefined) return output[only.wireName] ?? {};
  return Object.fromEntries(
    parameters.flatMap(({ wireName }) => (output[wireName] === undefined ? [] : [[wireName, output[wireName]]])),
  );
}
