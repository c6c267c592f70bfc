// Validation that protoc has for files of valid grammar, with positions: protobufjs accepts some of them, and reports
// others without a position.
import { allMessages, type Enum, type Message, type Problem, type ProtoFile, type Reserved } from './model.ts';
import {
  integer,
  isNameReserved,
  isNumberReserved,
  MAX_ENUM_NUMBER,
  MAX_FIELD_NUMBER,
  reservedIn,
} from './reserved.ts';
import { type Statement, type Token, tokenAt } from './statements.ts';

/** Kept by Protocol Buffers for itself. */
const KEPT = { from: 19_000, to: 19_999 };

export function problemsOf(file: ProtoFile): readonly Problem[] {
  return [...allMessages(file).flatMap(messageProblems), ...scopesOf(file).flatMap((scope) => valueProblems(scope))];
}

function messageProblems({ path, fields, reserved }: Message): readonly Problem[] {
  const found: Problem[] = reservedProblems(reserved);
  const jsonNames = new Map<string, string>();
  for (const { name, number, jsonName, at } of fields) {
    if (number < 1 || number > MAX_FIELD_NUMBER) {
      found.push({ at, message: `the number of a field is 1 to ${MAX_FIELD_NUMBER}; '${path}.${name}' has ${number}` });
    } else if (number >= KEPT.from && number <= KEPT.to) {
      found.push({
        at,
        message: `numbers ${KEPT.from} to ${KEPT.to} are Protocol Buffers' own; '${path}.${name}' has ${number}`,
      });
    }
    const taken = jsonNames.get(jsonName);
    if (taken !== undefined)
      found.push({ at, message: `'${path}.${name}' and '${path}.${taken}' are both '${jsonName}' in JSON` });
    jsonNames.set(jsonName, name);
  }
  return found;
}

interface Scope {
  readonly enums: readonly Enum[];
  /** The other names of the scope: an enum's values are names of what the enum is in, as in C++. */
  readonly names: readonly string[];
}

function scopesOf(file: ProtoFile): readonly Scope[] {
  return [
    { enums: file.enums, names: [...file.messages, ...file.enums, ...file.services].map(({ name }) => name) },
    ...allMessages(file).map(({ enums, messages, fields, oneofs }) => ({
      enums,
      names: [...messages, ...enums, ...fields, ...oneofs].map(({ name }) => name),
    })),
  ];
}

function valueProblems({ enums, names }: Scope): readonly Problem[] {
  const found: Problem[] = [];
  const owners = new Map<string, string>(names.map((name) => [name, 'another declaration']));
  for (const { path, at, values, reserved } of enums) {
    found.push(...reservedProblems(reserved));
    const [first] = values;
    if (first === undefined) found.push({ at, message: `enum '${path}' has no value` });
    else if (first.number !== 0) found.push({ at: first.at, message: `the first value of enum '${path}' must be 0` });
    for (const { name, number, at } of values) {
      if (number < -(2 ** 31) || number >= 2 ** 31)
        found.push({ at, message: `'${path}.${name}' does not fit 32 bits` });
      const owner = owners.get(name);
      if (owner !== undefined)
        found.push({ at, message: `'${name}' of enum '${path}' is the name of ${owner} of the same scope` });
      owners.set(name, `a value of enum '${path}'`);
    }
  }
  return found;
}

function reservedProblems({ ranges }: Reserved): Problem[] {
  return ranges.flatMap(({ from, to, at }) =>
    from <= to ? [] : [{ at, message: `the range ${from} to ${to} is empty` }],
  );
}

const NOT_DECLARED = ['syntax', 'edition', 'package', 'import', 'option', 'reserved', 'extend', 'extensions'];
const NAMED = ['message', 'enum', 'service', 'rpc', 'oneof'];

/** Names and numbers given twice, or given though they are reserved. */
export function sameTwice(tree: readonly Statement[]): readonly Problem[] {
  const found: Problem[] = [];
  const names = new Map<string, Token>();
  const numbers = new Map<number, Token>();
  const reserved = reservedIn(tree, MAX_ENUM_NUMBER);
  for (const { name, number } of tree.flatMap(declared)) {
    const namesake = names.get(name.text);
    if (namesake !== undefined) {
      found.push({ at: name.at, message: `'${name.text}' is declared already in line ${namesake.at.line}` });
    }
    names.set(name.text, name);
    if (number === undefined) continue;
    const twin = numbers.get(number);
    if (twin !== undefined) {
      found.push({
        at: name.at,
        message: `'${name.text}' has the number ${number} of '${twin.text}' in line ${twin.at.line}`,
      });
    }
    numbers.set(number, name);
    if (isNameReserved(reserved, name.text) || isNumberReserved(reserved, number)) {
      found.push({ at: name.at, message: `'${name.text}' or its number ${number} is reserved` });
    }
  }
  return [
    ...found,
    ...tree.flatMap(({ head: [first], body }) => (first?.text === 'oneof' ? [] : sameTwice(body ?? []))),
  ];
}

/** Names that a statement adds to its scope. */
function declared({ head, body }: Statement): readonly { name: Token; number: number | undefined }[] {
  const keyword = tokenAt(head, 0).text;
  const isAt = head.findIndex(({ text }) => text === '=');
  if (isAt > 0 && !NOT_DECLARED.includes(keyword)) {
    return [{ name: tokenAt(head, isAt - 1), number: integer(tokenAt(head, isAt + 1).text) }];
  }
  const [, name] = head;
  if (name === undefined || !NAMED.includes(keyword)) return [];
  return [{ name, number: undefined }, ...(keyword === 'oneof' ? (body ?? []).flatMap(declared) : [])];
}
