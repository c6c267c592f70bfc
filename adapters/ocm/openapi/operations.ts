// One operation: its parameters, request and responses.
import type { Body, Method, Parameter } from '../model/mod.ts';
import type { JsonText } from './json-text.ts';
import type { OpenApiOptions } from './options.ts';
import { schemaRef, writeReference } from './references.ts';

/** A method at one of its URLs. */
export interface Operation {
  readonly method: Method;
  readonly pathParameters: readonly string[];
  readonly id: string | undefined;
}

const NO_BODY: Body = { parameters: [], bare: false };

/** Writes an operation into the open object of its path. */
export function writeOperation(json: JsonText, operation: Operation, options: OpenApiOptions): void {
  const { method, pathParameters, id } = operation;
  json.object(method.verb.toLowerCase(), () => {
    writeHead(json, operation, id);
    if (pathParameters.length + method.query.length > 0) {
      json.array('parameters', () => {
        writePathParameters(json, pathParameters, options);
        for (const parameter of method.query) writeQueryParameter(json, parameter, options);
      });
    }
    if (method.requestBody.parameters.length > 0) {
      json.object('requestBody', () => {
        writeContent(json, () => writeBody(json, method.requestBody, options, 'input'));
        if (options.required === true && method.requestBody.bare) json.member('required', true);
      });
    }
    writeResponses(json, [method], options);
  });
}

/** The `get` of a root, which is not in the model. */
export function writeMetadataOperation(json: JsonText, id: string | undefined): void {
  json.object('get', () => {
    json.member('description', 'Retrieves the version metadata.');
    if (id !== undefined) json.member('operationId', id);
    json.object('responses', () => {
      writeSuccess(json, '200', () => json.member('$ref', schemaRef('Metadata')));
      writeErrorResponse(json);
    });
  });
}

/**
 * Writes the `post` that answers a list when it is asked with `method=get`, and does what the resource's own POST does when
 * it is not.
 */
export function writeListByPost(
  json: JsonText,
  list: Operation,
  own: Operation | undefined,
  options: OpenApiOptions,
): void {
  const asked = { parameters: list.method.query, bare: false };
  const ownBody = own?.method.requestBody ?? NO_BODY;
  json.object('post', () => {
    writeHead(json, own ?? list, own?.id ?? (list.id && `${list.id}ByPost`));
    json.array('parameters', () => {
      writePathParameters(json, list.pathParameters, options);
      json.object(undefined, () => {
        json.member('name', 'method');
        json.member('description', 'With `get` the list is answered; its parameters are in the body.');
        json.member('in', 'query');
        if (own === undefined) json.member('required', true);
        json.object('schema', () => {
          json.member('type', 'string');
          json.array('enum', () => json.element('get'));
        });
      });
      for (const parameter of own?.method.query ?? []) writeQueryParameter(json, parameter, options);
    });
    json.object('requestBody', () =>
      writeContent(json, () => {
        if (ownBody.parameters.length === 0) return writeBody(json, asked, options, 'input');
        json.array('anyOf', () => {
          json.object(undefined, () => writeBody(json, ownBody, options, 'input'));
          json.object(undefined, () => writeBody(json, asked, options, 'input'));
        });
      }),
    );
    writeResponses(json, own === undefined ? [list.method] : [list.method, own.method], options);
  });
}

function writeHead(json: JsonText, { method }: Operation, id: string | undefined): void {
  json.optional('description', method.documentation);
  if (id !== undefined) json.member('operationId', id);
  if (method.deprecated || method.owner.deprecated) json.member('deprecated', true);
}

function writePathParameters(json: JsonText, names: readonly string[], { hints }: OpenApiOptions): void {
  for (const name of names) {
    json.object(undefined, () => {
      json.member('name', name);
      json.member('in', 'path');
      json.object('schema', () => {
        json.member('type', 'string');
        if (hints === true) json.member('minLength', 1);
      });
      json.member('required', true);
    });
  }
}

function writeQueryParameter(json: JsonText, parameter: Parameter, options: OpenApiOptions): void {
  json.object(undefined, () => {
    json.member('name', parameter.queryName);
    json.optional('description', parameter.documentation);
    json.member('in', 'query');
    if (parameter.deprecated) json.member('deprecated', true);
    json.object('schema', () => {
      writeReference(json, parameter.type);
      if (options.hints === true) writeHints(json, parameter, 'input');
    });
  });
}

type Direction = 'input' | 'output';

/** Writes the schema of a body into the open object. Members are called after the parameter, whatever its marks say. */
function writeBody(json: JsonText, { parameters, bare }: Body, options: OpenApiOptions, direction: Direction): void {
  const [only] = parameters;
  if (bare && only !== undefined) {
    writeReference(json, only.type);
    return;
  }
  json.member('type', 'object');
  // The last one of several with the same name counts, as for readers of JSON.
  const members = new Map(parameters.map((parameter) => [parameter.name.snake, parameter]));
  json.object('properties', () => {
    for (const [name, parameter] of members) {
      json.object(name, () => {
        json.optional('description', parameter.documentation);
        if (parameter.deprecated) json.member('deprecated', true);
        writeReference(json, parameter.type);
        if (options.hints === true) writeHints(json, parameter, direction);
      });
    }
  });
  if (options.required === true && direction === 'output' && parameters[0]?.owner.kind === 'List') {
    json.array('required', () => {
      for (const name of members.keys()) json.element(name);
    });
  }
}

/** Page parameters that servers accept, with their defaults. A size has no bounds: a negative one means all. */
function writeHints(json: JsonText, { name, owner, type, default: initial }: Parameter, direction: Direction): void {
  const isPaging = type.kind === 'integer' && (owner.kind === 'List' || owner.kind === 'Search');
  if (isPaging && name.key === 'page') json.member('minimum', 1);
  if (isPaging && name.key === 'total') json.member('minimum', 0);
  if (direction === 'input' && initial !== undefined) json.member('default', initial);
}

function writeResponses(json: JsonText, methods: readonly Method[], options: OpenApiOptions): void {
  const byStatus = Map.groupBy(methods, ({ status }) => String(status));
  json.object('responses', () => {
    for (const [status, group] of byStatus) {
      const bodies = group.map(({ responseBody }) => responseBody).filter(({ parameters }) => parameters.length > 0);
      const [body] = bodies;
      if (body === undefined) writeSuccess(json, status, undefined);
      else if (bodies.length === 1) writeSuccess(json, status, () => writeBody(json, body, options, 'output'));
      else {
        writeSuccess(json, status, () =>
          json.array('anyOf', () => {
            for (const each of bodies) json.object(undefined, () => writeBody(json, each, options, 'output'));
          }),
        );
      }
    }
    writeErrorResponse(json);
  });
}

function writeSuccess(json: JsonText, status: string, schema: (() => void) | undefined): void {
  json.object(status, () => {
    json.member('description', 'Success.');
    if (schema !== undefined) writeContent(json, schema);
  });
}

function writeErrorResponse(json: JsonText): void {
  json.object('default', () => {
    json.member('description', 'Error.');
    writeContent(json, () => json.member('$ref', schemaRef('Error')));
  });
}

function writeContent(json: JsonText, schema: () => void): void {
  json.object('content', () => json.object('application/json', () => json.object('schema', schema)));
}
