// Checks of the parameters of one method: which kinds it allows, how many, in which direction, and what they are called.
import { BUILT_IN_TYPES } from './built-in.ts';
import type { MethodKind } from './model.ts';
import type { Scope } from './scope.ts';
import type { MethodSyntax, ParameterSyntax, TypeSyntax } from './syntax.ts';

/** Category of a type. */
type Shape = 'scalar' | 'struct' | 'list' | 'map';

/** The parameter that a method is about. */
interface Main {
  readonly shapes: readonly Shape[];
  readonly name: 'Body' | 'Items';
  readonly direction: Direction;
}

type Direction = 'in' | 'out' | 'in out';

interface Rule {
  readonly inputs: readonly Shape[];
  readonly outputs: readonly Shape[];
  readonly mains: readonly Main[];
  /** Scalars, beside the main parameter, are inputs only. */
  readonly scalarsIn: boolean;
  readonly paging: boolean;
}

const ITEMS: Main = { shapes: ['list'], name: 'Items', direction: 'out' };
const ADD: Rule = {
  inputs: ['scalar', 'struct'],
  outputs: ['scalar', 'struct'],
  mains: [{ shapes: ['struct'], name: 'Body', direction: 'in out' }],
  scalarsIn: false,
  paging: false,
};
const GET: Rule = {
  ...ADD,
  mains: [{ shapes: ['struct'], name: 'Body', direction: 'out' }],
  scalarsIn: true,
};
const UPDATE: Rule = {
  inputs: ['scalar', 'struct', 'list'],
  outputs: ['scalar', 'struct', 'list'],
  mains: [{ shapes: ['struct', 'list'], name: 'Body', direction: 'in out' }],
  scalarsIn: true,
  paging: false,
};
const DELETE: Rule = { inputs: ['scalar'], outputs: ['scalar'], mains: [], scalarsIn: true, paging: false };
const LIST: Rule = {
  inputs: ['scalar', 'list'],
  outputs: ['scalar', 'list'],
  mains: [ITEMS],
  scalarsIn: false,
  paging: true,
};
const SEARCH: Rule = {
  inputs: ['scalar', 'struct'],
  outputs: ['scalar', 'list'],
  mains: [{ shapes: ['struct'], name: 'Body', direction: 'in' }, ITEMS],
  scalarsIn: false,
  paging: true,
};
const RULES: Readonly<Partial<Record<MethodKind, Rule>>> = {
  Add: ADD,
  AsyncAdd: ADD,
  Get: GET,
  Update: UPDATE,
  AsyncUpdate: UPDATE,
  Delete: DELETE,
  AsyncDelete: DELETE,
  List: LIST,
  Search: SEARCH,
};
const PAGING = [
  { key: 'page', camel: 'Page', initial: 1, direction: 'in out' },
  { key: 'size', camel: 'Size', initial: 100, direction: 'in out' },
  { key: 'total', camel: 'Total', initial: undefined, direction: 'out' },
] as const;
/** Type of literal that may be the default of each type. */
const DEFAULTS: ReadonlyMap<string, string> = new Map([
  ['boolean', 'boolean'],
  ['integer', 'number'],
  ['string', 'string'],
]);

interface Judged {
  readonly syntax: ParameterSyntax;
  readonly key: string;
  readonly dotted: string;
  /** Undefined where the type is: it may be anything then. */
  readonly shape: Shape | undefined;
}

/** A method and what is known of its parameters. */
interface Judgement {
  readonly method: MethodSyntax;
  readonly kind: MethodKind;
  readonly dotted: string;
  readonly parameters: readonly Judged[];
  readonly scope: Scope;
}

/** Checks the parameters of a method against what its kind asks for. */
export function checkMethod(method: MethodSyntax, kind: MethodKind, dotted: string, scope: Scope): void {
  const parameters = method.parameters.map((syntax) => {
    const { key, camel } = syntax.item.name;
    return { syntax, key, dotted: `${dotted}.${camel}`, shape: shapeOf(syntax.type, scope) };
  });
  for (const parameter of parameters) checkDefault(parameter, scope);
  const judgement = { method, kind, dotted, parameters, scope };
  const rule = RULES[kind];
  if (rule !== undefined) checkRule(judgement, rule);
  else if (kind === 'Post' || kind === 'AsyncPost') checkPost(judgement);
}

function shapeOf({ form, element }: TypeSyntax, scope: Scope): Shape | undefined {
  if (form !== 'plain') return form;
  const { key } = element.name;
  if (BUILT_IN_TYPES.has(key)) return 'scalar';
  const entry = scope.find(key);
  return entry && (entry.syntax.form === 'enum' ? 'scalar' : 'struct');
}

function checkDefault({ syntax: { default: initial, type, item }, dotted, shape }: Judged, scope: Scope): void {
  if (initial === undefined || shape === undefined) return;
  const fits = type.form === 'plain' ? DEFAULTS.get(type.element.name.key) : undefined;
  if (fits === typeof initial) return;
  const rule = fits === undefined ? 'its type allows none' : `it has to be a ${fits}`;
  scope.report('param.default', item.place, `the default of parameter '${dotted}' does not fit: ${rule}`);
}

function checkRule(judgement: Judgement, rule: Rule): void {
  const { parameters, kind, scope } = judgement;
  const allowed = parameters.filter(({ syntax, dotted, shape }) => {
    if (shape === undefined) return false;
    const { input, output, item } = syntax;
    if ((input && rule.inputs.includes(shape)) || (output && rule.outputs.includes(shape))) return true;
    const direction = input ? 'input' : 'output';
    const message = `parameter '${dotted}' is a ${shape}, which a method '${kind}' cannot have as ${direction}`;
    scope.report('method.kind', item.place, message);
    return false;
  });
  for (const main of rule.mains) checkMain(judgement, main, allowed);
  if (rule.scalarsIn) {
    for (const parameter of allowed) if (parameter.shape === 'scalar') checkDirection(parameter, 'in', scope);
  }
  // A missing part may be one that could not be parsed.
  if (rule.paging && !judgement.method.broken) checkPaging(judgement);
}

function checkMain({ method, parameters, dotted, scope }: Judgement, main: Main, allowed: readonly Judged[]): void {
  const found = allowed.filter(({ shape }) => shape !== undefined && main.shapes.includes(shape));
  const named = found.filter(({ key }) => key === main.name.toLowerCase());
  for (const each of named.length > 0 ? named : found) checkDirection(each, main.direction, scope);
  for (const { dotted: name, syntax } of found.filter((each) => !named.includes(each))) {
    scope.report('method.name', syntax.item.place, `parameter '${name}' has to be called '${main.name}'`);
  }
  const { place } = method.item;
  if (main.name === 'Items' && !method.broken && parameters.every(({ key }) => key !== 'items')) {
    // A list of another name was reported; its absence under its own name would be a second report.
    const isUnclear = found.length === 0 && parameters.some(({ shape }) => shape === undefined);
    if (!isUnclear) scope.report('method.items', place, `method '${dotted}' needs a list 'Items'`);
    if (found.length === 0) return;
  }
  if (found.length === 1) return;
  if (found.length === 0 && (method.broken || parameters.some(({ shape }) => shape === undefined))) return;
  const what = `exactly one ${main.shapes.join(' or ')}, '${main.name}'`;
  scope.report('method.count', place, `method '${dotted}' needs ${what}, but has ${found.length}`);
}

function checkDirection({ syntax, dotted }: Judged, direction: Direction, scope: Scope): void {
  const { input, output, item } = syntax;
  if (input === direction.includes('in') && output === direction.includes('out')) return;
  scope.report('method.direction', item.place, `parameter '${dotted}' has to be '${direction}'`);
}

function checkPaging({ method, parameters, dotted, scope }: Judgement): void {
  const missing: string[] = [];
  for (const { key, camel, initial, direction } of PAGING) {
    const parameter = parameters.find((candidate) => candidate.key === key);
    if (parameter === undefined) {
      missing.push(`no '${camel}'`);
      continue;
    }
    const { type, item, default: found } = parameter.syntax;
    if (type.form !== 'plain' || type.element.name.key !== 'integer') {
      scope.report('method.paging-type', item.place, `parameter '${parameter.dotted}' has to be an 'Integer'`);
    } else if (initial !== undefined && found !== initial) {
      scope.report('method.paging-default', item.place, `the default of '${parameter.dotted}' has to be ${initial}`);
    }
    checkDirection(parameter, direction, scope);
  }
  if (missing.length === 0) return;
  scope.report('method.no-paging', method.item.place, `method '${dotted}' has ${missing.join(' and ')}`);
}

function checkPost({ method, parameters, kind, dotted, scope }: Judgement): void {
  for (const parameter of parameters) {
    if (parameter.shape === undefined || parameter.shape === 'struct') continue;
    const message = `parameter '${parameter.dotted}' is a ${parameter.shape}, which a method '${kind}' cannot have`;
    scope.report('method.kind', parameter.syntax.item.place, message);
  }
  const inputs = parameters.filter(({ syntax }) => syntax.input).length;
  const outputs = parameters.filter(({ syntax }) => syntax.output).length;
  const { place } = method.item;
  if (inputs > 1) {
    scope.report('method.count', place, `method '${dotted}' may have one input at most, but has ${inputs}`);
  }
  if (outputs !== 1 && !(outputs === 0 && method.broken)) {
    scope.report('method.count', place, `method '${dotted}' needs exactly one output, but has ${outputs}`);
  }
}
