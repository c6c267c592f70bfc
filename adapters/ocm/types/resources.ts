// The resources of a version as interfaces, and the functions that make them work over a transport.
import type { Body, Method, Parameter, Resource, Version } from '../model/mod.ts';
import type { TypeNames } from './declarations.ts';
import { Identifiers, literal, lowerCamel, memberName, methodName } from './identifiers.ts';
import { note } from './notes.ts';

/** A parameter of a method as a member of the object that a caller gives. */
interface ParameterMember {
  readonly member: string;
  readonly parameter: Parameter;
  readonly required: boolean;
}

interface ResourceNames {
  readonly type: string;
  readonly factory: string;
}

/** The object of a resource in the function that makes it. */
const SELF = 'resource';

type AllNames = ReadonlyMap<Resource, ResourceNames>;

/** Interfaces of all resources, functions for those that have URLs, and `connect`. */
export function resources(version: Version, names: TypeNames): string {
  const identifiers = new Identifiers();
  const factories = new Identifiers();
  factories.take('connect');
  for (const { name } of version.types) identifiers.take(name.camel);
  const named: AllNames = new Map(
    version.resources.map((resource) => [
      resource,
      {
        type: identifiers.take(`${resource.name.camel}Resource`),
        factory: factories.take(`${lowerCamel(resource.name)}Resource`),
      },
    ]),
  );
  const reachable = reachableFrom(version.root);
  const parts = version.resources.map((resource) => {
    const members = membersOf(resource, names, named);
    const { type, factory } = namesOf(resource, named);
    const head = `${note(resource, '')}export interface ${type} {\n${members.map(({ signature }) => signature).join('')}}\n`;
    if (!reachable.has(resource)) return head;
    const unused = members.length === 0 ? '_' : '';
    const body = members.map(({ body }) => body).join('');
    // Members use each other by name: `this` would be lost if a function is taken out of the object.
    const [start, end] = members.some(({ needsOthers }) => needsOthers === true)
      ? [`const ${SELF}: ${type} =`, `  return ${SELF};\n`]
      : ['return', ''];
    return `${head}\nfunction ${factory}(${unused}transport: troupe.Transport, ${unused}path: string): ${type} {\n  ${start} {\n${body}  };\n${end}}\n`;
  });
  const root = version.root && namesOf(version.root, named);
  if (root !== undefined) {
    parts.push(
      `/** The API at the other end of a transport. */\nexport function connect(transport: troupe.Transport): ${root.type} {\n` +
        `  return ${root.factory}(transport, ${literal(version.url)});\n}\n`,
    );
  }
  return parts.join('\n');
}

interface Member {
  readonly signature: string;
  readonly body: string;
  /** It calls other members. */
  readonly needsOthers?: true;
}

function membersOf(resource: Resource, names: TypeNames, named: AllNames): Member[] {
  const identifiers = new Identifiers();
  const methods = resource.methods.flatMap((method) => methodMembers(method, identifiers, names));
  const locators = resource.locators.map((locator): Member => {
    const name = identifiers.take(lowerCamel(locator.name), 'Resource');
    const { type, factory } = namesOf(locator.target, named);
    const parameter = locator.variable ? 'id: string' : '';
    const segment = locator.variable ? `\${transport.segment(id)}` : encodeURIComponent(locator.segment);
    return {
      signature: `${note(locator, '  ')}  ${methodName(name)}(${parameter}): ${type};\n`,
      body: `    ${name}: (${locator.variable ? 'id' : ''}) => ${factory}(transport, \`\${path}/${segment}\`),\n`,
    };
  });
  return [...methods, ...locators];
}

function methodMembers(method: Method, identifiers: Identifiers, names: TypeNames): Member[] {
  const given = givenOf(method);
  const required = given.some((each) => each.required);
  const name = identifiers.take(lowerCamel(method.name));
  const members = given.map(
    ({ member, parameter, required }) =>
      `${note(parameter, '    ')}    ${memberName(member)}${required ? '' : '?'}: ${names.of(parameter.type)}${required ? '' : ' | undefined'};\n`,
  );
  const type = members.length === 0 ? '{ [member: string]: never }' : `{\n${members.join('')}  }`;
  const parameters = `parameters${required ? '' : '?'}: ${type}, options?: troupe.CallOptions`;
  const answer = answerOf(method.responseBody, names);
  const call: Member = {
    signature: `${note(method, '  ')}  ${methodName(name)}(${parameters}): troupe.Answer<${answer}>;\n`,
    body: `    ${name}: (${given.length === 0 ? '_parameters' : `parameters${required ? '' : ' = {}'}`}, options) =>\n      transport.call<${answer}>(${callOf(method, given)}, options),\n`,
  };
  const items = method.responseBody.parameters.find(({ wireName }) => wireName === 'items');
  const page = given.find(({ parameter }) => parameter.name.key === 'page');
  if ((method.kind !== 'List' && method.kind !== 'Search') || items?.type.kind !== 'list' || page === undefined) {
    return [call];
  }
  const all = identifiers.take(`${name}All`);
  const element = names.of(items.type.element);
  const key = memberName(page.member);
  const first = `parameters${key.startsWith("'") ? `[${key}]` : `.${key}`} ?? 1`;
  return [
    call,
    {
      signature: `  /** All items, page after page, as they are asked for. */\n  ${all}(${parameters}): troupe.Items<${element}>;\n`,
      body: `    ${all}(parameters${required ? '' : ' = {}'}, options) {\n      return transport.items<${element}>(${first}, (page) => ${SELF}.${name}({ ...parameters, ${key}: page }, options));\n    },\n`,
      needsOthers: true,
    },
  ];
}

/** Bodies that are one value are what a call cannot do without. */
function givenOf({ parameters, requestBody }: Method): ParameterMember[] {
  const identifiers = new Identifiers();
  const inBody = new Set(requestBody.parameters);
  return parameters
    .filter(({ input }) => input)
    .map((parameter) => ({
      member: identifiers.take(inBody.has(parameter) ? parameter.wireName : parameter.queryName),
      parameter,
      required: requestBody.bare && inBody.has(parameter),
    }));
}

function callOf({ verb, segment, query, requestBody, kind }: Method, given: readonly ParameterMember[]): string {
  const value = (parameter: Parameter): string => {
    const member = memberName(given.find((each) => each.parameter === parameter)?.member ?? '');
    return member.startsWith("'") ? `parameters[${member}]` : `parameters.${member}`;
  };
  const object = (parameters: readonly Parameter[], wire: (parameter: Parameter) => string): string =>
    `{ ${parameters.map((each) => `${memberName(wire(each))}: ${value(each)}`).join(', ')} }`;
  const path = segment === undefined ? 'path' : `path: \`\${path}/${encodeURIComponent(segment)}\``;
  const parts = [`verb: '${verb}'`, path];
  if (query.length > 0) parts.push(`query: ${object(query, ({ queryName }) => queryName)}`);
  const [only] = requestBody.parameters;
  if (only !== undefined && requestBody.bare) parts.push(`body: ${value(only)}`);
  else if (only !== undefined || kind === 'action') {
    parts.push(only === undefined ? 'body: {}' : `body: ${object(requestBody.parameters, ({ wireName }) => wireName)}`);
  }
  return `{ ${parts.join(', ')} }`;
}

function answerOf({ parameters, bare }: Body, names: TypeNames): string {
  const [only] = parameters;
  if (only === undefined) return 'void';
  if (bare) return names.of(only.type);
  const members = parameters.map(({ wireName, type }) => `${memberName(wireName)}?: ${names.of(type)}`);
  return `{ ${members.join('; ')} }`;
}

function namesOf(resource: Resource, named: AllNames): ResourceNames {
  const names = named.get(resource);
  if (names === undefined) throw new Error(`'${resource.name.camel}' is of another version`);
  return names;
}

function reachableFrom(root: Resource | undefined): ReadonlySet<Resource> {
  const reachable = new Set(root === undefined ? [] : [root]);
  for (const { locators } of reachable) for (const { target } of locators) reachable.add(target);
  return reachable;
}
