// The sample landscape under the names of one world, so that it fits beside others in one cloud.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import type { JsonObject } from '../../bus/mod.ts';
import { CREDENTIALS, type Kind, type World } from './harness.ts';

const FOLDER = fileURLToPath(new URL('../../deploy/samples/network-landscape/', import.meta.url));

export interface SampleObject {
  readonly kind: Kind;
  readonly name: string;
  readonly manifest: JsonObject;
}

/** The manifests, file after file. Names of objects stay, names in the cloud begin with the world's prefix. */
export function landscape(world: World): readonly (readonly SampleObject[])[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.yaml'));
  return files.sort().map((file) =>
    parseAllDocuments(readFileSync(`${FOLDER}${file}`, 'utf8')).flatMap((document) => {
      const manifest = document.toJS() as JsonObject | null;
      return manifest === null ? [] : [renamed(world, manifest)];
    }),
  );
}

function renamed(world: World, manifest: JsonObject): SampleObject {
  const kind = manifest['kind'] as Kind;
  const { name } = manifest['metadata'] as { readonly name: string };
  const spec = manifest['spec'] as Readonly<Record<string, JsonObject>>;
  // An interface has no credentials and no name in the cloud of its own.
  if (kind === 'RouterInterface') return { kind, name, manifest: { ...manifest, metadata: { name } } };
  const cloudCredentialsRef = { secretName: CREDENTIALS, cloudName: world.ground.cloudName };
  const more: Record<string, JsonObject> = { cloudCredentialsRef };
  if (spec['resource'] !== undefined) more['resource'] = { ...spec['resource'], name: world.name(name) };
  // The imported domain is every cloud's; the imported network is made by the test.
  if (spec['import'] !== undefined && kind === 'Network') more['import'] = { filter: { name: world.name(name) } };
  return { kind, name, manifest: { ...manifest, metadata: { name }, spec: { ...spec, ...more } } };
}
