// The types of the kinds and the schemas of v1alpha1: the same fields, required in both or in none, of the same types.
import { globSync, readFileSync } from 'node:fs';
import { type ParseResult, parse } from '@babel/parser';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { definitionOf, KINDS, type Schema, schemaOf } from './schemas.ts';

const test = suite('ironic: types of the kinds');

const API = new URL('../../../../adapters/ironic/api/', import.meta.url);

type Statement = ParseResult['program']['body'][number];
type Interface = Extract<Statement, { type: 'TSInterfaceDeclaration' }>;
type Alias = Extract<Statement, { type: 'TSTypeAliasDeclaration' }>;
type TypeNode = Alias['typeAnnotation'];

/** By name: what `interface` and `type` say in all files of types. */
const DECLARED: ReadonlyMap<string, Interface | Alias> = new Map(
  ['types.ts', ...globSync('types/*.ts', { cwd: API })]
    .flatMap((file) => {
      const text = readFileSync(new URL(file, API), 'utf8');
      return parse(text, { sourceType: 'module', plugins: ['typescript'] }).program.body;
    })
    .map((statement) => (statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement))
    .flatMap((statement) =>
      statement?.type === 'TSInterfaceDeclaration' || statement?.type === 'TSTypeAliasDeclaration'
        ? [[statement.id.name, statement] as const]
        : [],
    ),
);

/** A type as a text that a schema's can be compared with: fields sorted, `?` after those that may be missing. */
function textOf(node: TypeNode): string {
  switch (node.type) {
    case 'TSStringKeyword':
    case 'TSNumberKeyword':
    case 'TSBooleanKeyword':
    case 'TSNullKeyword':
      return node.type.slice(2, -'Keyword'.length).toLowerCase();
    case 'TSLiteralType':
      return JSON.stringify('value' in node.literal ? node.literal.value : undefined);
    case 'TSUnionType':
      return node.types.map(textOf).sort().join(' | ');
    case 'TSTypeOperator':
      assert.is(node.operator, 'readonly');
      return textOf(node.typeAnnotation);
    case 'TSArrayType':
      return `${textOf(node.elementType)}[]`;
    case 'TSTypeReference': {
      assert.is(node.typeName.type, 'Identifier');
      const name = 'name' in node.typeName ? String(node.typeName.name) : '';
      const [first, second] = node.typeArguments?.params ?? [];
      if (name === 'Readonly' && first !== undefined) return textOf(first);
      if (name === 'Record' && second !== undefined) return `{string}: ${textOf(second)}`;
      return textOfDeclared(name);
    }
    default:
      throw new Error(`a type of an API is not written so: ${node.type}`);
  }
}

function textOfDeclared(name: string): string {
  const declared = DECLARED.get(name);
  if (declared === undefined) throw new Error(`no type '${name}'`);
  if (declared.type === 'TSTypeAliasDeclaration') return textOf(declared.typeAnnotation);
  const fields = declared.body.body.map((member) => {
    if (member.type !== 'TSPropertySignature' || member.key.type !== 'Identifier' || !member.typeAnnotation)
      throw new Error(`'${name}' has a member that is no field`);
    assert.ok(member.readonly, `${name}.${member.key.name} is readonly`);
    return `${member.key.name}${member.optional ? '?' : ''}: ${textOf(member.typeAnnotation.typeAnnotation)}`;
  });
  return `{ ${fields.sort().join('; ')} }`;
}

/** A reference as it is written. */
function namesIn(node: TypeNode): string {
  if (node.type === 'TSLiteralType' && 'value' in node.literal) return String(node.literal.value);
  if (node.type !== 'TSTypeReference' || !('name' in node.typeName)) return node.type;
  const params = (node.typeArguments?.params ?? []).map(namesIn);
  return `${String(node.typeName.name)}${params.length === 0 ? '' : `<${params.join(', ')}>`}`;
}

/** The same of a schema. */
function textOfSchema({ required = [], nullable, ...schema }: Schema): string {
  if (nullable) return [textOfSchema(schema), 'null'].sort().join(' | ');
  if (schema['x-kubernetes-int-or-string']) return 'number | string';
  switch (schema.type) {
    case 'string':
      return schema.enum === undefined
        ? 'string'
        : schema.enum
            .map((value) => JSON.stringify(value))
            .sort()
            .join(' | ');
    case 'integer':
      return 'number';
    case 'array':
      return `${textOfSchema(schema.items ?? {})}[]`;
    case 'object': {
      if (schema.additionalProperties) return `{string}: ${textOfSchema(schema.additionalProperties)}`;
      const fields = Object.entries(schema.properties ?? {});
      if (fields.length === 0) return '{string}: never';
      return `{ ${fields
        .map(([name, field]) => `${name}${required.includes(name) ? '' : '?'}: ${textOfSchema(field)}`)
        .sort()
        .join('; ')} }`;
    }
    default:
      return schema.type ?? 'unknown';
  }
}

for (const kind of KINDS) {
  test(`${kind} is what its schema says`, () => {
    const { properties: { spec, status } = {} } = schemaOf(definitionOf(0, kind), 'v1alpha1');
    const alias = DECLARED.get(kind);
    assert.is(
      alias?.type === 'TSTypeAliasDeclaration' ? namesIn(alias.typeAnnotation) : undefined,
      status === undefined
        ? `ObjectOf<${kind}, ${kind}Spec>`
        : `ObjectWithStatus<${kind}, ${kind}Spec, ${status.properties === undefined ? 'Empty' : `${kind}Status`}>`,
    );
    assert.is(textOfDeclared(`${kind}Spec`), textOfSchema(spec ?? {}));
    if (status?.properties === undefined) assert.not.ok(DECLARED.has(`${kind}Status`), 'a status that there is not');
    else assert.is(textOfDeclared(`${kind}Status`), textOfSchema(status));
  });
}

test.run();
