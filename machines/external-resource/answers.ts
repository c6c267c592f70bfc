// Validation of adapter results (operations.ts): adapters of others are called like ours, and an invalid result is
// reported at its source.
import type { Found, ResourceOperations } from './operations.ts';

/** Says what is wrong with a value; undefined: nothing. */
type Check = (value: unknown) => string | undefined;

const SETTLED: readonly unknown[] = ['no', 'available', 'unavailable', 'failed'];

const isText = (value: unknown): value is string => typeof value === 'string';
const isFlag = (value: unknown): value is boolean => typeof value === 'boolean';
const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isPause = (value: unknown): boolean => typeof value === 'number' && value > 0;

/** @param members  what each has to be, by name, in words for people; a name that ends with `?` may be missing */
function mapOf(members: Readonly<Record<string, readonly [(value: unknown) => boolean, string]>>): Check {
  const needed = Object.entries(members).map(
    ([name, rule]) => [name.replace('?', ''), name.endsWith('?'), rule] as const,
  );
  return (value) => {
    if (!isMap(value)) return `it is ${nameOf(value)}, and no object`;
    const wrong = needed.find(
      ([name, isOptional, [holds]]) => !(isOptional && value[name] === undefined) && !holds(value[name]),
    );
    return wrong && `'${wrong[0]}' is ${nameOf(value[wrong[0]])}, and must be ${wrong[2][1]}`;
  };
}

function nameOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (Array.isArray(value)) return 'a list';
  if (value === null) return 'null';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

const maybe =
  (check: Check): Check =>
  (value) =>
    value === undefined ? undefined : check(value);

const anything: Check = () => undefined;

const observation = mapOf({
  id: [(value) => isText(value) && value !== '', 'a text'],
  attributes: [isMap, 'an object'],
  resource: [isMap, 'an object'],
  available: [isFlag, 'true or false'],
  'applied?': [isMap, 'an object'],
  'pollAfterMs?': [isPause, 'a number above 0'],
});

const outcome = mapOf({
  changed: [isFlag, 'true or false'],
  'empty?': [isFlag, 'true or false'],
  'fields?': [isTexts, 'a list of texts'],
  'left?': [isTexts, 'a list of texts'],
  'statusNotes?': [isTexts, 'a list of texts'],
  'unappliedFields?': [isTexts, 'a list of texts'],
  'applied?': [isMap, 'an object'],
  'waiting?': [isTexts, 'a list of texts'],
  'unused?': [isTexts, 'a list of texts'],
  'pollAfterMs?': [isPause, 'a number above 0'],
});

const found: Check = (value) => {
  const wrong = mapOf({
    matches: [Array.isArray, 'a list'],
    exact: [isFlag, 'true or false'],
    'completedLookup?': [isText, 'a text'],
    'unlike?': [isTexts, 'a list of texts'],
  })(value);
  if (wrong !== undefined) return wrong;
  for (const match of (value as Found).matches) {
    const fault = observation(match);
    if (fault !== undefined) return `of a match, ${fault}`;
  }
  return undefined;
};

const CHECKS: Readonly<Record<keyof ResourceOperations, Check>> = {
  find: found,
  identify: (value) => (isText(value) ? undefined : `it is ${nameOf(value)}, and no text`),
  import: maybe(observation),
  create: observation,
  observe: maybe(observation),
  update: outcome,
  delegate: maybe(outcome),
  fill: anything,
  remove: anything,
  watch: anything,
};

/** Fault of an operation's result; undefined if it is valid. */
export function faultIn(operation: keyof ResourceOperations, answer: unknown): string | undefined {
  return CHECKS[operation](answer);
}

const view = mapOf({
  uid: [isText, 'a text'],
  generation: [(value) => typeof value === 'number', 'a number'],
  deleting: [isFlag, 'true or false'],
  finalizers: [isTexts, 'a list of texts'],
  finalizer: [isText, 'a text'],
  owned: [isFlag, 'true or false'],
  'externalId?': [isText, 'a text'],
  managed: [isFlag, 'true or false'],
  detached: [isFlag, 'true or false'],
  settled: [(value) => SETTLED.includes(value), `one of ${SETTLED.join(', ')}`],
  available: [isFlag, 'true or false'],
  'resyncInMs?': [(value) => typeof value === 'number', 'a number'],
  'resyncEveryMs?': [(value) => typeof value === 'number', 'a number'],
});

/** Fault of an object's view; undefined if it is valid. */
export function faultInView(value: unknown): string | undefined {
  return view(value);
}
