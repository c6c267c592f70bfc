// Objects in the versions of their definition: stored in one of them, shown in any.
//
// Invariants:
//   KSIM-VERSIONS-1. What is stored has the version that its definition stores at the time of the write, without fields that the
//       schema of this version does not know, and with its defaults.
//   KSIM-VERSIONS-2. What is shown in another version is the stored object with the defaults of its own version, converted, without
//       the fields that the other version does not know.
//   KSIM-VERSIONS-3. A conversion sees no resourceVersion: revisions are of the server, not of the object.

import { copy } from '../../../text/json.ts';
import { plainFailure } from '../base/api-error.ts';
import type { KubeObject } from '../base/kube-object.ts';
import { prune, setDefaults } from '../schemas/pruning.ts';
import type { Convert, Versions } from './conversion.ts';

/** The conversion of definitions that name no webhook. */
export const renameVersion: Convert = (object, apiVersion) => ({ ...object, apiVersion });

/** The object as another version shows it (KSIM-VERSIONS-2): a copy. @throws {ApiError} 500 */
export function converted({ schemas, convert }: Versions, object: KubeObject, apiVersion: string): KubeObject {
  const [source, target] = [schemas.get(object.apiVersion), schemas.get(apiVersion)];
  if (source === undefined || target === undefined) {
    const [way, version] = source === undefined ? ['from', object.apiVersion] : ['to', apiVersion];
    throw plainFailure(`request to convert CR ${way} an invalid group/version: ${version}`);
  }
  const from = copy(object);
  const { resourceVersion } = from.metadata;
  delete from.metadata.resourceVersion; // KSIM-VERSIONS-3
  prune(source, from);
  setDefaults(source, from);
  const to = copy(convert(from, apiVersion));
  prune(target, to);
  if (resourceVersion !== undefined) to.metadata.resourceVersion = resourceVersion;
  return to;
}

/** The object as it is to be stored (KSIM-VERSIONS-1). @throws {ApiError} 500 */
export function forStorage(versions: Versions, object: KubeObject): KubeObject {
  if (object.apiVersion === versions.storage) return object;
  const stored = converted(versions, object, versions.storage);
  const schema = versions.schemas.get(versions.storage);
  if (schema !== undefined) setDefaults(schema, stored);
  return stored;
}
