// All types of built-in kinds by their full names.
import type { JsonMap } from '../../../../text/json.ts';
import { META_TYPES } from '../meta-types.ts';
import { CORE_PACKAGE, META_PACKAGE, type NamedType, parseTypes, treeOf } from '../types.ts';
import { AUTHENTICATION_TYPES, AUTHORIZATION_TYPES, ROLE_TYPES } from './access.ts';
import { CORE_TYPES, EVENT_TYPES, LEASE_TYPES } from './core.ts';
import { EXTENSION_TYPES } from './extensions.ts';

/** Packages by the groups whose kinds they hold. */
const PACKAGES: Readonly<Record<string, readonly [packageName: string, text: string]>> = {
  '': [CORE_PACKAGE, CORE_TYPES],
  'apiextensions.k8s.io': ['io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1', EXTENSION_TYPES],
  'authentication.k8s.io': ['io.k8s.api.authentication.v1', AUTHENTICATION_TYPES],
  'authorization.k8s.io': ['io.k8s.api.authorization.v1', AUTHORIZATION_TYPES],
  'coordination.k8s.io': ['io.k8s.api.coordination.v1', LEASE_TYPES],
  'events.k8s.io': ['io.k8s.api.events.v1', EVENT_TYPES],
  'rbac.authorization.k8s.io': ['io.k8s.api.rbac.v1', ROLE_TYPES],
};

export const TYPES: ReadonlyMap<string, NamedType> = new Map(
  [[META_PACKAGE, META_TYPES] as const, ...Object.values(PACKAGES)]
    .flatMap(([packageName, text]) => parseTypes(packageName, text))
    .map((type) => [type.fullName, type]),
);

/** The type of a built-in kind; all of them are in version v1. */
export function kindTypeName(group: string, kind: string): string {
  return `${PACKAGES[group]?.[0] ?? group}.${kind}`;
}

/** The JSON of the schema of a built-in kind, without what all objects have. */
export function kindTree(group: string, kind: string): JsonMap {
  return treeOf(TYPES, kindTypeName(group, kind));
}
