// Cluster access of commands, and names of objects as people type them.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ConfiguredAdapter } from '../../adapters/api/adapter.ts';
import {
  ForbiddenError,
  type KubeClient,
  kubeClient,
  type Objects,
  objects,
  type Resource,
} from '../../adapters/kubernetes/mod.ts';
import { hint } from '../../adapters/text/nearest.ts';
import { AbsentError, type Address, TerminalError } from '../../bus/mod.ts';
import { plain } from '../base/printable.ts';
import { USER_AGENT } from '../base/version.ts';
import { registryOf } from '../effects/operations-service.ts';
import type { Registry } from '../object/registry.ts';
import type { ClusterDeps } from './command-context.ts';

export interface Cluster {
  readonly client: KubeClient;
  readonly objects: Objects;
  readonly registry: Registry;
  close(): Promise<void>;
}

/** Kinds of the adapters, in kubectl's cluster. @throws {TerminalError} no kubeconfig, or an invalid one */
export function openCluster({ config, adapters, clock, home }: ClusterDeps): Cluster {
  const known = registryOf(adapters);
  const { context, inCluster, env } = config;
  const kubeconfig = config.kubeconfig ?? (inCluster === undefined ? usualKubeconfig(home) : undefined);
  const client = kubeClient({ clock, kubeconfig, context, inCluster, env, userAgent: USER_AGENT });
  return { client, objects: objects({ client }), registry: known, close: () => client.close() };
}

function usualKubeconfig(home = ''): string {
  const path = join(home, '.kube', 'config');
  if (existsSync(path)) return path;
  throw new NoKubeconfigError(path);
}

/** Kubeconfig of a `troupe dev` in the working directory. */
const OF_DEV = join('.troupe', 'kubeconfig');

/** Neither an option, a variable nor the home directory leads to a kubeconfig. */
export class NoKubeconfigError extends TerminalError {
  override name = 'NoKubeconfigError';
  readonly problem: string;
  readonly advice: string;

  /** @param path  of the usual kubeconfig */
  constructor(path: string) {
    const problem = `there is no kubeconfig: '${path}' does not exist`;
    const own = existsSync(OF_DEV) ? `; that of 'troupe dev' here is ${OF_DEV}` : ", as 'troupe dev' prints it";
    const advice = `name one with --kubeconfig or KUBECONFIG${own}`;
    super(`${problem}; ${advice}`);
    this.problem = problem;
    this.advice = advice;
  }
}

/** @param namespace  empty for cluster-scoped objects */
export function absence(label: string, namespace: string): string {
  const place = namespace === '' ? '' : ` in namespace '${plain(namespace)}'; -n names another`;
  return `${plain(label)} does not exist${place}`;
}

/**
 * Check after an empty result in a named namespace.
 *
 * @throws {TerminalError} the namespace does not exist; without permission to read it nothing is thrown
 */
export async function refuseAbsentNamespace(
  client: Pick<KubeClient, 'call'>,
  namespace: string | undefined,
): Promise<void> {
  if (namespace === undefined || namespace === '') return;
  try {
    await client.call({ method: 'GET', path: `/api/v1/namespaces/${encodeURIComponent(namespace)}` });
  } catch (error) {
    if (error instanceof ForbiddenError) return;
    if (!(error instanceof AbsentError)) throw error;
    throw new TerminalError(`there is no namespace '${plain(namespace)}'; -n names another`, { cause: error });
  }
}

/** Kinds that people can name. */
export interface Namable {
  readonly resources: readonly Resource[];
  /** Adapters whose contracts have the short names. */
  readonly adapters: readonly Pick<ConfiguredAdapter, 'contracts'>[];
}

/** Kind, or one object of it, that a person named. */
export interface Named {
  readonly resource: Resource;
  readonly name: string | undefined;
}

/**
 * Parses a name in any form that kubectl accepts: `network/n`, `Networks n`, `networks.openstack.k-orc.cloud/n`,
 * `bmh/n`; or a kind alone.
 *
 * @throws {TerminalError} it is neither, or there is no such kind
 */
export function named(command: string, namable: Namable, words: readonly string[]): Named {
  const [kind = '', name] = partsOf(words);
  if (kind !== '') return { resource: kindNamed(namable, kind), name };
  throw misused(command, words);
}

/** Names that a command cannot take. Its help lists the forms that it takes. */
export function misused(command: string, words: readonly string[]): TerminalError {
  const what = words.length === 0 ? 'needs a name' : `cannot take '${words.join(' ')}'`;
  return new TerminalError(`'${command}' ${what}: 'troupe ${command} --help' lists what it takes`);
}

/**
 * As `named`, of several: comma-separated kinds, names of one kind, or objects of any kinds.
 *
 * @throws as `named`
 */
export function allNamed(command: string, namable: Namable, words: readonly string[]): readonly Named[] {
  if (words.some((word) => word.includes('/'))) return words.map((word) => named(command, namable, [word]));
  const [kinds = '', ...names] = words;
  return kinds.split(',').flatMap((kind): Named[] => {
    const { resource } = named(command, namable, [kind]);
    return names.length === 0 ? [{ resource, name: undefined }] : names.map((name) => ({ resource, name }));
  });
}

/** As `named`, of one object. */
export function objectNamed(command: string, namable: Namable, words: readonly string[]): Omit<Address, 'namespace'> {
  const [kind = '', name] = partsOf(words);
  if (name !== undefined) {
    const { realm, plural } = kindNamed(namable, kind);
    return { realm, plural, name };
  }
  throw misused(command, words);
}

/** Kind and name, or a kind alone; neither where it makes no sense. */
function partsOf(words: readonly string[]): readonly [kind?: string, name?: string | undefined] {
  const parts = words.length === 1 ? (words[0] ?? '').split('/') : words;
  const [kind, ...names] = parts;
  if (kind === undefined || names.length > 1 || parts.some((part) => part === '' || part.includes('/'))) return [];
  return names.length === 0 ? [kind] : [kind, names[0]];
}

function kindNamed({ resources, adapters }: Namable, kind: string): Resource {
  const asked = kind.toLowerCase();
  const resource = resources.find(({ kind: of, plural, group, version }) =>
    [
      of.toLowerCase(),
      plural,
      `${plural}.${group}`,
      `${of.toLowerCase()}.${group}`,
      `${plural}.${version}.${group}`,
    ].includes(asked),
  );
  if (resource !== undefined) return resource;
  const short = adapters
    .flatMap(({ contracts }) => contracts)
    .find(({ shortNames = [] }) => shortNames.includes(asked));
  const meantByShort = resources.find(({ group, plural }) => group === short?.group && plural === short.plural);
  if (meantByShort !== undefined) return meantByShort;
  const all = resources.map(({ kind: of }) => of).join(', ');
  const meant = hint(
    kind,
    resources.flatMap(({ kind: of, plural }) => [of.toLowerCase(), plural]),
  );
  throw new TerminalError(
    `there is no kind '${kind}'${meant || `; there are ${all}, and those of adapters that --adapters names`}`,
  );
}
