// The functions that rules may call, with their types: those of CEL, of its extensions that the API server has, and of
// the API server's own libraries. Names between underscores are operators.
import type { CelType } from './types.ts';

export interface Overload {
  /** Written `target.name()`. */
  readonly isMember: boolean;
  readonly parameters: readonly CelType[];
  readonly result: CelType;
  readonly id: string;
}

const ORDERED = ['bool', 'int', 'uint', 'double', 'string', 'bytes', 'timestamp', 'duration'];
const NUMBERS = ['int', 'uint', 'double'];
const SUMMABLE = [...NUMBERS, 'duration'];

const comparisons = ['<', '<=', '>', '>='].flatMap((operator) => [
  ...ORDERED.map((type) => `_${operator}_(${type}, ${type}): bool #compare_${type}`),
  ...NUMBERS.flatMap((left) =>
    NUMBERS.filter((right) => right !== left).map((right) => `_${operator}_(${left}, ${right}): bool`),
  ),
]);

const dateParts = [
  'FullYear',
  'Month',
  'DayOfYear',
  'DayOfMonth',
  'Date',
  'DayOfWeek',
  'Hours',
  'Minutes',
  'Seconds',
  'Milliseconds',
];

const formats = [
  'dns1123Label',
  'dns1123Subdomain',
  'dns1035Label',
  'qualifiedName',
  'dns1123LabelPrefix',
  'dns1123SubdomainPrefix',
  'dns1035LabelPrefix',
  'labelValue',
  'uri',
  'uuid',
  'byte',
  'date',
  'datetime',
];

/** A is any type, and the same wherever it comes in a line. */
export const SIGNATURES: readonly string[] = [
  '!_(bool): bool',
  '_&&_(bool, bool): bool',
  '_||_(bool, bool): bool',
  '_?_:_(bool, A, A): A',
  '_==_(A, A): bool',
  '_!=_(A, A): bool',
  '@not_strictly_false(bool): bool',
  ...comparisons,
  '@in(A, list<A>): bool #in_list',
  '@in(A, map<A, B>): bool #in_map',
  ...[...NUMBERS, 'string', 'bytes', 'list<A>'].map((type) => `_+_(${type}, ${type}): ${type} #add_${type}`),
  '_+_(timestamp, duration): timestamp',
  '_+_(duration, timestamp): timestamp',
  '_+_(duration, duration): duration',
  ...NUMBERS.map((type) => `_-_(${type}, ${type}): ${type}`),
  '_-_(timestamp, timestamp): duration',
  '_-_(timestamp, duration): timestamp',
  '_-_(duration, duration): duration',
  ...NUMBERS.flatMap((type) => [`_*_(${type}, ${type}): ${type}`, `_/_(${type}, ${type}): ${type}`]),
  '_%_(int, int): int',
  '_%_(uint, uint): uint',
  '-_(int): int',
  '-_(double): double',
  '_[_](list<A>, int): A #index_list',
  '_[_](map<A, B>, A): B #index_map',
  '_[_](optional_type<list<A>>, int): optional_type<A>',
  '_[_](optional_type<map<A, B>>, A): optional_type<B>',
  '_[?_](list<A>, int): optional_type<A>',
  '_[?_](optional_type<list<A>>, int): optional_type<A>',
  '_[?_](map<A, B>, A): optional_type<B>',
  '_[?_](optional_type<map<A, B>>, A): optional_type<B>',
  ...['string', 'bytes', 'list<A>', 'map<A, B>'].flatMap((type) => [`size(${type}): int`, `${type}.size(): int`]),
  'type(A): type<A>',
  'dyn(A): dyn',
  ...['bool', 'string'].map((type) => `bool(${type}): bool`),
  ...['bytes', 'string'].map((type) => `bytes(${type}): bytes #bytes_of_${type}`),
  ...[...NUMBERS, 'string'].map((type) => `double(${type}): double`),
  ...[...NUMBERS, 'string', 'timestamp', 'duration'].map((type) => `int(${type}): int`),
  ...[...NUMBERS, 'string'].map((type) => `uint(${type}): uint`),
  ...[...NUMBERS, 'bool', 'string', 'bytes', 'timestamp', 'duration', 'net.IP', 'net.CIDR'].map(
    (type) => `string(${type}): string #string_of_${type}`,
  ),
  ...['timestamp', 'string', 'int'].map((type) => `timestamp(${type}): timestamp`),
  ...['duration', 'string'].map((type) => `duration(${type}): duration`),
  ...['contains', 'endsWith', 'startsWith'].map((name) => `string.${name}(string): bool #string.${name}`),
  'matches(string, string): bool #matches',
  'string.matches(string): bool #matches',
  ...dateParts.flatMap((part) => [`timestamp.get${part}(): int`, `timestamp.get${part}(string): int`]),
  ...['Hours', 'Minutes', 'Seconds', 'Milliseconds'].map((part) => `duration.get${part}(): int`),
  'string.charAt(int): string',
  ...['indexOf', 'lastIndexOf'].flatMap((name) => [
    `string.${name}(string): int`,
    `string.${name}(string, int): int`,
    `list<A>.${name}(A): int`,
  ]),
  'string.lowerAscii(): string',
  'string.upperAscii(): string',
  'string.replace(string, string): string',
  'string.replace(string, string, int): string',
  'string.split(string): list<string>',
  'string.split(string, int): list<string>',
  'string.substring(int): string',
  'string.substring(int, int): string',
  'string.trim(): string',
  'string.format(list<dyn>): string #format',
  'strings.quote(string): string #quote',
  'list<string>.join(): string',
  'list<string>.join(string): string',
  'string.find(string): string',
  'string.findAll(string): list<string>',
  'string.findAll(string, int): list<string>',
  ...ORDERED.flatMap((type) => [
    `list<${type}>.isSorted(): bool`,
    `list<${type}>.min(): ${type}`,
    `list<${type}>.max(): ${type}`,
  ]),
  ...SUMMABLE.map((type) => `list<${type}>.sum(): ${type}`),
  'list<A>.slice(int, int): list<A>',
  'list<list<A>>.flatten(): list<A>',
  'list<dyn>.flatten(int): list<dyn>',
  ...ORDERED.map((type) => `list<${type}>.sort(): list<${type}>`),
  ...ORDERED.map((type) => `list<A>.@sortByAssociatedKeys(list<${type}>): list<A>`),
  'lists.range(int): list<int>',
  'list<A>.reverse(): list<A>',
  'list<A>.distinct(): list<A>',
  'list<A>.first(): optional_type<A>',
  'list<A>.last(): optional_type<A>',
  ...['contains', 'equivalent', 'intersects'].map((name) => `sets.${name}(list<A>, list<A>): bool`),
  'cel.@mapInsert(map<A, B>, A, B): map<A, B>',
  'cel.@mapInsert(map<A, B>, map<A, B>): map<A, B>',
  'optional.of(A): optional_type<A>',
  'optional.ofNonZeroValue(A): optional_type<A>',
  'optional.none(): optional_type<A>',
  'optional_type<A>.value(): A',
  'optional_type<A>.hasValue(): bool',
  'optional_type<A>.or(optional_type<A>): optional_type<A>',
  'optional_type<A>.orValue(A): A',
  'isURL(string): bool',
  'url(string): kubernetes.URL',
  ...['Scheme', 'Host', 'Hostname', 'Port', 'EscapedPath'].map((part) => `kubernetes.URL.get${part}(): string`),
  'kubernetes.URL.getQuery(): map<string, list<string>>',
  'isIP(string): bool',
  'ip(string): net.IP',
  'ip.isCanonical(string): bool',
  'net.IP.family(): int',
  ...['Unspecified', 'Loopback', 'LinkLocalMulticast', 'LinkLocalUnicast', 'GlobalUnicast'].map(
    (what) => `net.IP.is${what}(): bool`,
  ),
  'isCIDR(string): bool',
  'cidr(string): net.CIDR',
  'net.CIDR.containsIP(string): bool #contains_text',
  'net.CIDR.containsIP(net.IP): bool',
  'net.CIDR.containsCIDR(string): bool #contains_text',
  'net.CIDR.containsCIDR(net.CIDR): bool',
  'net.CIDR.ip(): net.IP #cidr_ip',
  'net.CIDR.masked(): net.CIDR',
  'net.CIDR.prefixLength(): int',
  'isQuantity(string): bool',
  'quantity(string): kubernetes.Quantity',
  'kubernetes.Quantity.sign(): int',
  'kubernetes.Quantity.isInteger(): bool',
  'kubernetes.Quantity.asInteger(): int',
  'kubernetes.Quantity.asApproximateFloat(): double',
  ...['add', 'sub'].flatMap((name) => [
    `kubernetes.Quantity.${name}(kubernetes.Quantity): kubernetes.Quantity`,
    `kubernetes.Quantity.${name}(int): kubernetes.Quantity`,
  ]),
  ...['kubernetes.Quantity', 'kubernetes.Semver'].flatMap((type) => [
    `${type}.isGreaterThan(${type}): bool`,
    `${type}.isLessThan(${type}): bool`,
    `${type}.compareTo(${type}): int`,
  ]),
  'isSemver(string): bool',
  'isSemver(string, bool): bool',
  'semver(string): kubernetes.Semver',
  'semver(string, bool): kubernetes.Semver',
  ...['major', 'minor', 'patch'].map((name) => `kubernetes.Semver.${name}(): int`),
  'format.named(string): optional_type<kubernetes.NamedFormat>',
  ...formats.map((name) => `format.${name}(): kubernetes.NamedFormat`),
  'kubernetes.NamedFormat.validate(string): optional_type<list<string>>',
];

/** Types that have functions of their own, and dots in their names. */
const DOTTED = /^(net\.IP|net\.CIDR|kubernetes\.[A-Za-z]+)\./;
const NAMESPACES = /^(strings|lists|sets|cel|optional|format|ip)\.[@A-Za-z0-9]+\(/;

const SEPARATOR = /, (?![^<]*>)/;

function parseType(text: string): CelType {
  const [, name = text, inner] = /^([^<]+)<(.*)>$/.exec(text) ?? [];
  const parameters = inner === undefined ? [] : splitTypes(inner).map(parseType);
  return { name: /^[A-Z]$/.test(name) ? `_${name}` : name, parameters };
}

function splitTypes(text: string): string[] {
  return text === '' ? [] : text.split(SEPARATOR);
}

function parse(signature: string): readonly [string, Overload] {
  const [declaration = '', id] = signature.split(' #');
  const close = declaration.lastIndexOf('): ');
  const open = declaration.startsWith('_[') ? declaration.indexOf('](') + 1 : declaration.lastIndexOf('(', close);
  const head = declaration.slice(0, open);
  const dotted = DOTTED.exec(declaration)?.[1];
  const isNamespaced = dotted === undefined && NAMESPACES.test(declaration);
  const dot = isNamespaced || head.startsWith('_') ? -1 : head.lastIndexOf('.');
  const name = head.slice(dot + 1);
  const parameters = splitTypes(declaration.slice(open + 1, close)).map(parseType);
  const target = dot < 0 ? [] : [parseType(head.slice(0, dot))];
  return [
    name,
    {
      isMember: dot >= 0,
      parameters: [...target, ...parameters],
      result: parseType(declaration.slice(close + 3)),
      id: id ?? name,
    },
  ];
}

const overloads = new Map<string, Overload[]>();
for (const [name, overload] of SIGNATURES.map(parse)) {
  const known = overloads.get(name) ?? [];
  overloads.set(name, known);
  known.push(overload);
}

/** All ways to call a function, or undefined when there is none of the name. */
export const overloadsOf = (name: string): readonly Overload[] | undefined => overloads.get(name);
