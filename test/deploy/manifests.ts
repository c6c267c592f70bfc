// What the chart makes: install.yaml, and what it makes with all that can be chosen.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments, stringify } from 'yaml';
import { BUILT_IN } from '../../actors/process/adapters.ts';
import { modelAdapterOf } from '../../actors/process/load-models.ts';
import type { Adapter } from '../../adapters/api/adapter.ts';
import type { Json, JsonObject } from '../../bus/mod.ts';

/** An object of Kubernetes as a manifest says it. */
export interface Manifest extends JsonObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: JsonObject & { readonly name: string; readonly namespace?: string };
}

export const INSTALL_FILE = fileURLToPath(new URL('../../deploy/install.yaml', import.meta.url));
const MODELS = fileURLToPath(new URL('../../deploy/samples/company-api/models', import.meta.url));
const EVERYTHING_FILE = fileURLToPath(new URL('everything.yaml', import.meta.url));

export const installed = (): readonly Manifest[] => parseManifests(readFileSync(INSTALL_FILE, 'utf8'));
/** Roles apart, Windows nodes, webhooks, the visualizer, a model that is served, egress and monitoring; no definitions. */
export const everything = (): readonly Manifest[] => parseManifests(readFileSync(EVERYTHING_FILE, 'utf8'));

/** The adapters of these: the model is that of a sample. */
export const everyAdapter = (): readonly Adapter[] => [
  ...BUILT_IN,
  modelAdapterOf({ roots: [MODELS], bindings: undefined }, 'caller'),
];

export function parseManifests(text: string): readonly Manifest[] {
  return parseAllDocuments(text).flatMap((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    const manifest = document.toJS() as Manifest | null;
    return manifest === null ? [] : [manifest];
  });
}

export function manifestsText(manifests: readonly Json[]): string {
  return manifests
    .map((manifest) => stringify(manifest, { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false }))
    .join('---\n');
}

/** What tells an object from all others of a cluster. */
export function identityOf({ apiVersion, kind, metadata }: Manifest): string {
  const group = apiVersion.includes('/') ? apiVersion.split('/')[0] : '';
  return [kind, group, metadata.namespace ?? '', metadata.name].join('/');
}

/** The only manifest with that kind and name, or with a name that matches a pattern. @throws {Error} there is none */
export function one<Of = Manifest>(of: readonly Manifest[], kind: string, name: string | RegExp): Of {
  const isNamed = (given: string): boolean => (typeof name === 'string' ? given === name : name.test(given));
  const found = of.find((each) => each.kind === kind && isNamed(each.metadata.name));
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
  return found as unknown as Of;
}
