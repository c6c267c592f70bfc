// The user of the print shop: an API server that knows its kinds, and what the tests say to it and see in it.
import { installCrds } from '../../actors/process/install-crds.ts';
import { kubeClient } from '../../adapters/kubernetes/mod.ts';
import { AbsentError, type JsonObject } from '../../bus/mod.ts';
import { Allowance } from '../world/speed.ts';
import { pressAdapter } from './adapter.ts';
import { GROUP } from './contracts.ts';

export const NAMESPACE = 'library';
export const WAREHOUSE = 'warehouse';
const DEADLINE_MS = 15_000;
const POLL_MS = 20;
const APPLY = 'application/apply-patch+yaml';

export const BOOK = pathOf('books', NAMESPACE, 'one');
export const PAPER = pathOf('papers', NAMESPACE, 'white');

export interface Raw {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly generation?: number;
    readonly finalizers?: readonly string[];
    readonly annotations?: Readonly<Record<string, string>>;
    readonly managedFields?: readonly JsonObject[];
    readonly deletionTimestamp?: string;
  };
  readonly spec: JsonObject;
  readonly data?: Readonly<Record<string, string>>;
  readonly status?: JsonObject;
}

export interface Library {
  apply(path: string, object: JsonObject): Promise<Raw>;
  merge(path: string, patch: JsonObject): Promise<Raw>;
  remove(path: string): Promise<void>;
  read(path: string): Promise<Raw | undefined>;
  until(path: string, what: string, isSo: (object: Raw) => boolean): Promise<Raw>;
  gone(path: string): Promise<void>;
  /** @param instead  what is so instead, for the failure */
  eventually(what: string, isSo: () => boolean | Promise<boolean>, instead?: () => string): Promise<void>;
  close(): Promise<void>;
}

/** Installs the kinds of the print shop, and makes the namespaces. */
export async function openLibrary(
  deps: Pick<Parameters<typeof kubeClient>[0], 'clock' | 'kubeconfig' | 'dispatcher'>,
): Promise<Library> {
  const { clock } = deps;
  const client = kubeClient(deps);
  const send = async (
    method: 'GET' | 'PATCH' | 'DELETE',
    path: string,
    body?: JsonObject,
    contentType?: string,
  ): Promise<Raw> => {
    const call = {
      method,
      path,
      ...(body !== undefined && { body }),
      ...(contentType !== undefined && { contentType }),
    };
    return (await client.call(call)).body as unknown as Raw;
  };
  const library: Library = {
    apply(path, object) {
      const metadata = { name: path.slice(path.lastIndexOf('/') + 1) };
      return send('PATCH', `${path}?fieldManager=kubectl&force=true`, { ...object, metadata }, APPLY);
    },
    merge: (path, patch) => send('PATCH', path, patch, 'application/merge-patch+json'),
    remove: async (path) => void (await send('DELETE', path)),
    async read(path) {
      try {
        return await send('GET', path);
      } catch (error) {
        if (error instanceof AbsentError) return undefined;
        throw error;
      }
    },
    async until(path, what, isSo) {
      let last: Raw | undefined;
      await library.eventually(
        `${path} is ${what}`,
        async () => {
          last = await library.read(path);
          return last !== undefined && isSo(last);
        },
        () => JSON.stringify([last?.metadata.finalizers, last?.spec, last?.status, last?.data]),
      );
      return last as unknown as Raw;
    },
    gone: (path) => library.eventually(`${path} is gone`, async () => (await library.read(path)) === undefined),
    async eventually(what, isSo, instead = () => '') {
      const allowance = new Allowance(clock, DEADLINE_MS);
      while (!(await isSo())) {
        if (allowance.canPassivate()) throw new Error(`not so after ${DEADLINE_MS} ms: ${what}; ${instead()}`);
        await clock.sleep(POLL_MS);
      }
    },
    close: () => client.close(),
  };
  await installCrds(client, clock, () => undefined, pressAdapter({ fetch }).contracts);
  for (const name of [NAMESPACE, WAREHOUSE]) {
    await client.call({
      method: 'POST',
      path: '/api/v1/namespaces',
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
    });
  }
  return library;
}

export function makePaper({ apply }: Library, path = PAPER): Promise<Raw> {
  return apply(path, { apiVersion: 'press.example.org/v1', kind: 'Paper', spec: { grams: 90 } });
}

export function makeBook({ apply }: Library, spec: JsonObject = {}, path = BOOK): Promise<Raw> {
  return apply(path, {
    apiVersion: 'press.example.org/v1',
    kind: 'Book',
    spec: { title: 'One', pages: 20, paperRef: { name: 'white' }, ...spec },
  });
}

export function bound({ until }: Library, path = BOOK): Promise<Raw> {
  return until(path, 'bound', isBound);
}

// What the status says while a book waits may still stand in it when its phase is Bound: it is told last of all.
export function isBound({ metadata, status }: Raw): boolean {
  return status?.['phase'] === 'Bound' && status['observedGeneration'] === metadata.generation;
}

/** Where objects of the print shop are. */
export function pathOf(plural: 'books' | 'papers', namespace: string, name: string, version = 'v1'): string {
  return `/apis/${GROUP}/${version}/namespaces/${namespace}/${plural}/${name}`;
}
