// Rules of a HostClaim: by which labels it selects hosts, and what it deploys on the one it gets.
import { imageProblems } from '../../host/image-rules.ts';
import { type JsonMap, listOf, mapOf, textOf } from '../../json-values.ts';
import { rebootProblems } from './host-annotations.ts';
import { isLabelKey, isLabelValue } from './label-syntax.ts';
import type { KindRules } from './rules.ts';

/** Number of values that an operator takes. */
const VALUES: ReadonlyMap<string, 'one' | 'some' | 'none'> = new Map([
  ['=', 'one'],
  ['==', 'one'],
  ['!=', 'one'],
  ['in', 'some'],
  ['notin', 'some'],
  ['exists', 'none'],
  ['!', 'none'],
]);

export const hostClaimRules: KindRules = {
  problems: (claim) => {
    const { hostSelector, image } = mapOf(claim['spec']);
    const { matchLabels, matchExpressions } = mapOf(hostSelector);
    return [
      ...Object.entries(mapOf(matchLabels)).flatMap(([key, value]) =>
        labelProblems('hostSelector.matchLabels', key, [value]),
      ),
      ...listOf(matchExpressions).flatMap((expression, index) =>
        expressionProblems(`hostSelector.matchExpressions[${index}]`, mapOf(expression)),
      ),
      ...rebootProblems(claim),
      ...imageProblems(image),
    ];
  },
};

function expressionProblems(at: string, expression: JsonMap): readonly string[] {
  const [key, operator] = [textOf(expression['key']), textOf(expression['operator'])];
  const values = listOf(expression['values']);
  const expected = VALUES.get(operator);
  if (expected === undefined) return [...labelProblems(at, key, values), `${at}: unknown operator "${operator}"`];
  const isRight = { one: values.length === 1, some: values.length > 0, none: values.length === 0 }[expected];
  const amount = { one: 'exactly one value', some: 'at least one value', none: 'no values' }[expected];
  return [
    ...labelProblems(at, key, values),
    ...(isRight ? [] : [`${at}: operator "${operator}" takes ${amount}, not ${values.length}`]),
  ];
}

function labelProblems(at: string, key: string, values: readonly unknown[]): readonly string[] {
  return [
    ...(isLabelKey(key) ? [] : [`${at}: "${key}" is no key of a label`]),
    ...values.map(textOf).flatMap((value) => (isLabelValue(value) ? [] : [`${at}: "${value}" is no value of a label`])),
  ];
}
