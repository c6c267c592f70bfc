// long
// The guarantees of round trips, on random objects of both versions. `SEED=n` replays a run.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mulberry32 } from '../../../../../actors/base/clock.ts';
import { CONVERSION_DATA } from '../../../../../adapters/ironic/api/conversion/cache.ts';
import { isSame } from '../../../../../adapters/ironic/api/conversion/paths.ts';
import {
  CLAIM_ROWS,
  type Field,
  fieldsOf,
  HARDWARE_ROWS,
  HOST_ROWS,
  oneOf,
  type Random,
  type Row,
  randomObject,
  randomValue,
  type Tree,
} from './fields.ts';
import { cacheOf, copyOf, toAlpha, toBeta, withCacheText } from './objects.ts';

const test = suite('round trips');
const seed = Number(process.env['SEED'] ?? 20_261_123);
const RUNS = 10_000;

const KINDS = [
  { kind: 'BareMetalHost', rows: [...HOST_ROWS, ...HARDWARE_ROWS] },
  { kind: 'HostClaim', rows: CLAIM_ROWS },
].map(({ kind, rows }) => ({
  kind,
  rows,
  v1alpha1: fieldsOf(rows, 'v1alpha1'),
  v1beta1: fieldsOf(rows, 'v1beta1'),
}));

/** As many random objects as there are runs, one in ten a HostClaim. */
function* samples(
  version: 'v1alpha1' | 'v1beta1',
  runs = RUNS,
): Generator<{ of: (typeof KINDS)[number]; object: Tree; random: Random }> {
  const random = mulberry32(seed);
  for (let run = 0; run < runs; run++) {
    const of = KINDS[run % 10 === 9 ? 1 : 0] as (typeof KINDS)[number];
    yield { of, object: randomObject(of.kind, version, of[version], random), random };
  }
}

/** Far faster than comparing with a message of what differs, which is made when they differ. */
function same(actual: Tree, expected: Tree, what: string): void {
  if (!isSame(actual, expected)) assert.equal(actual, expected, what);
}

/** The paths of what the schema of a version does not have: an API server would drop it. */
function strangersIn(value: unknown, { fields }: Field, path: string): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => strangersIn(item, { fields } as Field, path));
  if (typeof value !== 'object' || value === null || fields.size === 0) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const field = fields.get(key);
    return field === undefined ? [`${path}.${key}`] : strangersIn(member, field, `${path}.${key}`);
  });
}

const bodyOf = ({ spec, status }: Tree): Tree => ({
  ...(spec !== undefined && { spec }),
  ...(status !== undefined && { status }),
});

test(`v1alpha1 there and back is the identical object (SEED=${seed})`, () => {
  for (const { of, object } of samples('v1alpha1')) {
    const there = toBeta(object);
    assert.equal(strangersIn(bodyOf(there), of.v1beta1, ''), []);
    const back = toAlpha(there);
    same(back, object, 'another object came back');
    // Nor is what is stored written anew: v1beta1 that was v1alpha1 is the identical object after its way there and back.
    same(toBeta(back), there, 'another object went there again');
  }
});

/** Nothing at all and `auto` say the same of a checksum. */
function withTypes(object: Tree): Tree {
  const copy = copyOf(object) as { spec?: Tree; status?: { provisioning?: Tree; lastAttemptedImage?: Tree } };
  const images = [copy.spec?.['image'], copy.status?.provisioning?.['image'], copy.status?.lastAttemptedImage];
  for (const image of images as readonly (Tree | undefined)[]) {
    if (image?.['checksum'] && !image['checksumType']) image['checksumType'] = 'auto';
  }
  return copy as Tree;
}

/** Its annotations apart from the kept object; none and no annotations are the same. */
function withoutCache(object: Tree): Tree {
  const bare = withCacheText(object, undefined) as { metadata: { annotations?: Tree } };
  if (Object.keys(bare.metadata.annotations ?? {}).length === 0) delete bare.metadata.annotations;
  return bare as unknown as Tree;
}

test(`v1beta1 there and back is the same object, with what is kept (SEED=${seed})`, () => {
  for (const { of, object } of samples('v1beta1')) {
    const there = toAlpha(object);
    assert.equal(strangersIn(bodyOf(there), of.v1alpha1, ''), []);
    const back = toBeta(there);
    assert.ok(cacheOf(back));
    same(withoutCache(back), withTypes(object), 'another object came back');
    same(toAlpha(back), there, 'another object went there again');
  }
});

test(`what is kept can be lost: the host behaves the same (SEED=${seed})`, () => {
  for (const { of, object } of samples('v1alpha1', RUNS / 5)) {
    const there = toBeta(object);
    const { [CONVERSION_DATA]: _, ...annotations } = (there['metadata'] as { annotations: Tree }).annotations;
    const rebuilt = { ...there, metadata: { ...(there['metadata'] as Tree), annotations } };
    const back = toAlpha(rebuilt);
    same(withoutCache(toBeta(back)), withoutCache(there), 'the object differs in v1beta1');
    if (of.kind !== 'BareMetalHost') continue;
    const spec = object['spec'] as Tree | undefined;
    if (spec !== undefined) assert.is((back['spec'] as Tree)['hardwareProfile'], 'empty');
    const status = object['status'] as Tree | undefined;
    if (status === undefined) continue;
    const { hardware: _hardware, hardwareProfile: _profile, ...others } = status;
    same(withoutTypes({ status: back['status'] }), withoutTypes({ status: others }), 'the status differs');
  }
});

/** The spelling of types of checksums may change. */
function withoutTypes(object: Tree): Tree {
  return JSON.parse(JSON.stringify(object, (key, value) => (key === 'checksumType' ? undefined : value))) as Tree;
}

// Edits.

type Key = string | number;
interface Edit {
  readonly path: readonly Key[];
  /** undefined: what is there is removed. */
  readonly value: unknown;
}

/** Every place that is there, and every one that could be, below `spec` and `status`. */
function placesIn(
  value: unknown,
  field: Field,
  path: readonly Key[],
): readonly (readonly [path: readonly Key[], of: Field])[] {
  if (Array.isArray(value)) {
    const item = { ...field, type: field.type.replace('[]', '') };
    return value.flatMap((member, at) => [[[...path, at], item] as const, ...placesIn(member, item, [...path, at])]);
  }
  if (typeof value !== 'object' || value === null) return [];
  return [...field.fields].flatMap(([key, member]) => {
    const at = [...path, key];
    const own = path.length === 0 ? [] : [[at, member] as const];
    return [...own, ...placesIn((value as Tree)[key], member, at)];
  });
}

function randomEdit(object: Tree, field: Field, random: Random): Edit | undefined {
  const places = placesIn(bodyOf(object), field, []);
  if (places.length === 0) return undefined;
  const [path, of] = oneOf(random, places);
  const isRemoved = random() < 0.3 && typeof path.at(-1) === 'string';
  return { path, value: isRemoved ? undefined : randomValue(of, random) };
}

function apply(object: Tree, { path, value }: Edit): Tree {
  const copy = copyOf(object);
  const parent = path.slice(0, -1).reduce<unknown>((found, key) => (found as Tree)[key as string], copy) as Tree;
  if (value === undefined) delete parent[path.at(-1) as string];
  else parent[path.at(-1) as string] = value;
  return copy;
}

/** Each row by its new path, with dots and without indices. */
const formerNames = (rows: readonly Row[]): ReadonlyMap<string, string> =>
  new Map(rows.flatMap(({ path, newPath }) => (newPath === undefined ? [] : [[newPath.replaceAll('[]', ''), path]])));

/** The edit by v1alpha1 names. */
function former({ path, value }: Edit, rows: readonly Row[]): Edit {
  const names = formerNames(rows);
  const nameAt = (at: readonly Key[]): Key => {
    const name = at.at(-1) as Key;
    if (typeof name === 'number') return name;
    const dotted = at.filter((key) => typeof key === 'string').join('.');
    return names.get(dotted)?.split('.').at(-1) ?? name;
  };
  const renamed = (tree: unknown, at: readonly Key[]): unknown => {
    if (Array.isArray(tree)) return tree.map((item, index) => renamed(item, [...at, index]));
    if (typeof tree !== 'object' || tree === null) return tree;
    return Object.fromEntries(
      Object.entries(tree).map(([key, member]) => [nameAt([...at, key]), renamed(member, [...at, key])]),
    );
  };
  return { path: path.map((_, at) => nameAt(path.slice(0, at + 1))), value: renamed(value, path) };
}

const IMAGES = [
  ['spec', 'image'],
  ['status', 'provisioning', 'image'],
  ['status', 'lastAttemptedImage'],
] as const;
const at = (object: Tree, path: readonly string[]): Tree | undefined =>
  path.reduce<unknown>((found, key) => (found as Tree | null | undefined)?.[key], object) as Tree | undefined;

/** Whether a written type is still that of the same image. */
function isUntouched(edited: Tree, there: Tree, path: readonly string[]): boolean {
  const [now, before] = [at(edited, path), at(there, path)];
  return ['url', 'checksum', 'checksumType'].every((key) => now?.[key] === before?.[key]);
}

/** What v1alpha1 shows of an object after an edit in v1beta1: the edit, and what follows of it by the contract. */
function expectedAfter(edit: Edit, object: Tree, there: Tree, edited: Tree, rows: readonly Row[]): Tree {
  const hints = ['spec', 'rootDeviceHints'];
  const wereWritten = at(object, hints) === undefined && at(there, hints) !== undefined;
  // An edit inside of hints that were written is one of all of them.
  const inHints = edit.path[0] === 'spec' && edit.path[1] === 'rootDeviceHints';
  const shown = wereWritten && inHints ? { path: hints, value: at(edited, hints) } : edit;
  const result = apply(object, former(shown, rows));
  if (isSame(at(edited, hints), at(there, hints)) && wereWritten) delete at(result, ['spec'])?.['rootDeviceHints'];
  if (wereWritten && at(edited, ['spec']) !== undefined && at(edited, hints) === undefined) {
    (result['spec'] as Tree)['hardwareProfile'] = 'empty';
    delete at(result, ['status'])?.['hardwareProfile'];
  }
  for (const path of IMAGES) {
    const [image, now] = [at(result, path), at(edited, path)];
    if (!image || !now) continue;
    const former = at(object, path);
    const isSameImage = former !== undefined && ['url', 'checksum'].every((key) => now[key] === former[key]);
    if (isSameImage && !former['checksum'] && !former['checksumType'] && now['checksumType'] === 'auto') {
      // The default of the schema: nobody can tell it from an edit.
      if (former['checksumType'] === undefined) delete image['checksumType'];
      else image['checksumType'] = former['checksumType'];
    } else if (isUntouched(edited, there, path) && former?.['checksum'] && !former['checksumType']) {
      const type = former['checksumType'];
      if (type === undefined) delete image['checksumType'];
      else image['checksumType'] = type;
    } else if (now['checksum'] && !now['checksumType']) {
      image['checksumType'] = 'auto';
    } else if (now['checksumType'] !== undefined) {
      image['checksumType'] = now['checksumType'];
    }
  }
  return result;
}

test(`exactly what is edited in v1beta1 shows in v1alpha1 (SEED=${seed})`, () => {
  let edits = 0;
  for (const { of, object, random } of samples('v1alpha1')) {
    const there = toBeta(object);
    const edit = randomEdit(there, of.v1beta1, random);
    if (edit === undefined) continue;
    edits++;
    const edited = apply(there, edit);
    const expected = expectedAfter(edit, object, there, edited, of.rows);
    same(toAlpha(edited), expected, `another change shows than ${JSON.stringify(edit)}`);
  }
  assert.ok(edits > RUNS * 0.8, `${edits} edits`);
});

test.run();
