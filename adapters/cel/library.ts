// The environment in which rules are evaluated: CEL, the extensions and the libraries that the API server has.
//
// A function whose name ends in an underscore replaces one that the evaluator has otherwise (evaluator.ts).
import { Environment, Optional } from '@marcbachmann/cel-js';
import { hasFormat } from '../text/formats.ts';
import { isList } from '../text/json.ts';
import { keyProblems, labelProblems, labelValueProblems, subdomainProblems } from '../text/names.ts';
import { patternOf } from '../text/patterns.ts';
import { Cidr, Ip, parseCidr, parseIp } from './addresses.ts';
import { CONVERSIONS, must, TIME_OPERATORS } from './conversions.ts';
import { defineMacros } from './macros.ts';
import { compare, holds, isEqual, isPlainMap, OPERATOR_FUNCTIONS } from './operators.ts';
import { normalizeSemver, parseQuantity, parseSemver, Quantity, quantityOf, Semver } from './quantities.ts';
import { findAll, formatText, pieces, place, position, quoteText, replaced, trimmed } from './text.ts';
import { Duration, Timestamp } from './times.ts';
import { isUrl, parseUrl, Url } from './urls.ts';

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

export const environment = new Environment({ homogeneousAggregateLiterals: false, enableOptionalTypes: true })
  .registerVariable('self', 'dyn')
  .registerVariable('oldSelf', 'dyn')
  .registerType('net.IP', Ip)
  .registerType('net.CIDR', Cidr)
  .registerType('timestamp', Timestamp)
  .registerType('duration', Duration)
  .registerType('kubernetes.URL', Url)
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

function define(functions: Readonly<Record<string, (...parameters: never[]) => unknown>>): void {
  for (const [signature, run] of Object.entries(functions)) {
    environment.registerFunction(signature, run, { async: false });
  }
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
  'string.trim_(): string': trimmed,
  'Strings.quote(string): string': (_: Strings, text: string) => quoteText(text),
});

define(OPERATOR_FUNCTIONS);
define(CONVERSIONS);
for (const [signature, run] of Object.entries(TIME_OPERATORS)) {
  environment.registerOperator(signature, run as (one: unknown, other: unknown) => unknown);
}

const typeOf = environment.parse('type(self)');
const [timestampType, durationType] = ['Timestamp', 'Duration'].map(
  (name) => environment.parse(`google.protobuf.${name}`)({}) as unknown,
);

define({
  'type_(dyn): type': (self: unknown) =>
    self instanceof Timestamp ? timestampType : self instanceof Duration ? durationType : typeOf({ self }),
});

const addition = environment.parse('self + oldSelf');

type Values = readonly unknown[];

const holdsAll = (list: Values, items: Values): boolean => items.every((one) => holds(list, one));

function extreme(list: Values, name: 'min' | 'max'): unknown {
  const [first, ...rest] = list;
  if (first === undefined) throw new Error(`${name} called on empty list`);
  return rest.reduce((best, one) => (compare(one, best) * (name === 'min' ? 1 : -1) < 0 ? one : best), first);
}

function flat(list: Values, depth: number): unknown[] {
  return list.flatMap((one) => (isList(one) && depth > 0 ? flat(one, depth - 1) : [one]));
}

define({
  'list.isSorted(): bool': (list: Values) =>
    list.every((one, index) => index === 0 || compare(one, list[index - 1]) >= 0),
  'list.sum(): dyn': (list: Values) => {
    const [first, ...rest] = list;
    return first === undefined ? 0n : rest.reduce((total, one) => addition({ self: total, oldSelf: one }), first);
  },
  'list.min(): dyn': (list: Values) => extreme(list, 'min'),
  'list.max(): dyn': (list: Values) => extreme(list, 'max'),
  'list.indexOf_(dyn): int': (list: Values, item: unknown) => BigInt(list.findIndex((one) => isEqual(one, item))),
  'list.lastIndexOf_(dyn): int': (list: Values, item: unknown) =>
    BigInt(list.findLastIndex((one) => isEqual(one, item))),
  'list.slice(int, int): list': (list: Values, from: bigint, to: bigint) => {
    if (from > to) throw new Error(`cannot slice(${from}, ${to}), start index must be less than or equal to end index`);
    return list.slice(place(from, list.length), place(to, list.length));
  },
  'list.flatten(): list': (list: Values) => flat(list, 1),
  'list.flatten(int): list': (list: Values, depth: bigint) => flat(list, Number(depth)),
  'list.sort(): list': (list: Values) => list.toSorted(compare),
  'list.join_(): string': (list: readonly string[]) => list.join(''),
  'list.join_(string): string': (list: readonly string[], separator: string) => list.join(separator),
  'list.reverse(): list': (list: Values) => list.toReversed(),
  'list.distinct(): list': (list: Values) => list.filter((one, index, all) => !holds(all.slice(0, index), one)),
  'list.first(): optional': (list: Values) => Optional.of(list[0]),
  'list.last(): optional': (list: Values) => Optional.of(list.at(-1)),
  'Lists.range(int): list<int>': (_: Lists, count: bigint) =>
    Array.from({ length: Number(count) }, (_, index) => BigInt(index)),
  'Sets.contains(list, list): bool': (_: Sets, list: Values, items: Values) => holdsAll(list, items),
  'Sets.equivalent(list, list): bool': (_: Sets, one: Values, other: Values) =>
    holdsAll(one, other) && holdsAll(other, one),
  'Sets.intersects(list, list): bool': (_: Sets, one: Values, other: Values) => one.some((item) => holds(other, item)),
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
  'net.IP.family(): int': (ip: Ip) => ip.family(),
  'net.IP.isUnspecified(): bool': (ip: Ip) => ip.isUnspecified(),
  'net.IP.isLoopback(): bool': (ip: Ip) => ip.isLoopback(),
  'net.IP.isLinkLocalMulticast(): bool': (ip: Ip) => ip.isLinkLocalMulticast(),
  'net.IP.isLinkLocalUnicast(): bool': (ip: Ip) => ip.isLinkLocalUnicast(),
  'net.IP.isGlobalUnicast(): bool': (ip: Ip) => ip.isGlobalUnicast(),
  'isCIDR(string): bool': (text: string) => parseCidr(text) !== undefined,
  'cidr(string): net.CIDR': cidrOf,
  'net.CIDR.containsIP(string): bool': (cidr: Cidr, text: string) => cidr.contains(ipOf(text)),
  'net.CIDR.containsIP(net.IP): bool': (cidr: Cidr, ip: Ip) => cidr.contains(ip),
  'net.CIDR.containsCIDR(string): bool': (cidr: Cidr, text: string) => cidr.containsRange(cidrOf(text)),
  'net.CIDR.containsCIDR(net.CIDR): bool': (cidr: Cidr, other: Cidr) => cidr.containsRange(other),
  'net.CIDR.ip(): net.IP': (cidr: Cidr) => cidr.address,
  'net.CIDR.masked(): net.CIDR': (cidr: Cidr) => cidr.masked(),
  'net.CIDR.prefixLength(): int': (cidr: Cidr) => BigInt(cidr.prefixLength),
});

const quantityIn = (text: string): Quantity =>
  must(
    parseQuantity(text),
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  );
const versionOf = (text: string): Semver => must(parseSemver(text), `invalid semver: ${text}`);

function integerOf(quantity: Quantity): bigint {
  if (!quantity.isInteger()) throw new Error('cannot convert value to integer');
  return quantity.integer();
}

define({
  'isQuantity(string): bool': (text: string) => parseQuantity(text) !== undefined,
  'quantity(string): kubernetes.Quantity': quantityIn,
  'kubernetes.Quantity.sign(): int': (one: Quantity) => one.compareTo(quantityOf(0n)),
  'kubernetes.Quantity.isInteger(): bool': (one: Quantity) => one.isInteger(),
  'kubernetes.Quantity.asInteger(): int': integerOf,
  'kubernetes.Quantity.asApproximateFloat(): double': (one: Quantity) => Number(one.billionths) / 1e9,
  'kubernetes.Quantity.add(kubernetes.Quantity): kubernetes.Quantity': (one: Quantity, other: Quantity) =>
    one.plus(other),
  'kubernetes.Quantity.add(int): kubernetes.Quantity': (one: Quantity, other: bigint) => one.plus(quantityOf(other)),
  'kubernetes.Quantity.sub(kubernetes.Quantity): kubernetes.Quantity': (one: Quantity, other: Quantity) =>
    one.minus(other),
  'kubernetes.Quantity.sub(int): kubernetes.Quantity': (one: Quantity, other: bigint) => one.minus(quantityOf(other)),
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

define({
  'isURL(string): bool': isUrl,
  'url(string): kubernetes.URL': (text: string) =>
    must(
      parseUrl(text),
      `URL parse error during conversion from string: parse ${JSON.stringify(text)}: invalid URI for request`,
    ),
  'kubernetes.URL.getScheme(): string': ({ scheme }: Url) => scheme,
  'kubernetes.URL.getHost(): string': ({ host }: Url) => host,
  'kubernetes.URL.getHostname(): string': ({ hostname }: Url) => hostname,
  'kubernetes.URL.getPort(): string': ({ port }: Url) => port,
  'kubernetes.URL.getEscapedPath(): string': ({ escapedPath }: Url) => escapedPath,
  'kubernetes.URL.getQuery(): map': ({ values }: Url) => values,
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

/** Whether the API server counts a value as absent where it is made an optional. */
function isZero(value: unknown): boolean {
  if (isList(value)) return value.length === 0;
  if (isPlainMap(value)) return Object.keys(value).length === 0;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof Duration) return value.nanoseconds === 0n;
  return value === null || value === false || value === '' || isEqual(value, 0n);
}

define({
  'OptionalNamespace.ofNonZeroValue(dyn): optional': (_: unknown, value: unknown) =>
    isZero(value) ? Optional.none() : Optional.of(value),
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
