// The selection of hosts by their labels, as `hostSelector` of a HostClaim says it. Pure.
//
// Operators may be written in any case, as `In` and `in`. An unknown operator, or a wrong number of values, selects
// nothing.
import type { Maybe } from './host-json.ts';

export interface HostSelector {
  readonly matchLabels?: Maybe<Readonly<Record<string, string>>>;
  readonly matchExpressions?: Maybe<readonly Expression[]>;
  readonly inNamespace?: Maybe<string>;
}

interface Expression {
  readonly key: string;
  readonly operator: string;
  readonly values?: Maybe<readonly string[]>;
}

type Labels = Readonly<Record<string, string>>;

interface Operator {
  readonly takes: (count: number) => boolean;
  /** @param value  of the label; undefined: there is none */
  readonly holds: (value: string | undefined, values: readonly string[]) => boolean;
}

const isIn = (value: string | undefined, values: readonly string[]): boolean =>
  value !== undefined && values.includes(value);
const isOne = (count: number): boolean => count === 1;
const isSome = (count: number): boolean => count > 0;
const isNone = (count: number): boolean => count === 0;

/** An absent label equals none of the values. */
const OPERATORS: ReadonlyMap<string, Operator> = new Map([
  ['=', { takes: isOne, holds: isIn }],
  ['==', { takes: isOne, holds: isIn }],
  ['!=', { takes: isOne, holds: (value, values) => !isIn(value, values) }],
  ['in', { takes: isSome, holds: isIn }],
  ['notin', { takes: isSome, holds: (value, values) => !isIn(value, values) }],
  ['exists', { takes: isNone, holds: (value) => value !== undefined }],
  ['!', { takes: isNone, holds: (value) => value === undefined }],
]);

/** Whether labels are what a selector asks for; nothing asked for: they are. Where the object is, is not looked at. */
export function isSelected(labels: Maybe<Labels>, selector: Maybe<HostSelector>): boolean {
  const labeled = (key: string): string | undefined =>
    labels != null && Object.hasOwn(labels, key) ? labels[key] : undefined;
  const { matchLabels, matchExpressions } = selector ?? {};
  return (
    Object.entries(matchLabels ?? {}).every(([key, value]) => labeled(key) === value) &&
    (matchExpressions ?? []).every(({ key, operator, values }) => {
      const known = OPERATORS.get(operator.toLowerCase());
      return known?.takes(values?.length ?? 0) === true && known.holds(labeled(key), values ?? []);
    })
  );
}
