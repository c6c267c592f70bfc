// Rules about the behavior of a kind: operations run for its objects, and the results are compared.
import type { Json, JsonObject } from '../../../../bus/bus.ts';
import type { KubeObject } from '../../../../machines/object.ts';
import type { Schema } from '../contract.ts';
import type { KindContract } from '../crds.ts';
import { type Complaint, ContractRule, FILTER, type Field, fieldsOf, isIn, isLeaf, RESOURCE } from './fields.ts';
import { type Sampling, sample } from './samples.ts';

/** Trial of a kind without an external system. */
export interface Trial {
  /** Values of strings that must have a form, by their paths. */
  readonly examples: Readonly<Record<string, readonly Json[]>>;
  /** All requests for an object, and the course of its lifecycle: equal for objects that are handled alike. */
  treat(object: KubeObject): Promise<Json>;
  /** The statuses that many answers lead to, empty ones among them. */
  statuses(): Promise<readonly TriedStatus[]>;
}

export interface TriedStatus {
  readonly status: JsonObject;
  /** Every string of the answer. */
  readonly answered: ReadonlySet<string>;
}

/** Combinations in which a field is tried before it counts as without effect. */
const ROUNDS = 24;
/** Chance takes some rounds until it has chosen each of many values. */
const ROUNDS_A_VALUE = 20;
const OBJECT_NAME = 'the-name-of-the-object';

type Blame = (path: string, rule: ContractRule, message: string) => Complaint;

export async function judgeTrial(contract: KindContract, trial: Trial): Promise<readonly Complaint[]> {
  const blame: Blame = (path, rule, message) => ({ kind: contract.kind, path, rule, message });
  const treated = treatedBy(contract, trial);
  const leaves = fieldsOf(contract).filter(({ name, schema }) => name !== undefined && isLeaf(schema));
  const complaints: Complaint[] = [];
  for (const leaf of leaves.filter(({ path }) => isIn(path, 'spec'))) {
    if (!(await matters(leaf, treated))) {
      complaints.push(
        blame(leaf.path, ContractRule.Implemented, 'changes nothing that is done: implement or remove it'),
      );
    } else if (isIn(leaf.path, RESOURCE) || isIn(leaf.path, FILTER)) {
      for (const value of await altered(leaf, treated)) {
        const message = `offers '${value}', which is sent as something else: offer the constant that is sent`;
        complaints.push(blame(leaf.path, ContractRule.Verbatim, message));
      }
    }
  }
  return [
    ...complaints,
    ...(await judgeName(contract, treated, blame)),
    ...(await judgeStatuses(leaves, trial, blame)),
  ];
}

/** Requests for an object with one field in focus, and the value of that field. */
type Treated = (sampling: Omit<Sampling, 'examples'>) => Promise<{ readonly done: Json; readonly spec: Json }>;

function treatedBy({ group, version, kind, spec: schema }: KindContract, trial: Trial): Treated {
  return async (sampling) => {
    const spec = sample('spec', schema, { ...sampling, examples: trial.examples }) as JsonObject;
    const object: KubeObject = {
      apiVersion: `${group}/${version}`,
      kind,
      metadata: { name: OBJECT_NAME, namespace: 'default', uid: 'uid', resourceVersion: '1', generation: 1 },
      spec,
    };
    return { done: await trial.treat(object), spec };
  };
}

/** Whether something is done otherwise when the field changes, or goes. */
async function matters({ path, schema }: Field, treated: Treated): Promise<boolean> {
  for (let round = 0; round < ROUNDS; round++) {
    const given = JSON.stringify((await treated({ round, focus: path, as: 'given' })).done);
    const others = schema.required ? (['changed'] as const) : (['changed', 'absent'] as const);
    for (const as of others)
      if (JSON.stringify((await treated({ round, focus: path, as })).done) !== given) return true;
  }
  return false;
}

/** Values of an enum that are never sent as they are. */
async function altered({ path, schema }: Field, treated: Treated): Promise<readonly string[]> {
  const { enum: values } = (schema.items ?? schema).keywords;
  const missing = new Set(Array.isArray(values) ? values.map(String) : []);
  const at = schema.items === undefined ? path : `${path}[]`;
  const rounds = Math.max(ROUNDS, missing.size * ROUNDS_A_VALUE);
  for (let round = 0; round < rounds && missing.size > 0; round++) {
    const given = await treated({ round, focus: path, as: 'given' });
    const changed = await treated({ round, focus: path, as: 'changed' });
    for (const value of valuesAt(given.spec, at)) {
      if (mentions(given.done, value) > mentions(changed.done, value)) missing.delete(value);
    }
  }
  return [...missing];
}

async function judgeName(
  { spec, status }: KindContract,
  treated: Treated,
  blame: Blame,
): Promise<readonly Complaint[]> {
  const path = `${RESOURCE}.name`;
  const say = (message: string): readonly Complaint[] => [blame(path, ContractRule.Name, message)];
  const name = fieldIn(spec, 'resource', 'name');
  if (name === undefined) {
    const isNamed = fieldIn(status, 'resource', 'name') !== undefined;
    return isNamed ? say('is missing, and the resource has a name: add it as an optional field') : [];
  }
  if (name.required) return say('may not be left out: make it optional, the name of the object stands in');
  let follows = false;
  for (let round = 0; round < ROUNDS; round++) {
    const unset = await treated({ round, focus: path, as: 'absent' });
    const set = await treated({ round, focus: path, as: 'given' });
    follows ||= mentions(unset.done, OBJECT_NAME) > 0;
    if (mentions(set.done, OBJECT_NAME) > 0)
      return say('does not replace the name of the object everywhere: send spec.resource.name where it is given');
  }
  return follows ? [] : say('has nothing in its place when it is unset: send the name of the object then');
}

async function judgeStatuses(leaves: readonly Field[], trial: Trial, blame: Blame): Promise<readonly Complaint[]> {
  const tried = await trial.statuses();
  const written = tried.map(({ status, answered }) => ({ parts: partsOf('status', status), answered }));
  const paths = new Set(written.flatMap(({ parts }) => parts.map(({ path }) => path)));
  const empty = new Set<string>();
  const altered = new Map<string, string>();
  for (const { parts, answered } of written) {
    for (const { path, value } of parts) {
      if (isNothing(value)) empty.add(path);
      const isText = isIn(path, 'status.resource') && typeof value === 'string' && value !== '';
      if (isText && !answered.has(value)) altered.set(path, value);
    }
  }
  return [
    ...leaves
      .filter(({ path }) => isIn(path, 'status') && !paths.has(path))
      .map(({ path }) =>
        blame(path, ContractRule.Implemented, 'is never written: read it from an answer, or remove it'),
      ),
    ...[...empty].map((path) =>
      blame(path, ContractRule.Omitted, 'is written empty: leave it out, its absence says so'),
    ),
    ...[...altered].map(([path, value]) =>
      blame(
        path,
        ContractRule.Verbatim,
        `is written as '${value}', which is in no answer: write the value of the answer`,
      ),
    ),
  ];
}

function fieldIn(schema: Schema, ...names: readonly string[]): Schema | undefined {
  return names.reduce<Schema | undefined>((at, name) => at?.properties?.[name], schema);
}

interface Part {
  readonly path: string;
  readonly value: Json;
}

/** A value, and all that is in it. */
function partsOf(path: string, value: Json): readonly Part[] {
  const inner = Array.isArray(value)
    ? value.flatMap((item: Json) => partsOf(`${path}[]`, item))
    : typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, member]) => partsOf(`${path}.${name}`, member))
      : [];
  return [{ path, value }, ...inner];
}

function valuesAt(spec: Json, wanted: string): readonly string[] {
  return partsOf('spec', spec).flatMap(({ path, value }) => (path === wanted ? [String(value)] : []));
}

/** Number of occurrences of a text, or of a number with this spelling, in a value. */
function mentions(value: Json, text: string): number {
  return partsOf('', value).filter((part) => typeof part.value !== 'object' && String(part.value) === text).length;
}

/** Null, or a list or object without content. */
function isNothing(value: Json): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}
