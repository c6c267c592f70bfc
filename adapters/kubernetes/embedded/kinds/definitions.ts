// CustomResourceDefinitions: when one is written, its resources are served at once; when one is deleted, its objects
// go first.
import type { Api } from '../api.ts';
import { type Resource, type ScalePaths, type Strategy, timeText } from '../api.ts';
import { recordUpdate } from '../apply/ownership.ts';
import type { Convert, Versions } from '../conversion/conversion.ts';
import { ConversionNeeded } from '../conversion/pending.ts';
import { renameVersion } from '../conversion/versions.ts';
import { conversionWebhook } from '../conversion/webhook.ts';
import { copy, dig, isMap, type JsonMap, type KubeObject, listOf, mapOf, same, stringOf } from '../json.ts';
import { deleteObject } from '../objects/lifecycle.ts';
import { subdomainProblems } from '../objects/names.ts';
import { validateRules } from '../schemas/cel.ts';
import type { FieldError } from '../schemas/field-error.ts';
import { invalidValue } from '../schemas/field-error.ts';
import { compileObjectSchema, type Schema } from '../schemas/schema.ts';
import { blocksRules, validate, validateEmbedded, validateUniqueness } from '../schemas/validation.ts';
import type { Stored } from '../storage/store.ts';
import { storeKeyOf } from '../storage/store-key.ts';
import { customColumns, DEFINITION_COLUMNS } from '../wire/columns.ts';
import { byPriority } from '../wire/discovery.ts';
import { compileJsonPath } from '../wire/json-path.ts';
import { builtin } from './builtins.ts';
import { isEstablished, judgeNames, type TakenNames, takenNames } from './definition-names.ts';
import { validateDefinition } from './definition-rules.ts';
import { ALL_VERBS } from './resources.ts';
import { scaleErrors } from './scales.ts';

export const DEFINITIONS_KEY = storeKeyOf('apiextensions.k8s.io', 'customresourcedefinitions');

/** Who says that a definition is served. */
const STATUS_WRITER = {
  manager: 'kube-apiserver',
  apiVersion: 'apiextensions.k8s.io/v1',
  subresource: 'status',
  ignored: ['spec'],
  blank: {},
  version: () => undefined, // there is but one
} as const;

/** Keeps a definition until its objects are gone. */
const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

/** The resource of the definitions themselves. */
export function definitionResource(): Resource {
  return builtin({
    group: 'apiextensions.k8s.io',
    version: 'v1',
    plural: 'customresourcedefinitions',
    kind: 'CustomResourceDefinition',
    namespaced: false,
    shortNames: ['crd', 'crds'],
    categories: ['api-extensions'],
    subresources: ['status'],
    columns: DEFINITION_COLUMNS,
    // The hash that clients see is that of the first version there was.
    storageVersion: 'v1beta1',
    strategy: {
      allowsUnconditionalUpdate: false,
      hasGeneration: true,
      lastFinalizer: CLEANUP_FINALIZER,
      complete: completeDefinition,
      prepare: prepareDefinition,
      validate: (next, old) => validateDefinition(next, old),
    },
  });
}

/** Fills in the names that follow from others. */
function completeDefinition(next: KubeObject): void {
  const spec = { ...mapOf(next['spec']) };
  const names = { ...mapOf(spec['names']) };
  const kind = stringOf(names['kind']);
  if (stringOf(names['singular']) === '') names['singular'] = kind.toLowerCase();
  if (stringOf(names['listKind']) === '') names['listKind'] = `${kind}List`;
  spec['names'] = names;
  if (spec['conversion'] === undefined) spec['conversion'] = { strategy: 'None' };
  const service = dig(spec, 'conversion', 'webhook', 'clientConfig', 'service');
  if (isMap(service) && service['port'] === undefined) {
    spec['conversion'] = copy(spec['conversion']);
    mapOf(dig(spec, 'conversion', 'webhook', 'clientConfig', 'service'))['port'] = 443;
  }
  if (spec['preserveUnknownFields'] === false) delete spec['preserveUnknownFields'];
  next['spec'] = spec;
}

/** Keeps the status on spec writes, and the spec on status writes. */
function prepareDefinition(next: KubeObject, old: KubeObject | undefined, subresource: string): void {
  if (subresource === 'status') {
    if (old !== undefined) next['spec'] = old['spec'];
    return;
  }
  const status = mapOf(old?.['status'] ?? { conditions: null, acceptedNames: { plural: '', kind: '' } });
  const stored = listOf(status['storedVersions']);
  const versions = listOf(dig(next, 'spec', 'versions')).map(mapOf);
  const storage = versions.filter(({ storage }) => storage === true).map(({ name }) => name);
  next['status'] = { ...status, storedVersions: [...stored, ...storage.filter((name) => !stored.includes(name))] };
}

/** What becomes of a definition beside others of its group: the names it gets, and whether it is served. */
function settledStatus(object: KubeObject, taken: TakenNames, time: string): JsonMap {
  const spec = mapOf(object['spec']);
  const before = listOf(dig(object, 'status', 'conditions')).filter(isMap);
  const condition = (type: string, status: 'True' | 'False', reason: string, message: string): JsonMap => {
    const old = before.find((one) => one['type'] === type && one['status'] === status);
    return { lastTransitionTime: old?.['lastTransitionTime'] ?? time, message, reason, status, type };
  };
  const { accepted, refusal } = judgeNames(object, taken);
  const isServed = refusal === undefined || isEstablished(object);
  const storage = listOf(spec['versions'])
    .filter(isMap)
    .find((version) => version['storage'] === true);
  const stored = new Set([...listOf(dig(object, 'status', 'storedVersions')), stringOf(storage?.['name'])]);
  return {
    acceptedNames: accepted,
    conditions: [
      refusal === undefined
        ? condition('NamesAccepted', 'True', 'NoConflicts', 'no conflicts found')
        : condition('NamesAccepted', 'False', refusal.reason, refusal.message),
      isServed
        ? condition('Established', 'True', 'InitialNamesAccepted', 'the initial names have been accepted')
        : condition('Established', 'False', 'NotAccepted', 'not all names are accepted'),
      ...before.filter((one) => one['type'] !== 'NamesAccepted' && one['type'] !== 'Established'),
    ],
    storedVersions: [...stored],
  };
}

/** Follows the definitions in the store: serves, stops serving, cleans up. */
export function followDefinitions(api: Api): void {
  const { store, registry, clock } = api;
  const definitions = store.collection(DEFINITIONS_KEY);
  const definition = definitionResource();
  const siblings = (object: KubeObject): Stored[] => {
    const group = dig(object, 'spec', 'group');
    const { name } = object.metadata;
    return definitions
      .list(undefined, '')
      .filter((other) => other.metadata.name !== name && dig(other.object, 'spec', 'group') === group);
  };
  const settle = (stored: Stored): void => {
    const { object } = stored;
    const { name = '', deletionTimestamp } = object.metadata;
    // Somebody may have written it since: that write is followed by its own turn.
    if (deletionTimestamp !== undefined || definitions.get('', name) !== stored) return;
    const taken = takenNames(siblings(object).map((other) => other.object));
    const status = settledStatus(object, taken, timeText(clock.now()));
    if (same(status, object['status'])) return;
    const next = { ...object, metadata: { ...object.metadata }, status };
    recordUpdate(object, next, { ...STATUS_WRITER, schema: definition.schema, time: timeText(clock.now()) });
    definitions.put(next);
  };
  definitions.follow(({ type, stored, previous }) => {
    const { object } = stored;
    const key = storeKey(object);
    if (type === 'DELETED') {
      registry.remove(key);
      store.drop(key);
      // Its names are free for who could not have them.
      for (const other of siblings(object)) queueMicrotask(() => settle(other));
      return;
    }
    const { name = '', deletionTimestamp, finalizers = [] } = object.metadata;
    const wasServed = previous !== undefined && registry.ofStoreKey(key).length > 0;
    const changed =
      !wasServed ||
      !same(object['spec'], previous?.object['spec']) ||
      !same(namesOf(object), namesOf(previous?.object));
    if (isEstablished(object) && changed) registry.set(key, resourcesOf(object, api));
    if (deletionTimestamp === undefined) {
      queueMicrotask(() => settle(stored));
    } else if (finalizers.includes(CLEANUP_FINALIZER)) {
      queueMicrotask(() => cleanUp(api, key, name));
    }
  });
  // When the last object goes, so does a definition that waits for it.
  store.follow((collection, { type }) => {
    if (type !== 'DELETED' || collection.count() > 0) return;
    const slash = collection.key.indexOf('/');
    const name = `${collection.key.slice(slash + 1)}.${collection.key.slice(0, slash)}`;
    if (definitions.get('', name)?.metadata.deletionTimestamp !== undefined) {
      queueMicrotask(() => cleanUp(api, collection.key, name));
    }
  });
}

function cleanUp(api: Api, key: string, name: string): void {
  const definitions = api.store.collection(DEFINITIONS_KEY);
  const [resource] = api.registry.ofStoreKey(key);
  const objects = api.store.collection(key);
  if (resource !== undefined) {
    for (const { metadata } of objects.list(undefined, '')) {
      const { namespace = '', name: one = '', deletionTimestamp } = metadata;
      if (deletionTimestamp !== undefined) continue;
      const preconditions = { uid: undefined, resourceVersion: undefined };
      deleteObject(api, resource, objects, namespace, one, { preconditions, dryRun: false, propagation: '' });
    }
  }
  const definition = definitions.get('', name)?.object;
  if (definition?.metadata.deletionTimestamp === undefined || objects.count() > 0) return;
  const { finalizers = [], ...metadata } = definition.metadata;
  const rest = finalizers.filter((finalizer) => finalizer !== CLEANUP_FINALIZER);
  if (rest.length === 0) definitions.remove('', name);
  else if (rest.length < finalizers.length)
    definitions.put({ ...definition, metadata: { ...metadata, finalizers: rest } });
}

/** The names that a definition is served under. */
function namesOf(object: KubeObject | undefined): JsonMap {
  return mapOf(dig(object, 'status', 'acceptedNames'));
}

function storeKey(object: KubeObject): string {
  return storeKeyOf(stringOf(dig(object, 'spec', 'group')), stringOf(dig(object, 'spec', 'names', 'plural')));
}

/** The resources that a definition asks for: one for each served version. */
export function resourcesOf(object: KubeObject, { clock, closing }: Pick<Api, 'clock' | 'closing'>): Resource[] {
  const spec = mapOf(object['spec']);
  const group = stringOf(spec['group']);
  const names = namesOf(object);
  const plural = stringOf(names['plural']);
  const versions = listOf(spec['versions']).filter(isMap);
  const replicasPaths = new Map(
    versions.map((version) => [
      `${group}/${stringOf(version['name'])}`,
      stringOf(dig(version, 'subresources', 'scale', 'specReplicasPath')),
    ]),
  );
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
      const scale = scalePaths(dig(version, 'subresources', 'scale'), replicasPaths);
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
        subresources: [...(hasStatus ? ['status'] : []), ...(scale === undefined ? [] : ['scale'])],
        scale,
        builtin: false,
        storageVersion: stringOf(versions.find((one) => one['storage'] === true)?.['name']),
        storeKey: storeKeyOf(group, plural),
        schema,
        rawSchema: raw,
        columns: customColumns(version['additionalPrinterColumns']),
        selectable: selectableFields(version['selectableFields']),
        strategy: customStrategy({ schema, kind, apiVersion, hasStatus, scale }),
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

/** How objects get from version to version; undefined when there is only one. */
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
  // Whoever has results of the webhook puts them in the place of this.
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

function scalePaths(raw: unknown, byVersion: ReadonlyMap<string, string>): ScalePaths | undefined {
  if (!isMap(raw)) return undefined;
  return {
    specReplicas: stringOf(raw['specReplicasPath']),
    statusReplicas: stringOf(raw['statusReplicasPath']),
    labelSelector: stringOf(raw['labelSelectorPath']),
    byVersion,
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
  scale,
}: Pick<Resource, 'schema' | 'kind' | 'apiVersion' | 'scale'> & { readonly hasStatus: boolean }): Strategy {
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
      const ofScale = scale === undefined ? [] : scaleErrors(next, scale, subresource);
      if (subresource !== 'status') {
        return [...checked(schema, value, before, found, validate(schema, value, before)), ...ofScale];
      }
      const { status } = next;
      const errors =
        statusSchema === undefined || status === undefined
          ? []
          : validate(statusSchema, status, old?.['status'], 'status');
      return [...checked(schema, value, before, found, errors), ...ofScale];
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

/** What follows the validation of types: unique items, and rules where the rest is sound. */
function checked(
  schema: Schema,
  value: unknown,
  old: unknown,
  found: readonly FieldError[],
  schemaErrors: readonly FieldError[],
): FieldError[] {
  const errors = [...schemaErrors, ...validateEmbedded(schema, value)];
  const repeated = validateUniqueness(schema, value, old);
  // What was so before is not complained about.
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
