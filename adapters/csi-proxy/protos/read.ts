// Reads a `.proto` file. The grammar, types and options are as protobufjs reads them; places and comments come from the
// statements of the same text, which are found by the names that both have.
import protobuf from 'protobufjs';
import { hint } from '../../text/nearest.ts';
import {
  Cardinality,
  type Element,
  type Enum,
  type EnumValue,
  type Field,
  MARKS,
  type Message,
  type Package,
  type Position,
  type Problem,
  ProtoError,
  type ProtoFile,
  type Rpc,
  SCALARS,
  type Scalar,
  type Service,
  type TypeRef,
} from './model.ts';
import { MAX_ENUM_NUMBER, MAX_FIELD_NUMBER, reservedIn } from './reserved.ts';
import { type Statement, statements, type Token, tokenAt, tokens, unquoted } from './statements.ts';
import { problemsOf, sameTwice } from './validate.ts';

const LABELS = ['optional', 'repeated', 'required'];
const MARK = /^\s*\+([a-z][a-z-]*)\s*$/;
/** Options in brackets or after `option` that have a meaning here. */
const OPTIONS = ['deprecated', 'json_name'];

/**
 * @param file  stands in the places and messages; nothing is read from it
 * @throws {ProtoError} `text` is no proto, contradicts itself, or has what is not read here: imports, groups, extensions
 */
export function readProto(text: string, file: string): ProtoFile {
  const found = tokens(text, file);
  // An object has no such property of its own, in protobufjs' reflection as in generated code.
  const unusable = found.filter((token) => token.text === '__proto__');
  if (unusable.length > 0)
    throw new ProtoError(unusable.map(({ at }) => ({ at, message: "'__proto__' can be no name" })));
  const tree = statements(found);
  return new Reading(file, tree, parse(text, file, found, tree)).read();
}

function parse(
  text: string,
  file: string,
  found: readonly Token[],
  tree: readonly Statement[],
): protobuf.IParserResult {
  try {
    return protobuf.parse(text, { keepCase: true });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const [, what = '', line] = /^(.*) \(line (\d+)\)$/s.exec(message) ?? [];
    if (line !== undefined) throw new ProtoError([syntaxProblem(what, Number(line), found, file)], { cause: error });
    // Errors of protobufjs after parsing have no line: repeated names and numbers.
    const taken = sameTwice(tree);
    throw new ProtoError(taken.length > 0 ? taken : [{ at: { file, line: 1, column: 1 }, message }], { cause: error });
  }
}

function syntaxProblem(what: string, line: number, found: readonly Token[], file: string): Problem {
  const [, illegal] = /'([^']*)'/.exec(what) ?? [];
  const at = found.findLast((token) => token.at.line === line && token.text === illegal)?.at;
  if (at !== undefined) return { at, message: what };
  if (illegal !== 'null') return { at: { file, line, column: 1 }, message: what };
  const [, expected] = /'null', ('.*' expected)$/.exec(what) ?? [];
  return {
    at: found.at(-1)?.at ?? { file, line, column: 1 },
    message: expected === undefined ? 'the file ends too early' : `the file ends too early: ${expected}`,
  };
}

class Reading {
  readonly #file: string;
  readonly #tree: readonly Statement[];
  readonly #root: protobuf.Root;
  readonly #packageName: string;
  readonly #problems: Problem[] = [];
  readonly #unsupported: Problem[] = [];

  constructor(file: string, tree: readonly Statement[], { root, package: packageName = '' }: protobuf.IParserResult) {
    this.#file = file;
    this.#tree = tree;
    this.#root = root;
    this.#packageName = packageName;
  }

  read(): ProtoFile {
    // Gives back the namespace that is there.
    const namespace = this.#packageName === '' ? this.#root : this.#root.define(this.#packageName);
    const syntax = this.#syntax();
    const file: ProtoFile = {
      file: this.#file,
      syntax,
      package: this.#package(),
      ...this.#declarations(this.#tree, namespace),
      services: this.#of(this.#tree, 'service').map((statement) => this.#service(statement, namespace)),
      unsupported: this.#unsupported,
    };
    this.#refuse(this.#tree);
    const problems = [...this.#problems, ...problemsOf(file)];
    if (problems.length > 0) throw new ProtoError(problems.sort((a, b) => byPlace(a.at, b.at)));
    this.#unsupported.sort((a, b) => byPlace(a.at, b.at));
    return file;
  }

  #of(tree: readonly Statement[] | undefined, keyword: string): readonly Statement[] {
    return (tree ?? []).filter(({ head: [first] }) => first?.text === keyword);
  }

  #syntax(): ProtoFile['syntax'] {
    const [keyword, , value] =
      this.#tree.find(({ head: [first] }) => ['syntax', 'edition'].includes(first?.text ?? ''))?.head ?? [];
    // Without the line a file is proto2.
    const name = value === undefined ? 'proto2' : unquoted(value);
    const at = keyword?.at ?? { file: this.#file, line: 1, column: 1 };
    if (name !== 'proto3') {
      this.#unsupported.push({
        at,
        message: `the syntax must be "proto3"${keyword === undefined ? '; the line is missing' : `, not "${name}"`}`,
      });
    }
    return { name, at };
  }

  #package(): Package | undefined {
    const [statement] = this.#of(this.#tree, 'package');
    const [keyword, name] = statement?.head ?? [];
    if (keyword === undefined || name === undefined) return undefined;
    return {
      name: this.#packageName,
      at: name.at,
      comment: keyword.above,
      deprecated: /^Deprecated:/m.test(keyword.above),
    };
  }

  #declarations(tree: readonly Statement[], parent: protobuf.NamespaceBase): Pick<Message, 'messages' | 'enums'> {
    return {
      messages: this.#of(tree, 'message').map((statement) => this.#message(statement, parent)),
      enums: this.#of(tree, 'enum').map((statement) => this.#enum(statement, parent)),
    };
  }

  #message({ head, body = [], comment }: Statement, parent: protobuf.NamespaceBase): Message {
    const name = tokenAt(head, 1);
    const type = parent.get(name.text);
    if (!(type instanceof protobuf.Type)) throw misread(name);
    const element = this.#element(name, comment, type, this.#path(type));
    return {
      ...element,
      ...this.#declarations(body, type),
      fields: body.flatMap((statement) =>
        this.#fields(statement, type).map((field) => ({ ...field, marks: withMarksOf(element, field) })),
      ),
      oneofs: this.#of(body, 'oneof').map(({ head: words, comment: above }) => {
        const oneof = tokenAt(words, 1);
        this.#unsupported.push({ at: oneof.at, message: `oneof '${element.path}.${oneof.text}' is not supported` });
        return this.#element(oneof, above, type.oneofs[oneof.text], `${element.path}.${oneof.text}`);
      }),
      reserved: reservedIn(body, MAX_FIELD_NUMBER),
    };
  }

  #fields(statement: Statement, type: protobuf.Type, oneof?: string): readonly Field[] {
    const [first, second] = statement.head;
    switch (first?.text) {
      case 'message':
      case 'enum':
      case 'option':
      case 'reserved':
      case 'extend':
      case 'extensions':
        return [];
      case 'oneof':
        return (statement.body ?? []).flatMap((inner) => this.#fields(inner, type, second?.text));
      default: {
        const isGroup = second?.text === 'group' && LABELS.includes(first?.text ?? '');
        if (!isGroup) return [this.#field(statement, type, oneof)];
        this.#problems.push({ at: second.at, message: 'groups are not read' });
        return [];
      }
    }
  }

  #field({ head, comment }: Statement, type: protobuf.Type, oneof: string | undefined): Field {
    const name = tokenAt(head, head.findIndex(({ text }) => text === '=') - 1);
    const field = type.fields[name.text];
    if (field === undefined) throw misread(name);
    const label = head.find(({ text }) => LABELS.includes(text) && text === head[0]?.text)?.text;
    const element = this.#element(name, comment, field, `${this.#path(type)}.${name.text}`);
    for (const unsupported of ['optional', 'required']) {
      if (label === unsupported) {
        this.#unsupported.push({
          at: name.at,
          message: `'${unsupported}' of field '${element.path}' is not supported`,
        });
      }
    }
    const isMap = field instanceof protobuf.MapField;
    const jsonName = field.options?.['json_name'];
    return {
      ...element,
      number: field.id,
      jsonName: typeof jsonName === 'string' ? jsonName : jsonNameOf(name.text),
      cardinality: isMap ? Cardinality.Map : field.repeated ? Cardinality.Repeated : Cardinality.Single,
      type: this.#type(field.type, type, tokenAt(head, isMap ? 4 : label === undefined ? 0 : 1)),
      keyType: isMap ? scalar(field.keyType) : undefined,
      optional: label === 'optional',
      oneof,
    };
  }

  #type(name: string, scope: protobuf.NamespaceBase, at: Token): TypeRef {
    const known = scalar(name);
    if (known !== undefined) return { kind: 'scalar', name: known };
    const found = scope.lookup(name, [protobuf.Type, protobuf.Enum]);
    if (found instanceof protobuf.Type) return { kind: 'message', name: this.#path(found) };
    if (found instanceof protobuf.Enum) return { kind: 'enum', name: this.#path(found) };
    const meant = hint(name, namesOf(this.#tree, ['message', 'enum']));
    this.#problems.push({ at: at.at, message: `there is no message and no enum '${name}'${meant}` });
    return { kind: 'message', name };
  }

  #enum({ head, body = [], comment }: Statement, parent: protobuf.NamespaceBase): Enum {
    const name = tokenAt(head, 1);
    const type = parent.get(name.text);
    if (!(type instanceof protobuf.Enum)) throw misread(name);
    const path = this.#path(type);
    const values = body
      .filter(({ head: [first, second] }) => first?.text !== 'option' && second?.text === '=')
      .map(({ head: words, comment: above }): EnumValue => {
        const value = tokenAt(words, 0);
        const number = type.values[value.text];
        if (number === undefined) throw misread(value);
        const options = type.valuesOptions?.[value.text];
        return { ...this.#element(value, above, { options }, `${path}.${value.text}`), number };
      });
    return { ...this.#element(name, comment, type, path), values, reserved: reservedIn(body, MAX_ENUM_NUMBER) };
  }

  #service({ head, body = [], comment }: Statement, parent: protobuf.NamespaceBase): Service {
    const name = tokenAt(head, 1);
    const service = parent.get(name.text);
    if (!(service instanceof protobuf.Service)) throw misread(name);
    const rpcs = this.#of(body, 'rpc').map((statement) => this.#rpc(statement, service));
    return { ...this.#element(name, comment, service, name.text), rpcs };
  }

  #rpc({ head, comment }: Statement, service: protobuf.Service): Rpc {
    const name = tokenAt(head, 1);
    const method = service.methods[name.text];
    if (method === undefined) throw misread(name);
    const element = this.#element(name, comment, method, `${service.name}.${name.text}`);
    const { requestStream = false, responseStream = false } = method;
    if (requestStream || responseStream) {
      this.#unsupported.push({ at: name.at, message: `RPC '${element.path}' must not stream` });
    }
    // The type is the last word inside its parentheses.
    const [request, response] = head.flatMap(({ text }, index) => (text === ')' ? [tokenAt(head, index - 1)] : []));
    return {
      ...element,
      request: this.#payload(method.requestType, service, request ?? name),
      response: this.#payload(method.responseType, service, response ?? name),
      requestStream,
      responseStream,
    };
  }

  #payload(name: string, service: protobuf.Service, at: Token): string {
    const found = service.lookup(name, [protobuf.Type]);
    if (found instanceof protobuf.Type) return this.#path(found);
    const meant = hint(name, namesOf(this.#tree, ['message']));
    this.#problems.push({ at: at.at, message: `there is no message '${name}'${meant}` });
    return name;
  }

  #element(
    name: Token,
    comment: string,
    of: { options?: { [k: string]: unknown } | undefined } | undefined,
    path: string,
  ): Element {
    const { proto3_optional: _, ...options } = of?.options ?? {};
    for (const option of Object.keys(options).filter((key) => !OPTIONS.includes(key))) {
      const message = `option '${option}' of '${path}' is not supported${hint(option, OPTIONS)}`;
      this.#unsupported.push({ at: name.at, message });
    }
    const lines = comment.split('\n');
    const marks = lines.flatMap((line) => MARK.exec(line)?.[1] ?? []);
    for (const unknown of marks.filter((mark) => !MARKS.some((known) => known === mark))) {
      const known = MARKS.map((mark) => `+${mark}`);
      const meant = hint(`+${unknown}`, known);
      const message = `'+${unknown}' above '${path}' is none of the marks ${known.join(', ')}${meant}`;
      this.#unsupported.push({ at: name.at, message });
    }
    return {
      name: name.text,
      path,
      at: name.at,
      comment: lines
        .filter((line) => !MARK.test(line))
        .join('\n')
        .trim(),
      marks: MARKS.filter((mark) => marks.includes(mark)),
      deprecated: options['deprecated'] === true,
      options,
    };
  }

  /** Parts that reflection has, and this model does not. */
  #refuse(tree: readonly Statement[]): void {
    for (const { head, body } of tree) {
      const [first] = head;
      if (first?.text === 'import')
        this.#problems.push({ at: first.at, message: 'imports are not read: a version is one file' });
      if (first?.text === 'extend' || first?.text === 'extensions') {
        this.#problems.push({ at: first.at, message: 'extensions are not read' });
      } else if (first?.text === 'message') this.#refuse(body ?? []);
    }
  }

  #path({ fullName }: protobuf.ReflectionObject): string {
    return fullName.slice(this.#packageName === '' ? 1 : this.#packageName.length + 2);
  }
}

/** A message that is marked is so with all its fields: behind its brace, a mark looks like one of the first field. */
function withMarksOf(message: Element, field: Element): Field['marks'] {
  return MARKS.filter((mark) => field.marks.includes(mark) || message.marks.includes(mark));
}

/** Names declared by one of the keywords, at any depth. */
function namesOf(tree: readonly Statement[], keywords: readonly string[]): readonly string[] {
  return tree.flatMap(({ head: [first, second], body = [] }) => [
    ...(keywords.includes(first?.text ?? '') && second !== undefined ? [second.text] : []),
    ...namesOf(body, keywords),
  ]);
}

/** protobufjs lets some words out of place pass, and reads what follows differently than it looks. */
function misread({ at, text }: Token): ProtoError {
  return new ProtoError([{ at, message: `'${text}' makes no sense here: is something out of place before it?` }]);
}

function scalar(name: string): Scalar | undefined {
  return SCALARS.find((scalar) => scalar === name);
}

/** As protoc makes it: underscores go, the letter behind one is a capital. */
function jsonNameOf(name: string): string {
  return name.replace(/_+(.?)/g, (_, next: string) => next.toUpperCase());
}

function byPlace(a: Position, b: Position): number {
  return a.line - b.line || a.column - b.column;
}
