// What kustomize makes of the sources in this folder. Kustomize is the one in kubectl.
import { execFile } from 'node:child_process';
import { access, constants, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parseAllDocuments, stringify } from 'yaml';
import type { Json, JsonObject } from '../../bus/bus.ts';

const run = promisify(execFile);
const DEPLOY = fileURLToPath(new URL('..', import.meta.url));

/** Kustomize knows `labels` since version 4.1, which came into kubectl with 1.22. */
const LEAST_MINOR = 22;

/** An object of Kubernetes as a manifest says it. */
export interface Manifest extends JsonObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: JsonObject & { readonly name: string; readonly namespace?: string };
}

/** Folders below deploy/. */
export interface Sources {
  readonly resource: string;
  readonly components?: readonly string[];
}

/** The first kubectl that has a kustomize new enough; undefined: there is none. */
export async function findKubectl(env: Readonly<Record<string, string | undefined>>): Promise<string | undefined> {
  const folders = [env['KUBEBUILDER_ASSETS'] ?? '', ...(env['PATH'] ?? '').split(delimiter)];
  for (const folder of folders.filter((each) => each !== '')) {
    const program = join(folder, 'kubectl');
    try {
      await access(program, constants.X_OK);
      const { stdout } = await run(program, ['version', '--client', '--output=json']);
      const { clientVersion } = JSON.parse(stdout) as { clientVersion: { major: string; minor: string } };
      if (Number(clientVersion.major) > 1 || Number.parseInt(clientVersion.minor, 10) >= LEAST_MINOR) return program;
    } catch {
      // Not there, not ours to run, or no kubectl: the next folder may have one.
    }
  }
  return undefined;
}

/** @throws {Error} kustomize refuses the sources */
export async function kustomized(
  kubectl: string,
  { resource, components = [] }: Sources,
): Promise<readonly Manifest[]> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'troupe-kustomize-')));
  const below = (name: string): string => relative(folder, join(DEPLOY, name));
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: [below(resource)],
    components: components.map(below),
  };
  try {
    await writeFile(join(folder, 'kustomization.yaml'), stringify(kustomization));
    const { stdout } = await run(kubectl, ['kustomize', folder], { maxBuffer: 64 * 1024 * 1024 });
    return stdout
      .split(/^---\n/m)
      .flatMap(parsedOnce)
      .map(withoutWrongNamespace);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const parsed = new Map<string, readonly Manifest[]>();

/** Most documents are the same whatever is chosen, definitions above all: parsing those again would take most of the time. */
function parsedOnce(text: string): readonly Manifest[] {
  const manifests = parsed.get(text) ?? parseManifests(text);
  parsed.set(text, manifests);
  return manifests;
}

/** Kustomize puts a namespace on what it does not know to be in none. */
function withoutWrongNamespace(manifest: Manifest): Manifest {
  if (!manifest.kind.startsWith('ValidatingAdmissionPolicy')) return manifest;
  const { namespace: _, ...metadata } = manifest.metadata;
  return { ...manifest, metadata };
}

export function parseManifests(text: string): readonly Manifest[] {
  return parseAllDocuments(text).flatMap((document) => {
    const manifest = document.toJS() as Manifest | null;
    return manifest === null ? [] : [manifest];
  });
}

/** As text, whatever program and version it came through. */
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
