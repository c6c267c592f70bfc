// The resources of a version with their methods and locators. Complaints are made elsewhere.
import { markedName } from './annotations.ts';
import { methodForm } from './methods.ts';
import type { Body, Locator, Method, MethodKind, ModelError, Parameter, Resource, Type, Version } from './model.ts';
import { compareNames } from './names.ts';
import type { Scope } from './scope.ts';
import type { ErrorSyntax, LocatorSyntax, MethodSyntax, ParameterSyntax } from './syntax.ts';
import { type Mutable, type ResolveType, sorted } from './types.ts';

/** Makes the resources of a scope. @returns them in name order */
export function resourcesOf(scope: Scope, version: Version, resolve: ResolveType): Resource[] {
  const resources = [...scope.resources.values()].map((syntax) => {
    const { item } = syntax;
    const resource: Mutable<Resource> = { ...item, version, methods: [], locators: [] };
    return { syntax, resource };
  });
  const byKey = new Map(resources.map(({ resource }): [string, Resource] => [resource.name.key, resource]));
  for (const { syntax, resource } of resources) {
    resource.methods = sorted(syntax.methods.map((method) => methodOf(method, resource, resolve)));
    resource.locators = sorted(
      syntax.locators.flatMap((locator) => {
        const target = locator.target && byKey.get(locator.target.name.key);
        return target === undefined ? [] : [locatorOf(locator, resource, target)];
      }),
    );
  }
  return sorted(resources.map(({ resource }) => resource));
}

/** Makes the errors of a scope. @returns them in name order */
export function errorsOf(scope: Scope, version: Version): ModelError[] {
  return sorted(
    [...scope.errors.values()].map((syntax: ErrorSyntax) => ({
      ...syntax.item,
      version,
      code: syntax.code,
    })),
  );
}

function locatorOf(syntax: LocatorSyntax, owner: Resource, target: Resource): Locator {
  const { item } = syntax;
  const segment = markedName(item, 'http') ?? item.name.snake;
  return { ...item, owner, target, variable: syntax.variable, segment };
}

function methodOf(syntax: MethodSyntax, owner: Resource, resolve: ResolveType): Method {
  const { item } = syntax;
  const { kind, verb, status } = methodForm(item.name.key);
  const segment = kind === 'action' ? (markedName(item, 'http') ?? item.name.snake) : undefined;
  const nothing: Body = { parameters: [], bare: false };
  const method: Mutable<Method> = {
    ...item,
    owner,
    kind,
    verb,
    status,
    segment,
    parameters: [],
    query: [],
    requestBody: nothing,
    responseBody: nothing,
  };
  const parameters = syntax.parameters
    .flatMap((parameter) => {
      const type = resolve(parameter.type);
      return type === undefined ? [] : [parameterOf(parameter, method, type)];
    })
    .sort((a, b) => compareNames(a.name, b.name) || Number(b.input) - Number(a.input));
  const inQuery = ({ input, type }: Parameter): boolean => input && kind !== 'action' && travelsInQuery(type);
  method.parameters = parameters;
  method.query = parameters.filter(inQuery);
  method.requestBody = bodyOf(
    parameters.filter((parameter) => parameter.input && !inQuery(parameter)),
    kind,
  );
  method.responseBody = bodyOf(
    parameters.filter(({ output }) => output),
    kind,
  );
  return method;
}

function parameterOf(syntax: ParameterSyntax, owner: Method, type: Type): Parameter {
  const { item } = syntax;
  const json = markedName(item, 'json');
  return {
    ...item,
    owner,
    input: syntax.input,
    output: syntax.output,
    type,
    default: syntax.default,
    queryName: markedName(item, 'http') ?? json ?? item.name.snake,
    wireName: json ?? item.name.snake,
  };
}

/** Scalars do, enums and `Interface` among them. */
function travelsInQuery({ kind }: Type): boolean {
  return kind !== 'struct' && kind !== 'class' && kind !== 'list' && kind !== 'map';
}

function bodyOf(parameters: readonly Parameter[], kind: MethodKind): Body {
  return { parameters, bare: kind !== 'action' && parameters.length === 1 };
}
