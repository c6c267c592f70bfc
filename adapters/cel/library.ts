// The environment in which rules are evaluated: CEL, the extensions and the libraries that the API server has.
//
// A function that the evaluator has otherwise than the API server is called by a name of its own, which `renamed` puts
// in the place of the other: patterns are RE2, and places in texts are counted in code points.
import { type ASTNode, Environment, Optional, ParseError } from '@marcbachmann/cel-js';
import { hasFormat } from '../text/formats.ts';
import { isList, isMap } from '../text/json.ts';
import { keyProblems, labelProblems, labelValueProblems, subdomainProblems } from '../text/names.ts';
import { patternOf } from '../text/patterns.ts';
import { Cidr, Ip, parseCidr, parseIp } from './addresses.ts';
import { defineMacros } from './macros.ts';
import { normalizeSemver, parseQuantity, parseSemver, Quantity, Semver } from './quantities.ts';
import { findAll, formatText, pieces, place, position, quoteText, replaced } from './text.ts';

/** Receivers of functions whose names have a dot. */
class Namespace {
  readonly of: string;
  constructor(of: string) {
    this.of = of;
  }
}
class Sets extends Namespace {}
class Strings extends Namespace {}
class Lists extends Namespace {}
class Formats extends Namespace {}
class Addresses extends Namespace {}

class NamedFormat {
  readonly validate: (text: string) => readonly string[];
  constructor(validate: (text: string) => readonly string[]) {
    this.validate = validate;
  }
}

const environment = new Environment({ homogeneousAggregateLiterals: false, enableOptionalTypes: true })
  .registerVariable('self', 'dyn')
  .registerVariable('oldSelf', 'dyn')
  .registerType('net.IP', Ip)
  .registerType('net.CIDR', Cidr)
  .registerType('kubernetes.URL', URL)
  .registerType('kubernetes.Quantity', Quantity)
  .registerType('kubernetes.Semver', Semver)
  .registerType('kubernetes.NamedFormat', NamedFormat);

for (const [name, type] of Object.entries({
  sets: Sets,
  strings: Strings,
  lists: Lists,
  format: Formats,
  ip: Addresses,
})) {
  environment.registerType(type.name, type).registerConstant(name, type.name, new type(name));
}

/** Functions that the evaluator has otherwise: the API server's are called by these names and an underscore. */
const OWN_NAMES: ReadonlySet<string> = new Set([
  'matches',
  'indexOf',
  'lastIndexOf',
  'substring',
  'split',
  'lowerAscii',
  'upperAscii',
]);

function define(functions: Readonly<Record<string, (...parameters: never[]) => unknown>>): void {
  for (const [signature, run] of Object.entries(functions)) environment.registerFunction(signature, run);
}

function must<T>(value: T | undefined, why: string): T {
  if (value === undefined) throw new Error(why);
  return value;
}

define({
  'matches(string, string): bool': (text: string, pattern: string) => patternOf(pattern).test(text),
  'string.matches_(string): bool': (text: string, pattern: string) => patternOf(pattern).test(text),
  'string.find(string): string': (text: string, pattern: string) => findAll(text, pattern, 1n)[0] ?? '',
  'string.findAll(string): list<string>': (text: string, pattern: string) => findAll(text, pattern, -1n),
  'string.findAll(string, int): list<string>': findAll,
  'string.charAt(int): string': (text: string, at: bigint) => [...text][place(at, [...text].length)] ?? '',
  'string.indexOf_(string): int': (text: string, part: string) => position(text, part, 'first'),
  'string.indexOf_(string, int): int': (text: string, part: string, at: bigint) => position(text, part, 'first', at),
  'string.lastIndexOf_(string): int': (text: string, part: string) => position(text, part, 'last'),
  'string.lastIndexOf_(string, int): int': (text: string, part: string, at: bigint) => position(text, part, 'last', at),
  'string.substring_(int): string': (text: string, from: bigint) =>
    [...text].slice(place(from, [...text].length)).join(''),
  'string.substring_(int, int): string': (text: string, from: bigint, to: bigint) => {
    const points = [...text];
    if (from > to) throw new Error(`invalid substring range. start: ${from}, end: ${to}`);
    return points.slice(place(from, points.length), place(to, points.length)).join('');
  },
  'string.replace(string, string): string': (text: string, from: string, to: string) => replaced(text, from, to, -1n),
  'string.replace(string, string, int): string': replaced,
  'string.split_(string): list<string>': (text: string, separator: string) => pieces(text, separator, -1n),
  'string.split_(string, int): list<string>': pieces,
  'string.lowerAscii_(): string': (text: string) => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()),
  'string.upperAscii_(): string': (text: string) => text.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase()),
  'string.format(list): string': formatText,
  'string(google.protobuf.Duration): string': String,
  'string(google.protobuf.Timestamp): string': (time: Date) => time.toISOString().replace(/\.?0*Z$/, 'Z'),
  'Strings.quote(string): string': (_: Strings, text: string) => quoteText(text),
});

/** The members of a list, which is a set where the schema says so. */
const members = (list: readonly unknown[] | ReadonlySet<unknown>): unknown[] => [...list];

const equality = environment.parse('self == oldSelf');

function isEqual(self: unknown, oldSelf: unknown): boolean {
  return equality({ self, oldSelf }) === true;
}

const order = environment.parse('self < oldSelf');

function isLess(self: unknown, oldSelf: unknown): boolean {
  return order({ self, oldSelf }) === true;
}

const addition = environment.parse('self + oldSelf');

type Members = readonly unknown[] | ReadonlySet<unknown>;

const holds = (list: readonly unknown[], item: unknown): boolean => list.some((one) => isEqual(one, item));
const holdsAll = (list: Members, items: Members): boolean => members(items).every((one) => holds(members(list), one));

function extreme(list: Members, name: 'min' | 'max'): unknown {
  const [first, ...rest] = members(list);
  if (first === undefined) throw new Error(`${name} called on empty list`);
  return rest.reduce((best, one) => ((name === 'min' ? isLess(one, best) : isLess(best, one)) ? one : best), first);
}

function flat(list: Members, depth: number): unknown[] {
  return members(list).flatMap((one) =>
    (isList(one) || one instanceof Set) && depth > 0 ? flat(one, depth - 1) : [one],
  );
}

function sorted(list: Members): unknown[] {
  return members(list).sort((left, right) => (isLess(left, right) ? -1 : isLess(right, left) ? 1 : 0));
}

define({
  'list.isSorted(): bool': (list: Members) => {
    const all = members(list);
    return all.every((one, index) => index === 0 || !isLess(one, all[index - 1]));
  },
  'list.sum(): dyn': (list: Members) => {
    const [first, ...rest] = members(list);
    return first === undefined ? 0n : rest.reduce((total, one) => addition({ self: total, oldSelf: one }), first);
  },
  'list.min(): dyn': (list: Members) => extreme(list, 'min'),
  'list.max(): dyn': (list: Members) => extreme(list, 'max'),
  'list.indexOf_(dyn): int': (list: Members, item: unknown) =>
    BigInt(members(list).findIndex((one) => isEqual(one, item))),
  'list.lastIndexOf_(dyn): int': (list: Members, item: unknown) =>
    BigInt(members(list).findLastIndex((one) => isEqual(one, item))),
  'list.slice(int, int): list': (list: Members, from: bigint, to: bigint) => {
    const all = members(list);
    if (from > to) throw new Error(`cannot slice(${from}, ${to}), start index must be less than or equal to end index`);
    return all.slice(place(from, all.length), place(to, all.length));
  },
  'list.flatten(): list': (list: Members) => flat(list, 1),
  'list.flatten(int): list': (list: Members, depth: bigint) => flat(list, Number(depth)),
  'list.sort(): list': sorted,
  'list.reverse(): list': (list: Members) => members(list).reverse(),
  'list.distinct(): list': (list: Members) =>
    members(list).filter((one, index, all) => !holds(all.slice(0, index), one)),
  'list.first(): optional': (list: Members) => Optional.of(members(list)[0]),
  'list.last(): optional': (list: Members) => Optional.of(members(list).at(-1)),
  'Lists.range(int): list<int>': (_: Lists, count: bigint) =>
    Array.from({ length: Number(count) }, (_, index) => BigInt(index)),
  'Sets.contains(list, list): bool': (_: Sets, list: Members, items: Members) => holdsAll(list, items),
  'Sets.equivalent(list, list): bool': (_: Sets, one: Members, other: Members) =>
    holdsAll(one, other) && holdsAll(other, one),
  'Sets.intersects(list, list): bool': (_: Sets, one: Members, other: Members) =>
    members(one).some((item) => holds(members(other), item)),
});

function ipOf(text: string): Ip {
  if (/^::ffff:\d+\.\d+\.\d+\.\d+$/i.test(text)) {
    throw new Error(`IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`);
  }
  const why = `IP Address "${text}" parse error during conversion from string: ParseAddr("${text}"): unable to parse IP`;
  return must(parseIp(text), why);
}
const cidrOf = (text: string): Cidr =>
  must(parseCidr(text), `network address parse error during conversion from string: ${text}`);

define({
  'isIP(string): bool': (text: string) => parseIp(text) !== undefined,
  'ip(string): net.IP': ipOf,
  'Addresses.isCanonical(string): bool': (_: Addresses, text: string) => ipOf(text).toString() === text,
  'string(net.IP): string': String,
  'net.IP.family(): int': (ip: Ip) => ip.family(),
  'net.IP.isUnspecified(): bool': (ip: Ip) => ip.isUnspecified(),
  'net.IP.isLoopback(): bool': (ip: Ip) => ip.isLoopback(),
  'net.IP.isLinkLocalMulticast(): bool': (ip: Ip) => ip.isLinkLocalMulticast(),
  'net.IP.isLinkLocalUnicast(): bool': (ip: Ip) => ip.isLinkLocalUnicast(),
  'net.IP.isGlobalUnicast(): bool': (ip: Ip) => ip.isGlobalUnicast(),
  'isCIDR(string): bool': (text: string) => parseCidr(text) !== undefined,
  'cidr(string): net.CIDR': cidrOf,
  'string(net.CIDR): string': String,
  'net.CIDR.containsIP(string): bool': (cidr: Cidr, text: string) => cidr.contains(ipOf(text)),
  'net.CIDR.containsIP(net.IP): bool': (cidr: Cidr, ip: Ip) => cidr.contains(ip),
  'net.CIDR.containsCIDR(string): bool': (cidr: Cidr, text: string) => cidr.containsRange(cidrOf(text)),
  'net.CIDR.containsCIDR(net.CIDR): bool': (cidr: Cidr, other: Cidr) => cidr.containsRange(other),
  'net.CIDR.ip(): net.IP': (cidr: Cidr) => cidr.address,
  'net.CIDR.masked(): net.CIDR': (cidr: Cidr) => cidr.masked(),
  'net.CIDR.prefixLength(): int': (cidr: Cidr) => BigInt(cidr.prefixLength),
});
environment.registerOperator('net.IP == net.IP', (one: Ip, other: Ip) => String(one) === String(other));
environment.registerOperator('net.CIDR == net.CIDR', (one: Cidr, other: Cidr) => String(one) === String(other));

const quantityOf = (text: string): Quantity =>
  must(
    parseQuantity(text),
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  );
const versionOf = (text: string): Semver => must(parseSemver(text), `invalid semver: ${text}`);

function integerOf(quantity: Quantity): bigint {
  if (!quantity.isInteger()) throw new Error('cannot convert value to integer');
  return quantity.integer();
}

const inBillionths = (value: bigint): bigint => value * 1_000_000_000n;

define({
  'isQuantity(string): bool': (text: string) => parseQuantity(text) !== undefined,
  'quantity(string): kubernetes.Quantity': quantityOf,
  'kubernetes.Quantity.sign(): int': (one: Quantity) => one.compareTo(new Quantity(0n)),
  'kubernetes.Quantity.isInteger(): bool': (one: Quantity) => one.isInteger(),
  'kubernetes.Quantity.asInteger(): int': integerOf,
  'kubernetes.Quantity.asApproximateFloat(): double': (one: Quantity) => Number(one.billionths) / 1e9,
  'kubernetes.Quantity.add(kubernetes.Quantity): kubernetes.Quantity': (one: Quantity, other: Quantity) =>
    new Quantity(one.billionths + other.billionths),
  'kubernetes.Quantity.add(int): kubernetes.Quantity': (one: Quantity, other: bigint) =>
    new Quantity(one.billionths + inBillionths(other)),
  'kubernetes.Quantity.sub(kubernetes.Quantity): kubernetes.Quantity': (one: Quantity, other: Quantity) =>
    new Quantity(one.billionths - other.billionths),
  'kubernetes.Quantity.sub(int): kubernetes.Quantity': (one: Quantity, other: bigint) =>
    new Quantity(one.billionths - inBillionths(other)),
  'kubernetes.Quantity.isGreaterThan(kubernetes.Quantity): bool': (one: Quantity, other: Quantity) =>
    one.compareTo(other) > 0n,
  'kubernetes.Quantity.isLessThan(kubernetes.Quantity): bool': (one: Quantity, other: Quantity) =>
    one.compareTo(other) < 0n,
  'kubernetes.Quantity.compareTo(kubernetes.Quantity): int': (one: Quantity, other: Quantity) => one.compareTo(other),
  'isSemver(string): bool': (text: string) => parseSemver(text) !== undefined,
  'isSemver(string, bool): bool': (text: string, isLoose: boolean) =>
    parseSemver(isLoose ? normalizeSemver(text) : text) !== undefined,
  'semver(string): kubernetes.Semver': versionOf,
  'semver(string, bool): kubernetes.Semver': (text: string, isLoose: boolean) =>
    versionOf(isLoose ? normalizeSemver(text) : text),
  'kubernetes.Semver.isGreaterThan(kubernetes.Semver): bool': (one: Semver, other: Semver) => one.compareTo(other) > 0n,
  'kubernetes.Semver.isLessThan(kubernetes.Semver): bool': (one: Semver, other: Semver) => one.compareTo(other) < 0n,
  'kubernetes.Semver.compareTo(kubernetes.Semver): int': (one: Semver, other: Semver) => one.compareTo(other),
  'kubernetes.Semver.major(): int': ({ numbers }: Semver) => numbers[0],
  'kubernetes.Semver.minor(): int': ({ numbers }: Semver) => numbers[1],
  'kubernetes.Semver.patch(): int': ({ numbers }: Semver) => numbers[2],
});
environment.registerOperator(
  'kubernetes.Quantity == kubernetes.Quantity',
  (one: Quantity, other: Quantity) => one.compareTo(other) === 0n,
);
environment.registerOperator(
  'kubernetes.Semver == kubernetes.Semver',
  (one: Semver, other: Semver) => one.compareTo(other) === 0n,
);

function urlOf(text: string): URL | undefined {
  if (!hasFormat('uri', text)) return undefined;
  return URL.parse(text) ?? URL.parse(text, 'path://') ?? undefined;
}

const schemeOf = ({ protocol }: URL): string => (protocol === 'path:' ? '' : protocol.replace(/:$/, ''));

define({
  'isURL(string): bool': (text: string) => urlOf(text) !== undefined,
  'url(string): kubernetes.URL': (text: string) =>
    must(
      urlOf(text),
      `URL parse error during conversion from string: parse ${JSON.stringify(text)}: invalid URI for request`,
    ),
  'kubernetes.URL.getScheme(): string': schemeOf,
  'kubernetes.URL.getHost(): string': ({ host }: URL) => host,
  'kubernetes.URL.getHostname(): string': ({ hostname }: URL) => hostname.replace(/^\[(.*)\]$/, '$1'),
  'kubernetes.URL.getPort(): string': ({ port }: URL) => port,
  'kubernetes.URL.getEscapedPath(): string': ({ pathname }: URL) => pathname,
  'kubernetes.URL.getQuery(): map': ({ searchParams }: URL) =>
    new Map([...new Set(searchParams.keys())].map((key) => [key, searchParams.getAll(key)])),
});

const said =
  (why: string, format: string) =>
  (text: string): string[] =>
    hasFormat(format, text) ? [] : [why];

const label1035 = (text: string): string[] =>
  /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(text) && text.length <= 63
    ? []
    : [
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
      ];

/** Prefixes may end with a dash, since more follows. */
const prefix =
  (check: (text: string) => string[]) =>
  (text: string): string[] =>
    check(text.replace(/-$/, 'a'));

const FORMATS: Readonly<Record<string, (text: string) => readonly string[]>> = {
  dns1123Label: labelProblems,
  dns1123Subdomain: subdomainProblems,
  dns1035Label: label1035,
  qualifiedName: keyProblems,
  dns1123LabelPrefix: prefix(labelProblems),
  dns1123SubdomainPrefix: prefix(subdomainProblems),
  dns1035LabelPrefix: prefix(label1035),
  labelValue: labelValueProblems,
  uri: (text) => (hasFormat('uri', text) ? [] : [`parse ${JSON.stringify(text)}: invalid URI for request`]),
  uuid: said('does not match the UUID format', 'uuid'),
  byte: said('invalid base64', 'byte'),
  date: said('invalid date', 'date'),
  datetime: said('invalid datetime', 'date-time'),
};

define({
  'Formats.named(string): optional': (_: Formats, name: string) =>
    Object.hasOwn(FORMATS, name) ? Optional.of(new NamedFormat(FORMATS[name] ?? (() => []))) : Optional.none(),
  'kubernetes.NamedFormat.validate(string): optional': ({ validate }: NamedFormat, text: string) => {
    const problems = validate(text);
    return problems.length === 0 ? Optional.none() : Optional.of(problems);
  },
});
for (const [name, validate] of Object.entries(FORMATS)) {
  define({ [`Formats.${name}(): kubernetes.NamedFormat`]: () => new NamedFormat(validate) });
}

defineMacros(environment);

const toDuration = environment.parse('duration(self)');

/** The duration that a text of that format is, as rules see it. */
export function durationOf(text: string): unknown {
  const weeks = /^(\d+)\s*(d|day|days|w|wk|week|weeks)$/i.exec(text);
  const hours = weeks === null ? 0 : Number(weeks[1]) * (/^d/i.test(weeks[2] ?? '') ? 24 : 168);
  const self = weeks === null ? text.replaceAll(/\s/g, '') : `${hours}h`;
  return toDuration({ self }) as unknown;
}

export type Parsed = { readonly ast: ASTNode } | { readonly problem: string; readonly at: number };

/** Parses a rule as its author wrote it. */
export function parseExpression(text: string): Parsed {
  try {
    return { ast: environment.parse(text).ast };
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    const at = error.node?.start ?? 0;
    return error.code === 'invalid_macro_argument'
      ? { problem: 'argument must be a simple name', at }
      : { problem: `Syntax error: ${error.summary}`, at };
  }
}

/** The text with the names of functions that the evaluator has otherwise replaced. */
function renamed(text: string, ast: ASTNode): string {
  const places: number[] = [];
  const visit = (node: unknown): void => {
    if (isList(node)) for (const one of node) visit(one);
    if (!isMap(node)) return;
    const { op, args } = node;
    if (op === 'rcall' && isList(args) && OWN_NAMES.has(String(args[0]))) {
      const [name, receiver] = args;
      const after = isMap(receiver) ? Number(receiver['end']) : 0;
      const dot = text.indexOf('.', after);
      places.push(text.indexOf(String(name), dot) + String(name).length);
    }
    visit(args);
  };
  visit(ast);
  return places
    .sort((left, right) => right - left)
    .reduce((result, at) => `${result.slice(0, at)}_${result.slice(at)}`, text);
}

/**
 * Prepares an expression for evaluation.
 *
 * @throws {ParseError} the text is no CEL expression
 */
export function evaluator(text: string): (context: Readonly<Record<string, unknown>>) => unknown {
  const run = environment.parse(renamed(text, environment.parse(text).ast));
  return (context) => run({ ...context }) as unknown;
}
