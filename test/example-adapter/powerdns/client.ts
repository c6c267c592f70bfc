// The HTTP API of PowerDNS's authoritative server, as far as it is used.
import {
  AbsentError,
  type Json,
  type JsonClientDeps,
  jsonClient,
  type KubeObject,
  type ServePorts,
  secretText,
} from 'troupe/adapter';

export interface RecordSet {
  readonly name: string;
  readonly type: string;
  readonly ttl: number;
  readonly records: readonly { readonly content: string; readonly disabled: boolean }[];
}

export interface Zone {
  readonly id: string;
  readonly serial: number;
  readonly rrsets: readonly RecordSet[];
}

export interface Request {
  readonly object: KubeObject;
  readonly deadlineAt: number;
  readonly traceparent: string;
}

export interface PowerDns {
  /** Undefined: there is none. */
  zone(request: Request, id: string): Promise<Zone | undefined>;
  create(request: Request, body: Json): Promise<Zone>;
  /** Replaces or deletes sets of records. @throws {AbsentError} there is no such zone */
  change(request: Request, id: string, rrsets: Json): Promise<void>;
  remove(request: Request, id: string): Promise<void>;
}

export type PowerDnsDeps = Omit<JsonClientDeps, 'service'> & Pick<ServePorts, 'readSecret'> & { readonly url: string };

export function powerDns({ url, ...deps }: PowerDnsDeps): PowerDns {
  const call = jsonClient({ ...deps, service: 'powerdns' });
  const ask = async (request: Request, method: string, path: string, body?: Json): Promise<Json | undefined> => {
    const headers = { 'x-api-key': await secretText(deps, request.object, 'serverRef', 'api-key') };
    const at = new URL(`/api/v1/servers/localhost/zones${path}`, url);
    return call({ method, url: at, headers, request, ...(body !== undefined && { body }) });
  };
  return {
    async zone(request, id) {
      try {
        return (await ask(request, 'GET', `/${encodeURIComponent(id)}`)) as unknown as Zone;
      } catch (error) {
        if (error instanceof AbsentError) return undefined;
        throw error;
      }
    },
    create: async (request, body) => (await ask(request, 'POST', '', body)) as unknown as Zone,
    async change(request, id, rrsets) {
      await ask(request, 'PATCH', `/${encodeURIComponent(id)}`, { rrsets });
    },
    async remove(request, id) {
      try {
        await ask(request, 'DELETE', `/${encodeURIComponent(id)}`);
      } catch (error) {
        if (!(error instanceof AbsentError)) throw error;
      }
    },
  };
}
