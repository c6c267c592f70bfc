// Zero, false and the empty text are values: each field of each kind that may have one sends it, and does not take it for absent.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Field, fieldsOf, isIn, RESOURCE } from '../../../adapters/api/contract/check/fields.ts';
import { sample } from '../../../adapters/api/contract/check/samples.ts';
import type { Schema } from '../../../adapters/api/contract/contract.ts';
import { contractTrial } from '../../../adapters/openstack/contract-check/trial.ts';
import { KINDS } from '../../../adapters/openstack/kinds/registry.ts';
import { differenceOf } from '../../../adapters/openstack/resource/desired.ts';
import type { OpenStackKind } from '../../../adapters/openstack/resource/table.ts';
import type { Json, JsonObject } from '../../../bus/bus.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { isTableKind } from '../../world/attentive.ts';

const test = suite('empty values');

/** Combinations with other fields in which each is tried. */
const ROUNDS = 24;

interface Values {
  readonly empty: Json;
  readonly other: Json;
}

/** The empty value that the schema allows, and another one; undefined: it refuses the empty one. */
function emptyOf({ type, keywords, reference }: Schema): Values | undefined {
  const { minimum, minLength, pattern, enum: constants, format } = keywords;
  if (type === 'boolean') return { empty: false, other: true };
  if (Array.isArray(constants)) return undefined;
  if (type === 'integer') return Number(minimum ?? 0) <= 0 ? { empty: 0, other: 7 } : undefined;
  if (type !== 'string' || reference !== undefined || format !== undefined) return undefined;
  const isRefused = Number(minLength ?? 0) > 0 || (typeof pattern === 'string' && !new RegExp(pattern).test(''));
  return isRefused ? undefined : { empty: '', other: 'text' };
}

/** Kinds and paths of the fields whose empty value is not sent to make something, and why that is right. */
const EXEMPT: Readonly<Record<string, string>> = {
  'ApplicationCredential spec.resource.unrestricted': 'false is sent without it, too',
  'Server spec.resource.volumes[].device': 'what is no name of a device is left to Nova',
};

function objectOf({ contract: { group, version, kind } }: OpenStackKind, spec: Json): KubeObject {
  const metadata = { name: 'tried', namespace: 'default', uid: 'uid', resourceVersion: '1', generation: 1 };
  return { apiVersion: `${group}/${version}`, kind, metadata, spec: spec as JsonObject };
}

/** All requests that create something in the cloud, as one text. */
async function sentFor(kind: OpenStackKind, spec: Json): Promise<string> {
  const { done } = (await contractTrial(kind).treat(objectOf(kind, spec))) as { readonly done: readonly Json[] };
  const isMaking = (each: Json): boolean => typeof each === 'object' && (each as JsonObject)['method'] === 'POST';
  return JSON.stringify(done.filter(isMaking));
}

/** Rounds in which another value makes a difference, and those of them in which the empty value is lost. */
async function roundsOf(kind: OpenStackKind, { path }: Field, { empty, other }: Values) {
  const { examples } = contractTrial(kind);
  const rounds = { tried: 0, lost: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    const sentWith = (as: 'given' | 'absent', its: Readonly<Record<string, readonly Json[]>>): Promise<string> =>
      sentFor(kind, sample('spec', kind.contract.spec, { round, focus: path, as, examples: { ...examples, ...its } }));
    const without = await sentWith('absent', {});
    if ((await sentWith('given', { [path]: [other] })) === without) continue;
    rounds.tried++;
    if ((await sentWith('given', { [path]: [empty] })) === without) rounds.lost++;
  }
  return rounds;
}

for (const kind of KINDS) {
  const fields = fieldsOf(kind.contract).flatMap((field) => {
    const values = isIn(field.path, RESOURCE) ? emptyOf(field.schema) : undefined;
    return values === undefined ? [] : [{ field, values }];
  });
  const name = kind.contract.kind;

  test(`33.A7: zero, false and the empty text in the spec of a ${name} are not taken for absent when it is made`, async () => {
    for (const { field, values } of fields) {
      const what = `${name} ${field.path}`;
      const { tried, lost } = await roundsOf(kind, field, values);
      if (what in EXEMPT) assert.ok(tried === lost, `${what} is sent by now`);
      else
        assert.ok(tried > 0 && lost === 0, `${what}: ${JSON.stringify(values.empty)} was lost in ${lost} of ${tried}`);
    }
  });

  test(`33.A7: an edit of a ${name} to zero, false or the empty text is sent as one to another value is`, () => {
    if (!isTableKind(kind)) return;
    for (const { field, values } of fields) {
      const column = kind.resource[field.name ?? ''];
      if (column === undefined || field.path !== `${RESOURCE}.${field.name}`) continue;
      const edited = (value: Json, from: Json): readonly string[] => {
        const object = objectOf(kind, { resource: { [field.name ?? '']: value } });
        return differenceOf(kind, object, {}, column.encode(from, {})).stated.fields;
      };
      const { empty, other } = values;
      const [isSent, isBackSent] = [edited(empty, other), edited(other, empty)].map((of) =>
        of.includes(field.name ?? ''),
      );
      assert.is(isSent, isBackSent, `${field.path} is edited to ${JSON.stringify(empty)}`);
      assert.not(edited(empty, empty).includes(field.name ?? ''), field.path);
    }
  });
}

test.run();
