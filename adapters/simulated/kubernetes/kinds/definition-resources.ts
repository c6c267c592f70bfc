// The resources of a definition: one for each version, with the strategy of its objects.

import { dig, isMap, type JsonMap, listOf, mapOf, stringOf } from '../../../text/json.ts';
import { subdomainProblems } from '../../../text/names.ts';
import type { FieldError } from '../base/field-error.ts';
import { invalidValue } from '../base/field-error.ts';
import { compileJsonPath } from '../base/json-path.ts';
import type { KubeObject } from '../base/kube-object.ts';
import { storeKeyOf } from '../base/store-key.ts';
import { ConversionNeeded } from '../conversion/pending.ts';
import { conversionWebhook } from '../conversion/webhook.ts';
import type { Api, Resource, Strategy } from '../resources/api.ts';
import type { Convert, Versions } from '../resources/conversion.ts';
import { ALL_VERBS } from '../resources/registry.ts';
import { renameVersion } from '../resources/versions.ts';
import { validateRules } from '../schemas/rules.ts';
import { compileObjectSchema, type Schema } from '../schemas/schema.ts';
import { blocksRules, validate, validateEmbedded, validateUniqueness } from '../schemas/validation.ts';
import { customColumns } from '../wire/columns.ts';
import { byPriority } from '../wire/discovery.ts';

/** The names that a definition is served under. */
export function namesOf(object: KubeObject | undefined): JsonMap {
  return mapOf(dig(object, 'status', 'acceptedNames'));
}

/** The resources that a definition asks for: one for each served version. */
export function resourcesOf(object: KubeObject, { clock, closing }: Pick<Api, 'clock' | 'closing'>): Resource[] {
  const spec = mapOf(object['spec']);
  const group = stringOf(spec['group']);
  const names = namesOf(object);
  const plural = stringOf(names['plural']);
  const versions = listOf(spec['versions']).filter(isMap);
  const schemas = new Map(
    versions.map((version) => [
      `${group}/${stringOf(version['name'])}`,
      compileObjectSchema(mapOf(dig(version, 'schema', 'openAPIV3Schema'))),
    ]),
  );
  const several = severalVersions(group, spec, schemas, { clock, closing });
  return versions
    .filter((version) => version['served'] === true)
    .map((version): Resource => {
      const name = stringOf(version['name']);
      const raw = mapOf(dig(version, 'schema', 'openAPIV3Schema'));
      const schema = schemas.get(`${group}/${name}`) ?? compileObjectSchema(raw);
      const hasStatus = isMap(dig(version, 'subresources', 'status'));
      const kind = stringOf(names['kind']);
      const apiVersion = `${group}/${name}`;
      const deprecated = version['deprecated'] === true;
      const better = replacementOf(versions, name);
      const advice = better === undefined ? '' : `; use ${group}/${better} ${kind}`;
      const warning = stringOf(version['deprecationWarning']) || `${apiVersion} ${kind} is deprecated${advice}`;
      return {
        group,
        version: name,
        apiVersion,
        plural,
        singular: stringOf(names['singular']) || kind.toLowerCase(),
        kind,
        listKind: stringOf(names['listKind']) || `${kind}List`,
        shortNames: listOf(names['shortNames']).map(String),
        categories: listOf(names['categories']).map(String),
        namespaced: spec['scope'] === 'Namespaced',
        verbs: ALL_VERBS,
        subresources: hasStatus ? ['status'] : [],
        builtin: false,
        storageVersion: stringOf(versions.find((one) => one['storage'] === true)?.['name']),
        storeKey: storeKeyOf(group, plural),
        schema,
        rawSchema: raw,
        columns: customColumns(version['additionalPrinterColumns']),
        selectable: selectableFields(version['selectableFields']),
        strategy: customStrategy({ schema, kind, apiVersion, hasStatus }),
        since: Number(object.metadata.resourceVersion ?? 0),
        warning: deprecated ? warning : undefined,
        convert: undefined,
        versions: several,
      };
    });
}

/** The best version that is served and not deprecated, when it is better than `name`. */
function replacementOf(versions: readonly JsonMap[], name: string): string | undefined {
  const [best] = versions
    .filter((version) => version['served'] === true && version['deprecated'] !== true)
    .map((version) => stringOf(version['name']))
    .sort(byPriority);
  return best !== undefined && byPriority(best, name) < 0 ? best : undefined;
}

/** The conversion of objects from version to version; undefined when there is only one. */
function severalVersions(
  group: string,
  spec: JsonMap,
  schemas: ReadonlyMap<string, Schema>,
  { clock, closing }: Pick<Api, 'clock' | 'closing'>,
): Versions | undefined {
  if (schemas.size < 2) return undefined;
  const storage = listOf(spec['versions']).find((version) => dig(version, 'storage') === true);
  const isAsked = dig(spec, 'conversion', 'strategy') === 'Webhook';
  const webhook = isAsked ? conversionWebhook(spec['conversion'], clock, closing) : undefined;
  // A caller with results of the webhook replaces this by them.
  const convert: Convert = (object, apiVersion) => {
    throw new ConversionNeeded([{ object, apiVersion }]);
  };
  return {
    storage: `${group}/${stringOf(dig(storage, 'name'))}`,
    schemas,
    convert: webhook === undefined ? renameVersion : convert,
    webhook,
  };
}

function selectableFields(raw: unknown): Resource['selectable'] {
  const fields = listOf(raw).map((one) => stringOf(mapOf(one)['jsonPath']));
  return Object.fromEntries(
    fields.map((jsonPath) => {
      const path = compileJsonPath(jsonPath);
      return [jsonPath.replace(/^\./, ''), (object: KubeObject) => path(object).map(String).join('')];
    }),
  );
}

function customStrategy({
  schema,
  kind,
  apiVersion,
  hasStatus,
}: Pick<Resource, 'schema' | 'kind' | 'apiVersion'> & { readonly hasStatus: boolean }): Strategy {
  const statusSchema = schema.properties?.get('status');
  return {
    nameProblems: subdomainProblems,
    allowsUnconditionalUpdate: false,
    hasGeneration: true,
    checksWholeOnUpdate: false,
    warnings: () => [],
    complete: () => undefined,
    prepare(next, old, subresource) {
      if (hasStatus && old === undefined && subresource === '') delete next['status'];
    },
    validate(next, old, subresource, found) {
      if (next.kind !== kind) return [invalidValue('kind', next.kind, `must be ${kind}`)];
      if (next.apiVersion !== apiVersion) return [invalidValue('apiVersion', next.apiVersion, `must be ${apiVersion}`)];
      const [value, before] = [content(next), old === undefined ? undefined : content(old)];
      if (subresource !== 'status') {
        return checked(schema, value, before, found, validate(schema, value, before));
      }
      const { status } = next;
      const errors =
        statusSchema === undefined || status === undefined
          ? []
          : validate(statusSchema, status, old?.['status'], 'status');
      return checked(schema, value, before, found, errors);
    },
  };
}

/** Metadata has its own rules; the schema sees only what rules may read of it. */
function content(object: KubeObject): JsonMap {
  const { name, generateName } = object.metadata;
  return {
    ...object,
    metadata: { ...(name === undefined ? {} : { name }), ...(generateName === undefined ? {} : { generateName }) },
  };
}

/** The checks after the validation of types: unique items, and rules where the rest is sound. */
function checked(
  schema: Schema,
  value: unknown,
  old: unknown,
  found: readonly FieldError[],
  schemaErrors: readonly FieldError[],
): FieldError[] {
  const errors = [...schemaErrors, ...validateEmbedded(schema, value)];
  const repeated = validateUniqueness(schema, value, old);
  // An error that the stored object had already is not reported.
  if (repeated.length > 0 && (old === undefined || validateUniqueness(schema, old).length === 0)) {
    errors.push(...repeated);
  }
  if (!schema.rulesBeneath) return errors;
  if (blocksRules([...found, ...errors])) {
    const why =
      'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';
    return [...errors, invalidValue('<nil>', null, why)];
  }
  return [...errors, ...validateRules(schema, value, old)];
}
