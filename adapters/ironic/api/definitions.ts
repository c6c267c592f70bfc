// The CustomResourceDefinitions of the group `metal3.io`, made of the files in crds/, of which there is one a kind, by its plural.
//
// Invariants:
//   IRONIC-DEFINITIONS-1. In phase 0 they are the ones that clients of v1alpha1 know, but for descriptions.
//   IRONIC-DEFINITIONS-2. v1beta1 is v1alpha1 with the changes of crds/v1beta1.yaml, and nothing else.
//   IRONIC-DEFINITIONS-3. In every phase just one version is stored, and it is served.
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'yaml';
import { TerminalError } from '../../../bus/errors.ts';
import type { JsonObject } from '../../../bus/json.ts';
import { type Changes, changed, renamedPath } from './changes.ts';
import { KINDS, type KindNames } from './kinds.ts';
import { type Field, openApi } from './notation.ts';
import { GROUP } from './types.ts';

/** All versions, oldest first. */
export const VERSIONS = ['v1alpha1', 'v1beta1'] as const;
export type Version = (typeof VERSIONS)[number];

/**
 * Progress of the move to v1beta1.
 *
 * | phase | stored | v1alpha1 | v1beta1 |
 * | --- | --- | --- | --- |
 * | 0 | v1alpha1 | served | not there |
 * | 1 | v1alpha1 | served | served |
 * | 2 | v1beta1 | served, with a warning | served |
 * | 3 | v1beta1 | not served, with a warning if it is served again | served |
 * | 4 | v1beta1 | not there | served |
 */
export type Phase = 0 | 1 | 2 | 3 | 4;

/** Webhook that converts objects between versions, in the API server's format. */
export type WebhookClientConfig = {
  /** Authorities that its certificate may come from: PEM, in base64. What the API server trusts anyway unless stated. */
  readonly caBundle?: string;
} & ({ readonly service: WebhookService } | { readonly url: string });

/** A Service of the cluster. */
export type WebhookService = {
  readonly namespace: string;
  readonly name: string;
  /** `/convert` unless stated. */
  readonly path?: string;
  /** 443 unless stated. */
  readonly port?: number;
};

export interface DefinitionsOptions {
  readonly phase: Phase;
  /** Needed in the phases with two versions. */
  readonly webhook?: WebhookClientConfig;
}

export type CustomResourceDefinition = {
  readonly apiVersion: 'apiextensions.k8s.io/v1';
  readonly kind: 'CustomResourceDefinition';
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly names: {
      readonly kind: string;
      readonly listKind: string;
      readonly plural: string;
      readonly singular: string;
      readonly shortNames?: readonly string[];
    };
    readonly scope: 'Namespaced';
    readonly conversion?: JsonObject;
    readonly versions: readonly DefinedVersion[];
  };
};

export type DefinedVersion = {
  readonly name: Version;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: true;
  readonly deprecationWarning?: string;
  readonly additionalPrinterColumns?: readonly Column[];
  readonly subresources?: JsonObject;
  readonly schema: { readonly openAPIV3Schema: JsonObject };
};

/** A column of `kubectl get`. */
type Column = {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly description: string;
  /** Above 0: shown by `-o wide` only. */
  readonly priority?: number;
};

/** A kind: its names, and its file. */
interface KindFile extends KindNames {
  readonly description: string;
  /** As the definition has it; HardwareData has none in it, two kinds have not even that. */
  readonly subresources?: JsonObject;
  readonly columns?: readonly Column[];
  readonly spec: Field;
  readonly status?: Field;
}

const [V1ALPHA1, V1BETA1] = VERSIONS;

export type PhaseVersion = Pick<DefinedVersion, 'name' | 'served' | 'storage' | 'deprecated'>;

/** Properties of each version, oldest first, by phase. */
export const PHASES: readonly (readonly PhaseVersion[])[] = [
  [{ name: V1ALPHA1, served: true, storage: true }],
  [
    { name: V1ALPHA1, served: true, storage: true },
    { name: V1BETA1, served: true, storage: false },
  ],
  [
    { name: V1ALPHA1, served: true, storage: false, deprecated: true },
    { name: V1BETA1, served: true, storage: true },
  ],
  [
    { name: V1ALPHA1, served: false, storage: false, deprecated: true },
    { name: V1BETA1, served: true, storage: true },
  ],
  [{ name: V1BETA1, served: true, storage: true }],
];

/**
 * The definitions of all 13 kinds, essential ones first. Objects of kinds whose versions differ are converted by the
 * webhook, the others by the API server.
 *
 * @throws {TerminalError} there is no such phase, or the phase needs a webhook and there is none
 */
export function definitions(options: DefinitionsOptions): readonly CustomResourceDefinition[] {
  const versions = versionsIn(options);
  const { webhook } = options;
  const sources: Sources = {
    shapes: read('shapes') as Sources['shapes'],
    changes: { v1alpha1: {}, v1beta1: read('v1beta1') as VersionChanges },
  };
  return KINDS.map((names) =>
    definition({ ...(read(names.plural) as Omit<KindFile, keyof KindNames>), ...names }, versions, sources, webhook),
  );
}

/**
 * The versions of a phase, oldest first.
 *
 * @throws {TerminalError} there is no such phase, or the phase needs a webhook and there is none
 */
export function versionsIn({ phase, webhook }: DefinitionsOptions): readonly PhaseVersion[] {
  const versions = PHASES.find((_, known) => known === phase);
  if (versions === undefined) throw new TerminalError(`phase must be 0 to 4; got '${phase}'`);
  if (versions.length > 1 && webhook === undefined)
    throw new TerminalError(`phase ${phase} has two versions, and needs a webhook that converts between them`);
  return versions;
}

/** Inputs that all kinds share. */
interface Sources {
  readonly shapes: Readonly<Record<string, Field>>;
  readonly changes: Readonly<Record<Version, VersionChanges>>;
}

/** Changes by the name of a shape or a kind. */
type VersionChanges = Readonly<Record<string, Changes>>;

function definition(
  kind: KindFile,
  versions: readonly PhaseVersion[],
  { shapes, changes }: Sources,
  webhook: WebhookClientConfig | undefined,
): CustomResourceDefinition {
  const schemas: Readonly<Record<Version, JsonObject>> = {
    v1alpha1: schemaOf(kind, shapes, changes.v1alpha1),
    v1beta1: schemaOf(kind, shapes, changes.v1beta1),
  };
  const areEqual = isDeepStrictEqual(schemas.v1alpha1, schemas.v1beta1);
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${kind.plural}.${GROUP}` },
    spec: {
      group: GROUP,
      names: namesOf(kind),
      scope: 'Namespaced',
      // The strategy is written in each phase in which a webhook may have been set before, so that applying the
      // definition removes it.
      ...(versions !== PHASES[0] && {
        conversion: versions.length === 1 || areEqual || !webhook ? { strategy: 'None' } : byWebhook(webhook),
      }),
      versions: versions.map((version) => ({
        ...version,
        ...(version.deprecated && {
          deprecationWarning: `${GROUP}/${version.name} ${kind.kind} is deprecated; use ${GROUP}/${V1BETA1}`,
        }),
        ...columnsOf(kind, changes[version.name]),
        ...(kind.subresources !== undefined && { subresources: kind.subresources }),
        schema: { openAPIV3Schema: schemas[version.name] },
      })),
    },
  };
}

function schemaOf(kind: KindFile, shapes: Readonly<Record<string, Field>>, changes: VersionChanges): JsonObject {
  const shapeOf = (name: string): JsonObject => {
    const shape = shapes[name];
    if (shape === undefined) throw new Error(`there is no type or shape '${name}'`);
    return changed(openApi(shape, shapeOf), changes[name] ?? {});
  };
  const root: JsonObject = {
    type: 'object',
    description: kind.description,
    properties: {
      apiVersion: { type: 'string', description: 'apiVersion is the API group and version that this is written in.' },
      kind: { type: 'string', description: `kind is ${kind.kind}.` },
      metadata: { type: 'object' },
      spec: openApi(kind.spec, shapeOf),
      ...(kind.status !== undefined && { status: openApi(kind.status, shapeOf) }),
    },
  };
  return changed(root, changes[kind.kind] ?? {});
}

function namesOf({ kind, plural, shortNames }: KindFile): CustomResourceDefinition['spec']['names'] {
  return {
    kind,
    listKind: `${kind}List`,
    plural,
    singular: kind.toLowerCase(),
    ...(shortNames !== undefined && { shortNames }),
  };
}

/** A column follows the field that it shows to its new name. */
function columnsOf(
  { kind, columns }: KindFile,
  changes: VersionChanges,
): Pick<DefinedVersion, 'additionalPrinterColumns'> {
  if (columns === undefined) return {};
  const place = (jsonPath: string): string => `.${renamedPath(jsonPath.slice(1), changes[kind] ?? {})}`;
  return { additionalPrinterColumns: columns.map((column) => ({ ...column, jsonPath: place(column.jsonPath) })) };
}

function byWebhook(webhook: WebhookClientConfig): JsonObject {
  const clientConfig =
    'service' in webhook ? { ...webhook, service: { path: '/convert', ...webhook.service } } : webhook;
  return { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig } };
}

function read(name: string): unknown {
  return parse(readFileSync(new URL(`./crds/${name}.yaml`, import.meta.url), 'utf8'));
}
