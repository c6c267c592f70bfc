// The login to the external systems with the credentials that objects name.
import type { ConfiguredAdapter, SecretContent } from '../../../adapters/api/adapter.ts';
import { ForbiddenError, type Objects } from '../../../adapters/kubernetes/mod.ts';
import { AbsentError, type Clock, TroupeError, toErrorData } from '../../../bus/mod.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { TROUPE_VERSION } from '../../base/version.ts';
import { resourceOf } from '../../object/registry.ts';
import { Area, type Check, unknown, well, wrong } from './checks.ts';

export interface CloudsDeps {
  readonly adapters: readonly ConfiguredAdapter[];
  readonly objects: Pick<Objects, 'list' | 'readSecret'>;
  /** Undefined: all. */
  readonly namespaces: readonly string[] | undefined;
  readonly clock: Clock;
  /** `host:port`. */
  readonly apiServer: string;
}

export async function examineClouds({
  adapters,
  objects,
  namespaces,
  clock,
  apiServer,
}: CloudsDeps): Promise<readonly Check[]> {
  const readSecret = async (namespace: string, name: string): Promise<SecretContent | 'forbidden' | undefined> => {
    try {
      return await objects.readSecret(namespace, name);
    } catch (error) {
      if (error instanceof ForbiddenError) return 'forbidden';
      throw error;
    }
  };
  const checks: Check[] = [];
  for (const adapter of adapters) {
    if (adapter.checkAccess === undefined) continue;
    try {
      const all = await objectsOf(adapter, objects, namespaces);
      const ports = { clock, version: TROUPE_VERSION, apiServer, objects: all, readSecret };
      const found = await adapter.checkAccess(ports);
      if (found.length === 0) checks.push(well(Area.Clouds, adapter.realm, 'no object names credentials'));
      for (const { place, problem } of found) {
        if (problem === undefined) checks.push(well(Area.Clouds, place, 'can be signed in to'));
        else checks.push((problem.isUndetermined ? unknown : wrong)(Area.Clouds, place, problem.what, problem.todo));
      }
    } catch (error) {
      if (!(error instanceof TroupeError)) throw error;
      const todo = 'look with an account that may list the objects; -n names where';
      checks.push(unknown(Area.Clouds, adapter.realm, toErrorData(error).message, todo));
    }
  }
  return checks;
}

async function objectsOf(
  { kinds }: ConfiguredAdapter,
  objects: Pick<Objects, 'list'>,
  namespaces: readonly string[] | undefined,
): Promise<readonly KubeObject[]> {
  const lists = kinds.flatMap((kind) =>
    (namespaces ?? [undefined]).map(async (namespace) => {
      try {
        return (await objects.list(resourceOf(kind), namespace)).items;
      } catch (error) {
        // A missing kind is reported with its definition.
        if (error instanceof AbsentError) return [];
        throw error;
      }
    }),
  );
  return (await Promise.all(lists)).flat();
}
