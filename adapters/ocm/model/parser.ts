// From tokens to the tree of a file, by recursive descent without recursion: nothing in the language nests in itself.
//
// A member that cannot be parsed is left out and its container marked `broken`; parsing continues at the next line.

import { annotationsOf } from './annotations.ts';
import { Cursor, placeOf } from './cursor.ts';
import { Documents } from './documentation.ts';
import { decoded } from './encoding.ts';
import { lex, type TokenKind } from './lexer.ts';
import type { Annotation, Literal } from './model.ts';
import { type NameOf, nameTable } from './names.ts';
import type {
  AttributeSyntax,
  Declaration,
  FileSyntax,
  LocatorSyntax,
  Mark,
  MarkParameter,
  MethodSyntax,
  ParameterSyntax,
  Part,
  TypeSyntax,
  Word,
} from './syntax.ts';

/** Marks and documentation before a part's own tokens. */
interface Head {
  readonly first: number;
  readonly marks: readonly Mark[];
}

/** Rules for parsing a body. */
interface Body {
  /** Terms for its name, and for its members. */
  readonly named: string;
  readonly members: string;
  /** Words that start a member and nothing else. */
  readonly starts: ReadonlySet<TokenKind>;
  /** Words that start a member of what is around it: in this body they say that it was not closed. */
  readonly outer: ReadonlySet<TokenKind>;
}

const NO_ANNOTATIONS: readonly Annotation[] = [];
const NOTHING: ReadonlySet<TokenKind> = new Set();
const RESOURCE_MEMBERS: ReadonlySet<TokenKind> = new Set(['method', 'locator']);
const PLAIN = { starts: NOTHING, outer: NOTHING };
const INNER = { starts: NOTHING, outer: RESOURCE_MEMBERS };
const BODIES = {
  class: { named: 'the name of the class', members: 'an attribute', ...PLAIN },
  struct: { named: 'the name of the struct', members: 'an attribute', ...PLAIN },
  enum: { named: 'the name of the enum', members: 'a value', ...PLAIN },
  error: { named: 'the name of the error', members: "'code'", ...PLAIN },
  resource: {
    named: 'the name of the resource',
    members: "'method', 'locator'",
    starts: RESOURCE_MEMBERS,
    outer: NOTHING,
  },
  locator: { named: 'the name of the locator', members: "'target', 'variable'", ...INNER },
  method: { named: 'the name of the method', members: 'a parameter', ...INNER },
} as const satisfies Record<string, Body>;

/**
 * Reads a file; never fails.
 *
 * @param source  text, or bytes that should be UTF-8
 * @param nameOf  of the other files read along with it
 */
export function parse(file: string, source: string | Uint8Array, nameOf: NameOf = nameTable()): FileSyntax {
  const { text, fault } = typeof source === 'string' ? { text: source, fault: undefined } : decoded(file, source);
  const lexed = lex(file, text);
  const cursor = new Cursor(lexed, nameOf);
  const documents = new Documents(lexed.notes);
  const declarations = new Parser(cursor, documents).declarations();
  const diagnostics = [
    ...(fault === undefined ? [] : [fault]),
    ...lexed.diagnostics,
    ...cursor.diagnostics,
    ...documents.diagnostics,
  ];
  if (diagnostics.length > 1) diagnostics.sort((a, b) => a.place.offset - b.place.offset);
  return { ...lexed, file, text, declarations, diagnostics };
}

class Parser {
  readonly #cursor: Cursor;
  readonly #documents: Documents;

  constructor(cursor: Cursor, documents: Documents) {
    this.#cursor = cursor;
    this.#documents = documents;
  }

  declarations(): Declaration[] {
    const declarations: Declaration[] = [];
    while (this.#cursor.kind !== 'end') {
      const head = this.#head();
      const declaration = head && this.#declaration(head);
      if (declaration !== undefined) declarations.push(declaration);
    }
    return declarations;
  }

  #declaration(head: Head): Declaration | undefined {
    const form = this.#cursor.kind;
    switch (form) {
      case 'class':
      case 'struct': {
        const attributes: AttributeSyntax[] = [];
        const part = this.#container(head, BODIES[form], (member) => keep(attributes, this.#attribute(member)));
        return part && { ...part, form, attributes };
      }
      case 'enum': {
        const values: Part[] = [];
        const part = this.#container(head, BODIES.enum, (member) => keep(values, this.#value(member)));
        return part && { ...part, form, values };
      }
      case 'error': {
        let code = 0;
        const part = this.#container(head, BODIES.error, (member) => {
          if (!this.#unmarked(member, BODIES.error) || this.#cursor.expect('code', "'code' or '}'") === undefined)
            return false;
          const number = this.#cursor.expect('number', 'a number');
          if (number !== undefined) code = Number(number.value);
          return number !== undefined;
        });
        return part && { ...part, form, code };
      }
      case 'resource': {
        const methods: MethodSyntax[] = [];
        const locators: LocatorSyntax[] = [];
        const part = this.#container(head, BODIES.resource, (member) =>
          this.#cursor.kind === 'locator' ? keep(locators, this.#locator(member)) : keep(methods, this.#method(member)),
        );
        return part && { ...part, form, methods, locators };
      }
      default:
        this.#cursor.complain("'class', 'struct', 'enum', 'error' or 'resource'");
        this.#cursor.toNextDeclaration();
        return undefined;
    }
  }

  #attribute(head: Head): AttributeSyntax | undefined {
    const link = this.#cursor.skip('link');
    if (!link) this.#cursor.skip('attribute');
    const name = this.#cursor.name("the name of an attribute or '}'");
    const type = name && this.#type();
    return name && type && { ...this.#part(head, name), link, type };
  }

  #value(head: Head): Part | undefined {
    this.#cursor.skip('value');
    const name = this.#cursor.name("the name of a value or '}'");
    return name && this.#part(head, name);
  }

  #locator(head: Head): LocatorSyntax | undefined {
    let target: Word | undefined;
    let variable = false;
    const part = this.#container(head, BODIES.locator, (member) => {
      if (!this.#unmarked(member, BODIES.locator)) return false;
      if (this.#cursor.skip('target')) {
        target = this.#cursor.name('the name of a resource') ?? target;
        return target !== undefined;
      }
      if (this.#cursor.expect('variable', "'target', 'variable' or '}'") === undefined) return false;
      variable = true;
      return this.#cursor.name('the name of the variable') !== undefined;
    });
    return part && { ...part, target, variable };
  }

  #method(head: Head): MethodSyntax | undefined {
    const parameters: ParameterSyntax[] = [];
    const named = this.#cursor.kind === 'name';
    if (!named && this.#cursor.kind !== 'method') {
      this.#cursor.complain("'method', 'locator' or '}'");
      return undefined;
    }
    const part = this.#container(
      head,
      BODIES.method,
      (member) => keep(parameters, this.#parameter(member)),
      named ? this.#cursor.name('') : undefined,
    );
    return part && { ...part, parameters };
  }

  #parameter(head: Head): ParameterSyntax | undefined {
    this.#cursor.skip('parameter');
    let input = false;
    let output = false;
    for (;;) {
      if (this.#cursor.skip('in')) input = true;
      else if (this.#cursor.skip('out')) output = true;
      else break;
    }
    const name = this.#cursor.name("the name of a parameter, 'in', 'out' or '}'");
    const type = name && this.#type();
    if (name === undefined || type === undefined) return undefined;
    let initial: Literal | undefined;
    if (this.#cursor.skip('=')) {
      initial = this.#literal();
      if (initial === undefined) return undefined;
    }
    return { ...this.#part(head, name), input, output: output || !input, type, default: initial };
  }

  #type(): TypeSyntax | undefined {
    if (!this.#cursor.skip('[')) {
      const element = this.#cursor.name('the name of a type');
      return element && { form: 'plain', element, key: undefined };
    }
    if (this.#cursor.skip(']')) {
      const element = this.#cursor.name("the name of the elements' type");
      return element && { form: 'list', element, key: undefined };
    }
    const key = this.#cursor.name("the name of the keys' type or ']'");
    if (key === undefined || this.#cursor.expect(']', "']'") === undefined) return undefined;
    const element = this.#cursor.name("the name of the elements' type");
    return element && { form: 'map', element, key };
  }

  #literal(): Literal | undefined {
    switch (this.#cursor.kind) {
      case 'true':
      case 'false':
        return this.#cursor.next().kind === 'true';
      case 'number':
      case 'string':
        return this.#cursor.next().value;
      default:
        this.#cursor.complain("'true', 'false', a number or a string");
        return undefined;
    }
  }

  /**
   * A part with a body: a word (unless the name was read already), a name, and members in braces.
   *
   * @param member  reads one member and says whether it could
   * @returns undefined if there is no name to call it by
   */
  #container(head: Head, body: Body, member: (head: Head) => boolean, known?: Word): Part | undefined {
    const cursor = this.#cursor;
    if (known === undefined) cursor.next();
    const name = known ?? cursor.name(body.named);
    // Nothing but a brace or a member in sight: what was meant is something else.
    if (name === undefined && cursor.kind !== '{') return undefined;
    let broken = !cursor.open() || name === undefined;
    while (!cursor.skip('}')) {
      const start = cursor.index;
      const inner = this.#head();
      if (inner !== undefined && this.#isUnclosed(body)) {
        cursor.complain(`${body.members} or '}'`);
        // Marks belong to what comes, not to this.
        cursor.rewind(cursor.kind === 'end' ? cursor.index : start);
        broken = true;
        break;
      }
      if (inner === undefined || !member(inner)) {
        broken = true;
        cursor.toNextMember(start, body.starts);
      }
    }
    return name && this.#part(head, name, broken);
  }

  /** The next token belongs to something around the body, or is the end. */
  #isUnclosed({ outer }: Body): boolean {
    const { kind } = this.#cursor;
    return kind === 'end' || outer.has(kind) || this.#cursor.atDeclaration();
  }

  #head(): Head | undefined {
    const first = this.#cursor.index;
    const marks: Mark[] = [];
    while (this.#cursor.kind === '@') {
      const at = this.#cursor.next();
      const name = this.#cursor.expect('name', 'the name of a mark');
      if (name === undefined) {
        if (this.#cursor.isOnSameLine()) this.#cursor.next();
        continue;
      }
      const parameters = this.#markParameters();
      if (parameters === undefined) return undefined;
      const place = name.line === at.line ? placeOf(at, name) : placeOf(at);
      marks.push({ name: name.text, parameters, place });
    }
    return { first, marks };
  }

  #markParameters(): MarkParameter[] | undefined {
    const parameters: MarkParameter[] = [];
    if (!this.#cursor.skip('(')) return parameters;
    while (!this.#cursor.skip(')')) {
      const name = this.#cursor.expect('name', "the name of a mark's parameter or ')'");
      if (name === undefined || this.#cursor.expect('=', "'='") === undefined) return undefined;
      const value = this.#literal();
      if (value === undefined) return undefined;
      parameters.push({ name: name.text, value, place: placeOf(name) });
    }
    return parameters;
  }

  /** Complains about marks where none can be. */
  #unmarked({ first, marks }: Head, { members }: Body): boolean {
    if (marks.length === 0) return true;
    this.#cursor.rewind(first);
    this.#cursor.complain(`${members} or '}'`);
    return false;
  }

  #part({ first, marks }: Head, name: Word, broken = false): Part {
    const { text, notes } = this.#documents.takeAbove(this.#cursor.lineOf(first));
    const item = {
      name: name.name,
      documentation: text,
      annotations: marks.length === 0 ? NO_ANNOTATIONS : annotationsOf(marks),
      deprecated: marks.some((mark) => mark.name === 'deprecated'),
      place: name.place,
    };
    return { item, marks, notes, first, last: this.#cursor.index - 1, broken };
  }
}

function keep<T>(list: T[], item: T | undefined): boolean {
  if (item === undefined) return false;
  list.push(item);
  return true;
}
