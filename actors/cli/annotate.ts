// User request by annotation on an object, with the user's own permissions: retry, pause and resume.
import { ForbiddenError, type Resource, resourcePath } from '../../adapters/kubernetes/mod.ts';
import { AbsentError, type JsonObject, TerminalError } from '../../bus/mod.ts';
import { plain } from '../base/printable.ts';
import { absence, type Cluster, misused, named, openCluster } from './cluster.ts';
import type { CommandContext } from './command-context.ts';

/** Named object of a managed kind. */
export interface Target {
  readonly cluster: Cluster;
  readonly resource: Resource;
  readonly namespace: string;
  readonly name: string;
  /** `<Kind>/<name>`. */
  readonly label: string;
}

/** @throws {TerminalError} it is no one object, or nothing that Troupe manages; what `act` throws */
export async function withTarget(
  command: string,
  question: CommandContext,
  act: (target: Target) => Promise<number>,
): Promise<number> {
  const cluster = openCluster(question);
  try {
    const { registry, client } = cluster;
    const { resource, name } = named(
      command,
      { resources: registry.resources, adapters: question.adapters },
      question.names,
    );
    if (name === undefined) throw misused(command, question.names);
    if (!registry.kinds.some(({ kind, group }) => kind === resource.kind && group === resource.group))
      throw new TerminalError(`troupe does not manage ${resource.kind}: '${command}' is for objects of its own kinds`);
    const namespace = resource.scope === 'Cluster' ? '' : (question.namespace ?? client.namespace);
    return await act({ cluster, resource, namespace, name, label: `${resource.kind}/${name}` });
  } finally {
    await cluster.close();
  }
}

/** @throws {TerminalError} it does not exist, or the user may not read it */
export async function annotationsOf(target: Target): Promise<Readonly<Record<string, string>>> {
  const { metadata } = (await called(target, 'GET')) as { readonly metadata?: JsonObject };
  return (metadata?.['annotations'] ?? {}) as Readonly<Record<string, string>>;
}

/** @param value  null removes it @throws {TerminalError} it does not exist, or the user may not change it */
export async function annotate(target: Target, annotation: string, value: string | null): Promise<void> {
  await called(target, 'PATCH', { metadata: { annotations: { [annotation]: value } } });
}

async function called(
  { cluster, resource, namespace, name, label }: Target,
  method: 'GET' | 'PATCH',
  body?: JsonObject,
): Promise<JsonObject> {
  try {
    const { body: answer } = await cluster.client.call({
      method,
      path: resourcePath(resource, namespace, name),
      ...(body !== undefined && { body, contentType: 'application/merge-patch+json' }),
    });
    return answer as JsonObject;
  } catch (error) {
    if (error instanceof AbsentError) throw new TerminalError(absence(label, namespace), { cause: error });
    if (!(error instanceof ForbiddenError)) throw error;
    const verb = method === 'GET' ? 'get' : 'patch';
    throw new TerminalError(`you may not ${verb} ${plain(label)}: ${plain(error.message)}`, { cause: error });
  }
}
