// A document of OpenAPI v2 in protobuf, as `gnostic` writes it: all that kubectl 1.20 reads. What only documents have
// that are no Kubernetes API's (files, headers, forms, security) is left out.
import type { Type } from 'protobufjs';
import { isMap, type JsonMap, listOf, mapOf } from '../../../text/json.ts';
import { protobufjs, yaml } from '../base/libraries.ts';

const SCHEMA = `
syntax = "proto3";
message Any { string yaml = 2; }
message NamedAny { string name = 1; Any value = 2; }
message Info { string title = 1; string version = 2; }
message Schema {
  string ref = 1; string format = 2; string title = 3; string description = 4; Any default = 5;
  double multipleOf = 6; double maximum = 7; bool exclusiveMaximum = 8; double minimum = 9; bool exclusiveMinimum = 10;
  int64 maxLength = 11; int64 minLength = 12; string pattern = 13; int64 maxItems = 14; int64 minItems = 15;
  bool uniqueItems = 16; int64 maxProperties = 17; int64 minProperties = 18; repeated string required = 19;
  repeated Any enum = 20; AdditionalProperties additionalProperties = 21; TypeItem type = 22; ItemsItem items = 23;
  Properties properties = 25; repeated NamedAny vendorExtension = 31;
}
message AdditionalProperties { oneof kind { Schema schema = 1; bool boolean = 2; } }
message TypeItem { repeated string value = 1; }
message ItemsItem { repeated Schema schema = 1; }
message NamedSchema { string name = 1; Schema value = 2; }
message Properties { repeated NamedSchema additionalProperties = 1; }
message BodyParameter { string description = 1; string name = 2; string in = 3; bool required = 4; Schema schema = 5; }
message QueryParameter {
  bool required = 1; string in = 2; string description = 3; string name = 4; string type = 6; bool uniqueItems = 20;
}
message PathParameter { bool required = 1; string in = 2; string description = 3; string name = 4; string type = 5; }
message NonBodyParameter { oneof kind { QueryParameter query = 3; PathParameter path = 4; } }
message Parameter { oneof kind { BodyParameter body = 1; NonBodyParameter nonBody = 2; } }
message ParametersItem { Parameter parameter = 1; }
message SchemaItem { Schema schema = 1; }
message Response { string description = 1; SchemaItem schema = 2; }
message ResponseValue { Response response = 1; }
message NamedResponseValue { string name = 1; ResponseValue value = 2; }
message Responses { repeated NamedResponseValue responseCode = 1; }
message Operation {
  repeated string tags = 1; string summary = 2; string description = 3; string operationId = 5;
  repeated string produces = 6; repeated string consumes = 7; repeated ParametersItem parameters = 8;
  Responses responses = 9; repeated string schemes = 10; repeated NamedAny vendorExtension = 13;
}
message PathItem {
  Operation get = 2; Operation put = 3; Operation post = 4; Operation delete = 5; Operation patch = 8;
  repeated ParametersItem parameters = 9;
}
message NamedPathItem { string name = 1; PathItem value = 2; }
message Paths { repeated NamedPathItem path = 2; }
message Definitions { repeated NamedSchema additionalProperties = 1; }
message Document { string swagger = 1; Info info = 2; Paths paths = 8; Definitions definitions = 9; }
`;

let document: Type | undefined;
const documentType = (): Type => {
  document ??= protobufjs().parse(SCHEMA, { keepCase: true }).root.lookupType('Document');
  return document;
};

/** The document in protobuf. */
export function openApiProtobuf({ swagger, info, paths, definitions }: JsonMap): Uint8Array {
  const message = {
    swagger,
    info,
    paths: { path: named(mapOf(paths), pathItem) },
    definitions: { additionalProperties: named(mapOf(definitions), schemaMessage) },
  };
  const type = documentType();
  return type.encode(type.fromObject(message)).finish();
}

function named(map: JsonMap, change: (value: unknown) => JsonMap): JsonMap[] {
  return Object.entries(map).map(([name, value]) => ({ name, value: change(value) }));
}

/** Values of any type travel as YAML. */
const any = (value: unknown): JsonMap => ({ yaml: yaml().stringify(value, { aliasDuplicateObjects: false }) });

const extensions = (map: JsonMap): JsonMap[] =>
  named(Object.fromEntries(Object.entries(map).filter(([key]) => key.startsWith('x-'))), any);

function schemaMessage(value: unknown): JsonMap {
  const { $ref, type, items, properties, additionalProperties, enum: closed, ...rest } = mapOf(value);
  return {
    ...rest,
    ...($ref === undefined ? {} : { ref: $ref }),
    ...(type === undefined ? {} : { type: { value: [type] } }),
    ...(items === undefined ? {} : { items: { schema: [schemaMessage(items)] } }),
    ...(properties === undefined
      ? {}
      : { properties: { additionalProperties: named(mapOf(properties), schemaMessage) } }),
    ...(closed === undefined ? {} : { enum: listOf(closed).map(any) }),
    ...(additionalProperties === undefined
      ? {}
      : {
          additionalProperties: isMap(additionalProperties)
            ? { schema: schemaMessage(additionalProperties) }
            : { boolean: additionalProperties },
        }),
    vendorExtension: extensions(rest),
  };
}

function parameterItem(value: unknown): JsonMap {
  const { schema, ...rest } = mapOf(value);
  switch (rest['in']) {
    case 'body':
      return { parameter: { body: { ...rest, schema: schemaMessage(schema) } } };
    case 'path':
      return { parameter: { nonBody: { path: rest } } };
    default:
      return { parameter: { nonBody: { query: rest } } };
  }
}

function responseValue(value: unknown): JsonMap {
  const { description, schema } = mapOf(value);
  return {
    response: { description, ...(schema === undefined ? {} : { schema: { schema: schemaMessage(schema) } }) },
  };
}

function operationMessage(value: unknown): JsonMap {
  const { parameters, responses, ...rest } = mapOf(value);
  return {
    ...rest,
    parameters: listOf(parameters).map(parameterItem),
    responses: { responseCode: named(mapOf(responses), responseValue) },
    vendorExtension: extensions(rest),
  };
}

function pathItem(value: unknown): JsonMap {
  const { parameters, ...operations } = mapOf(value);
  return {
    ...Object.fromEntries(Object.entries(operations).map(([verb, one]) => [verb, operationMessage(one)])),
    parameters: listOf(parameters).map(parameterItem),
  };
}
