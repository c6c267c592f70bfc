// CustomResourceDefinitions from contracts: as objects, as YAML, and as files of a directory. A kind whose contract is
// not written in the notation of contract.ts has a finished definition, which is used in the same way.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Json, JsonObject } from '../../../bus/bus.ts';
import type { Schema } from './contract.ts';

/** A column of `kubectl get`. */
export interface PrinterColumn {
  readonly name: string;
  readonly description: string;
  /** Path of the value in the object: `.status.id`. */
  readonly jsonPath: string;
}

/** API of a kind for users of Kubernetes. */
export interface KindContract {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  /** Short names for kubectl. */
  readonly shortNames?: readonly string[];
  readonly categories: readonly string[];
  readonly description: string;
  readonly columns: readonly PrinterColumn[];
  readonly spec: Schema;
  readonly status: Schema;
  /** Versions that are served too. The status is that of all. */
  readonly older?: readonly OlderVersion[];
}

/**
 * A version that is served and not stored. The API server converts nothing but `apiVersion`, and drops what the version that
 * it is asked by does not know: each version has all fields of the others, or a write by one loses what another holds.
 */
export interface OlderVersion {
  readonly version: string;
  readonly spec: Schema;
  /** Deprecation warning for users. */
  readonly deprecated?: string;
}

/** Kind with a finished definition. The members here are known without loading it. */
export interface KindDefinition {
  readonly group: string;
  /** One that is served, and that actors use. */
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly shortNames?: readonly string[];
  /** The annotation by which users pause an object of it, whatever its value. */
  readonly pauseAnnotation?: string;
  /** The CustomResourceDefinition. */
  definition(): JsonObject;
}

/** Contract of a kind of an adapter. */
export type Contract = KindContract | KindDefinition;

/** Whether it is written in the language of contract.ts, whose rules are for such contracts alone. */
export function isWritten(contract: Contract): contract is KindContract {
  return !('definition' in contract);
}

/** The name of the CustomResourceDefinition. */
export function crdName({ plural, group }: Pick<Contract, 'plural' | 'group'>): string {
  return `${plural}.${group}`;
}

/** A file of the folder of generated CRDs. */
export interface CrdFile {
  readonly name: string;
  readonly text: string;
}

const HEADER = '# Generated from the contract of the kind by `npm run generate`; changes made here are lost.\n';

/** The CustomResourceDefinition of a kind. */
export function crd(contract: Contract): JsonObject {
  return isWritten(contract) ? writtenCrd(contract) : contract.definition();
}

/** Namespaced, with a status subresource; the contract's own version is the one stored. */
function writtenCrd(contract: KindContract): JsonObject {
  const { group, version, kind, plural, shortNames, categories, columns, description, spec, status } = contract;
  const { older = [] } = contract;
  const propertiesWith = (spec: Schema): JsonObject => ({
    apiVersion: {
      type: 'string',
      description: 'apiVersion is the API group and version that the object is written in.',
    },
    kind: { type: 'string', description: `kind is ${kind}.` },
    metadata: { type: 'object' },
    spec: openApi(spec, 'spec'),
    status: openApi(status, 'status'),
  });
  const versionOf = ({ version: name, spec, deprecated }: OlderVersion): JsonObject => ({
    name,
    served: true,
    storage: name === version,
    ...(deprecated !== undefined && { deprecated: true, deprecationWarning: deprecated }),
    subresources: { status: {} },
    additionalPrinterColumns: columns.map((column) => ({ ...column, type: 'string' })),
    schema: {
      openAPIV3Schema: { type: 'object', description, required: ['spec'], properties: propertiesWith(spec) },
    },
  });
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: crdName(contract) },
    spec: {
      group,
      names: {
        categories,
        kind,
        listKind: `${kind}List`,
        plural,
        ...(shortNames !== undefined && { shortNames }),
        singular: kind.toLowerCase(),
      },
      scope: 'Namespaced',
      versions: [{ version, spec }, ...older].map(versionOf),
    },
  };
}

/** The structural schema of a field. `name` is the field's JSON name; items have none. */
export function openApi(schema: Schema, name: string | undefined): JsonObject {
  const { type, description, keywords, items, properties = {}, values } = schema;
  const fields = Object.entries(properties);
  const required = fields.filter(([, field]) => field.required).map(([key]) => key);
  const rules = [
    ...(schema.immutable ? [{ message: `${name} is immutable`, rule: 'self == oldSelf' }] : []),
    ...schema.rules.map(({ message, rule }) => ({ message, rule })),
  ];
  return {
    type,
    description,
    ...keywords,
    ...(items === undefined ? {} : { items: openApi(items, undefined) }),
    ...(values === undefined ? {} : { additionalProperties: openApi(values, undefined) }),
    ...(fields.length === 0
      ? {}
      : { properties: Object.fromEntries(fields.map(([key, field]) => [key, openApi(field, key)])) }),
    ...(required.length === 0 ? {} : { required: required.sort() }),
    ...(rules.length === 0 ? {} : { 'x-kubernetes-validations': rules as Json }),
  };
}

/** The generated file of a contract: keys sorted, scalars quoted so that readers of YAML 1.1 agree. */
export function crdFile(contract: Contract): CrdFile {
  return { name: crdFileName(contract), text: HEADER + crdText(contract) };
}

/** The name of the file of a definition. */
export function crdFileName({ group, plural }: Pick<Contract, 'plural' | 'group'>): string {
  return `${group}_${plural}.yaml`;
}

/** The definition as YAML. */
export function crdText(contract: Contract): string {
  return stringify(crd(contract), {
    version: '1.1',
    sortMapEntries: true,
    lineWidth: 120,
    aliasDuplicateObjects: false,
  });
}

/**
 * Writes one file per contract into `folder`, and removes files of these groups without a contract.
 *
 * @returns the names of the files that changed
 */
export async function writeCrds(folder: string, contracts: readonly Contract[]): Promise<readonly string[]> {
  await mkdir(folder, { recursive: true });
  const { changed, stale } = await compare(folder, contracts);
  await Promise.all(changed.map(({ name, text }) => writeFile(join(folder, name), text)));
  await Promise.all(stale.map((name) => rm(join(folder, name))));
  return [...changed.map(({ name }) => name), ...stale];
}

/** Names of the files in `folder` that `writeCrds` would change; empty when all are up to date. Writes nothing. */
export async function checkCrds(folder: string, contracts: readonly Contract[]): Promise<readonly string[]> {
  const { changed, stale } = await compare(folder, contracts);
  return [...changed.map(({ name }) => name), ...stale];
}

async function compare(
  folder: string,
  contracts: readonly Contract[],
): Promise<{ readonly changed: readonly CrdFile[]; readonly stale: readonly string[] }> {
  const files = contracts.map(crdFile);
  const names = await readdir(folder);
  const stored = await Promise.all(
    files.map(({ name }) => (names.includes(name) ? readFile(join(folder, name), 'utf8') : undefined)),
  );
  const prefixes = new Set(contracts.map(({ group }) => `${group}_`));
  const expected = new Set(files.map(({ name }) => name));
  return {
    changed: files.filter(({ text }, index) => stored[index] !== text),
    stale: names.filter((name) => !expected.has(name) && prefixes.has(name.slice(0, name.indexOf('_') + 1))),
  };
}
