// Checks of what stands between the braces of one declaration: names that occur twice, types that do not exist, marks.
import { hint } from '../../text/nearest.ts';
import { checkMarks, markedName } from './annotations.ts';
import { BUILT_IN_TYPES } from './built-in.ts';
import { checkMethod } from './check-methods.ts';
import { methodForm } from './methods.ts';
import type { Name } from './names.ts';
import { refMark } from './references.ts';
import type { Scope } from './scope.ts';
import type {
  EnumSyntax,
  LocatorSyntax,
  MethodSyntax,
  Part,
  ResourceSyntax,
  StructSyntax,
  TypeSyntax,
  Word,
} from './syntax.ts';

/** Built-in members of every class, before its own attributes. */
const BUILT_IN_MEMBERS: ReadonlySet<string> = new Set(['kind', 'id', 'href']);
const EXPLICIT_ID = /^I[dD]$/;

/** Number of unknown names above which a misspelling is unlikely. */
const MANY = 50;

/** Checks all declarations of a version, in the order of its files. */
export function checkDeclarations(scope: Scope): void {
  new DeclarationChecks(scope).run();
}

class DeclarationChecks {
  readonly #scope: Scope;
  /** Keys of names that were complained about: once, where they are used first. */
  readonly #undefinedTypes = new Set<string>();
  readonly #undefinedResources = new Set<string>();

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  run(): void {
    for (const { declarations } of this.#scope.files) {
      for (const declaration of declarations) {
        const dotted = `${this.#scope.dotted}.${declaration.item.name.camel}`;
        checkMarks(declaration, dotted, this.#scope);
        if (declaration.form === 'enum') this.#enum(declaration, dotted);
        else if (declaration.form === 'resource') this.#resource(declaration, dotted);
        else if (declaration.form !== 'error') this.#struct(declaration, dotted);
      }
    }
  }

  #enum({ values }: EnumSyntax, owner: string): void {
    const names = new Names(this.#scope, 'value', owner);
    for (const value of values) {
      const { name, dotted } = this.#member(value, owner);
      names.add(value, name, dotted, [markedName(value.item, 'json') ?? name.snake]);
    }
  }

  #struct(syntax: StructSyntax, owner: string): void {
    if (refMark(syntax) !== undefined) return;
    const names = new Names(this.#scope, 'attribute', owner);
    for (const attribute of syntax.attributes) {
      const { name, dotted } = this.#member(attribute, owner);
      const wireName = markedName(attribute.item, 'json') ?? name.snake;
      const { place } = attribute.item;
      if (syntax.form === 'class' && EXPLICIT_ID.test(attribute.item.name.text)) {
        const message = `class '${owner}' declares '${attribute.item.name.text}', which every class has`;
        this.#scope.report('class.explicit-id', place, message);
      } else if (syntax.form === 'class' && BUILT_IN_MEMBERS.has(wireName)) {
        const message = `attribute '${dotted}' is called '${wireName}' in JSON, as is something that every class has`;
        this.#scope.report('class.built-in', place, message);
      }
      names.add(attribute, name, dotted, [wireName]);
      this.#type(attribute.type);
    }
  }

  #resource(syntax: ResourceSyntax, owner: string): void {
    this.#locators(syntax.locators, owner);
    this.#methods(syntax.methods, syntax.locators, owner);
  }

  #locators(locators: readonly LocatorSyntax[], owner: string): void {
    const names = new Names(this.#scope, 'locator', owner);
    let variables = 0;
    for (const locator of locators) {
      const { name, dotted } = this.#member(locator, owner);
      const { place } = locator.item;
      names.add(locator, name, dotted, [locator.variable ? `{${this.#segment(locator)}_id}` : this.#segment(locator)]);
      if (locator.variable && ++variables > 1) {
        const message = `locator '${dotted}' is the second with a variable: the first in name order serves all requests`;
        this.#scope.report('locator.two-variables', place, message);
      }
      if (locator.target === undefined) {
        if (!locator.broken) this.#scope.report('locator.no-target', place, `locator '${dotted}' has no target`);
      } else {
        this.#target(locator.target);
      }
    }
  }

  #methods(methods: readonly MethodSyntax[], locators: readonly LocatorSyntax[], owner: string): void {
    const names = new Names(this.#scope, 'method', owner);
    const fixed = new Set(locators.filter(({ variable }) => !variable).map((locator) => this.#segment(locator)));
    const taken = new Map<string, string>();
    for (const method of methods) {
      const { name, dotted } = this.#member(method, owner);
      const { kind, verb } = methodForm(name.key);
      const isAction = kind === 'action';
      const segment = this.#segment(method);
      const clash = isAction && fixed.has(segment) ? `the locator of segment '${segment}'` : undefined;
      const url = isAction ? `${verb} .../${segment}` : verb;
      const other = clash ?? taken.get(url);
      if (names.add(method, name, dotted, []) && other !== undefined) {
        const message = `method '${dotted}' and ${other} would answer the same requests, '${url}'`;
        this.#scope.report('method.verb-clash', method.item.place, message);
      }
      if (!taken.has(url)) taken.set(url, `'${name.camel}'`);
      for (const parameter of method.parameters) this.#type(parameter.type);
      this.#parameters(method, dotted, kind === 'action');
      checkMethod(method, kind, dotted, this.#scope);
    }
  }

  /** Inputs among each other, and outputs; a parameter that is both is in both. */
  #parameters({ parameters }: MethodSyntax, owner: string, isAction: boolean): void {
    const inputs = new Names(this.#scope, 'parameter', owner);
    const outputs = new Names(this.#scope, 'parameter', owner);
    for (const parameter of parameters) {
      const { name, dotted } = this.#member(parameter, owner);
      const item = parameter.item;
      const field = markedName(item, 'json') ?? name.snake;
      const query = isAction ? field : (markedName(item, 'http') ?? field);
      const sound = !parameter.input || inputs.add(parameter, name, dotted, [query]);
      if (sound && parameter.output) outputs.add(parameter, name, dotted, [field]);
    }
  }

  #member(part: Part, owner: string): { name: Name; dotted: string } {
    const { name } = part.item;
    const dotted = `${owner}.${name.camel}`;
    checkMarks(part, dotted, this.#scope);
    return { name, dotted };
  }

  #segment(part: Part): string {
    return markedName(part.item, 'http') ?? part.item.name.snake;
  }

  #type({ element, key }: TypeSyntax): void {
    for (const { name, place } of key === undefined ? [element] : [key, element]) {
      if (BUILT_IN_TYPES.has(name.key) || this.#undefinedTypes.has(name.key)) continue;
      if (this.#scope.find(name.key) !== undefined) continue;
      this.#undefinedTypes.add(name.key);
      const candidates = this.#undefinedTypes.size > MANY ? [] : [...BUILT_IN_TYPES.values(), ...this.#scope.types()];
      const known = candidates.map((type) => type.name.camel);
      const message = `type '${this.#scope.dotted}.${name.camel}' is used but not defined${hint(name.text, known)}`;
      this.#scope.report('def.undefined-type', place, message);
    }
  }

  #target({ name, place }: Word): void {
    if (this.#scope.resources.has(name.key) || this.#undefinedResources.has(name.key)) return;
    this.#undefinedResources.add(name.key);
    const candidates = this.#undefinedResources.size > MANY ? [] : [...this.#scope.resources.values()];
    const known = candidates.map((resource) => resource.item.name.text);
    const message = `resource '${this.#scope.dotted}.${name.camel}' is a target but not defined${hint(name.text, known)}`;
    this.#scope.report('def.undefined-resource', place, message);
  }
}

/** Members of one container: none may be called like another, in the model or on the wire. */
class Names {
  readonly #scope: Scope;
  readonly #what: string;
  readonly #owner: string;
  readonly #keys = new Map<string, Part>();
  readonly #wireNames = new Map<string, Part>();

  constructor(scope: Scope, what: string, owner: string) {
    this.#scope = scope;
    this.#what = what;
    this.#owner = owner;
  }

  /** @returns false after a complaint */
  add(part: Part, name: Name, dotted: string, wireNames: readonly string[]): boolean {
    const twin = this.#keys.get(name.key);
    const wireName = wireNames.find((candidate) => this.#wireNames.has(candidate));
    const like = wireName === undefined ? undefined : this.#wireNames.get(wireName);
    const { place } = part.item;
    if (twin !== undefined) {
      const message = `${this.#what} '${dotted}' is already defined at line ${twin.item.place.line}`;
      this.#scope.report('def.duplicate-member', place, message);
    } else if (like !== undefined) {
      const message = `${this.#what} '${dotted}' is called '${wireName}' on the wire, as is '${this.#owner}.${like.item.name.text}'`;
      this.#scope.report('def.duplicate-member', place, message);
    }
    if (twin === undefined) this.#keys.set(name.key, part);
    for (const candidate of wireNames) if (!this.#wireNames.has(candidate)) this.#wireNames.set(candidate, part);
    return twin === undefined && like === undefined;
  }
}
