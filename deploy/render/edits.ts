// Where the values of the chart go in the manifests: at named paths, each of which must be there. What is not named here,
// the chart has as the manifests say it.
import { Role, VISUALIZER, WEBHOOKS } from '../../actors/base/config.ts';
import type { Json, JsonObject } from '../../bus/bus.ts';
import { ROLE_LABEL } from '../manifests.ts';
import { type Action, type Step, Template } from './go-template.ts';
import type { Manifest } from './kustomize.ts';

/** What images of Troupe are called in the manifests. */
const OWN_IMAGE = /^troupe(:|$)/;

interface Edit {
  readonly path: readonly Step[];
  readonly put: Action;
}

interface Addition {
  readonly path: readonly Step[];
  readonly lines: readonly string[];
}

interface Container {
  readonly name: string;
  readonly image: string;
  readonly env?: readonly { readonly name: string }[];
}

/** A container of a manifest, and the way to it. */
interface Placed extends Container {
  readonly path: readonly Step[];
}

/** Puts the actions of the chart into a manifest. @throws {Error} a value has no place in it */
export function edited(manifest: Manifest): Template {
  const template = new Template(manifest);
  const { edits, additions } = wanted(manifest);
  const check = (path: readonly Step[], isPlaced: boolean): void => {
    const steps = path.map((step) => (typeof step === 'string' ? step : `[${step.name}]`)).join('.');
    if (!isPlaced) throw new Error(`${manifest.kind} ${manifest.metadata.name} has no place '${steps}' for a value`);
  };
  for (const { path, put } of edits) check(path, template.put(path, put));
  for (const { path, lines } of additions) check(path, template.append(path, lines));
  return template;
}

/** Images of others, by the names that the chart has for them. */
export function imagesOf(manifests: readonly Manifest[]): ReadonlyMap<string, string> {
  const images = manifests.flatMap(containersOf).map(({ image }) => image);
  return new Map(images.filter((image) => !OWN_IMAGE.test(image)).map((image) => [imageName(image), image]));
}

function wanted(manifest: Manifest): { edits: readonly Edit[]; additions: readonly Addition[] } {
  const { kind, metadata } = manifest;
  const pod = podPath(kind);
  const edits: Edit[] = [];
  const additions: Addition[] = [];
  if (pod !== undefined) {
    // Those of nodes say by themselves which nodes these are, and that they go with them.
    const ofPlaces = kind === 'DaemonSet' ? [] : ['nodeSelector', 'tolerations', 'priorityClassName'];
    for (const value of ['imagePullSecrets', ...ofPlaces]) {
      edits.push({ path: [...pod, value], put: optional(value) });
    }
  }
  for (const { path, image } of containersOf(manifest)) {
    const isOwn = OWN_IMAGE.test(image);
    const expression = isOwn
      ? 'include "troupe.image" $ | quote'
      : `index $.Values.images "${imageName(image)}" | quote`;
    edits.push({ path: [...path, 'image'], put: { is: 'scalar', expression } });
    if (isOwn) edits.push({ path: [...path, 'imagePullPolicy'], put: optional('image.pullPolicy') });
  }
  if (pod !== undefined && isActors(manifest)) {
    const container = [...pod, 'containers', { name: 'troupe' }];
    edits.push(
      { path: ['spec', 'replicas'], put: { is: 'scalar', expression: ofRole(manifest, 'replicas') } },
      { path: [...container, 'resources'], put: { is: 'value', expression: ofRole(manifest, 'resources') } },
      ...(speaksBus(manifest)
        ? [{ path: [...container, 'env', { name: 'NATS_URL' }, 'value'], put: scalar('nats.url') }]
        : []),
      { path: [...pod, 'affinity'], put: optional('affinity') },
    );
    additions.push(
      { path: [...container, 'args'], lines: ARGUMENTS },
      { path: [...container, 'env'], lines: VARIABLES },
      ...(mayServe(manifest)
        ? [
            { path: [...container, 'volumeMounts'], lines: itemsOf('volumeMounts') },
            { path: [...pod, 'volumes'], lines: itemsOf('volumes') },
          ]
        : []),
    );
  }
  if (pod !== undefined && kind === 'DaemonSet') {
    const container = [...pod, 'containers', { name: 'troupe' }];
    edits.push(
      { path: [...container, 'resources'], put: { is: 'value', expression: ofRole(manifest, 'resources') } },
      { path: [...container, 'env', { name: 'NATS_URL' }, 'value'], put: scalar('windows.natsUrl') },
      { path: [...container, 'env', { name: 'NATS_SERVER_NAME' }, 'value'], put: scalar('windows.natsServerName') },
    );
    additions.push(
      { path: [...container, 'args'], lines: ARGUMENTS },
      { path: [...container, 'env'], lines: VARIABLES },
    );
  }
  if (pod !== undefined && kind === 'StatefulSet' && metadata.name === 'troupe-nats') {
    const claim = ['spec', 'volumeClaimTemplates', { name: 'data' }, 'spec'];
    edits.push(
      {
        path: [...pod, 'containers', { name: 'nats' }, 'resources'],
        put: { is: 'value', expression: '$.Values.nats.resources' },
      },
      { path: [...claim, 'resources', 'requests', 'storage'], put: scalar('nats.storage.size') },
      { path: [...claim, 'storageClassName'], put: optional('nats.storage.className') },
    );
  }
  if (kind === 'CustomResourceDefinition') {
    // Whoever deletes a definition deletes all objects of the kind.
    edits.push({ path: ['metadata', 'annotations'], put: { is: 'map', of: { 'helm.sh/resource-policy': 'keep' } } });
  }
  return { edits, additions };
}

const ARGUMENTS = [
  '{{- range $.Values.namespaces }}',
  '- --namespace={{ . }}',
  '{{- end }}',
  '{{- range $.Values.args }}',
  '- {{ . | quote }}',
  '{{- end }}',
];
const VARIABLES = itemsOf('env');

export function isActors(manifest: Manifest): boolean {
  const { kind, metadata } = manifest;
  return kind === 'Deployment' && (metadata.name === 'troupe' || roleOf(manifest) !== undefined);
}

/** Roles of which no pod opens a connection to a foreign system, so that none has the files for one. */
const AT_HOME: readonly string[] = [...Object.values(Role), VISUALIZER, WEBHOOKS];

function mayServe(manifest: Manifest): boolean {
  const role = roleOf(manifest);
  return role === undefined || !AT_HOME.includes(role);
}

function itemsOf(value: string): readonly string[] {
  return [`{{- range $.Values.${value} }}`, '- {{ toJson . }}', '{{- end }}'];
}

/** Whether its pods are told where the bus is: those that answer the API server need none. */
function speaksBus(manifest: Manifest): boolean {
  return containersOf(manifest).some(({ env = [] }) => env.some(({ name }) => name === 'NATS_URL'));
}

/** The role that a Deployment's pods play, if it is one alone. */
export function roleOf({ metadata }: Manifest): string | undefined {
  return ((metadata['labels'] ?? {}) as Readonly<Record<string, string>>)[ROLE_LABEL];
}

/** Of that role, else of all. */
function ofRole(manifest: Manifest, value: string): string {
  const role = roleOf(manifest);
  return role === undefined ? `$.Values.${value}` : `dig "${role}" $.Values.${value} $.Values.roles.${value}`;
}

function scalar(value: string): Action {
  return { is: 'scalar', expression: `$.Values.${value} | quote` };
}

function optional(value: string): Action {
  return { is: 'optional', expression: `$.Values.${value}` };
}

function podPath(kind: string): readonly string[] | undefined {
  const ofJob = ['spec', 'template', 'spec'];
  if (['Deployment', 'StatefulSet', 'DaemonSet', 'Job'].includes(kind)) return ofJob;
  return kind === 'CronJob' ? ['spec', 'jobTemplate', ...ofJob] : undefined;
}

function containersOf(manifest: Manifest): readonly Placed[] {
  const pod = podPath(manifest.kind);
  if (pod === undefined) return [];
  const spec = pod.reduce<Json>((at, key) => (at as JsonObject)[key] ?? {}, manifest) as JsonObject;
  return ['initContainers', 'containers'].flatMap((list) =>
    ((spec[list] ?? []) as unknown as readonly Container[]).map(({ name, image, env }) => ({
      name,
      image,
      ...(env !== undefined && { env }),
      path: [...pod, list, { name }],
    })),
  );
}

/** Without registry, tag and digest. */
function imageName(image: string): string {
  return image.replace(/[:@][^/]*$/, '').replace(/^.*\//, '');
}
