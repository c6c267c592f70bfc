// Interface between generated servers and the process that serves them.
import type { Logger } from 'pino';
import { Code, StatusError } from '../base/status.ts';
import type { Method, Service } from '../codec/mod.ts';
import type { GroupDeps } from './group-deps.ts';

/** One call, as the server of a group sees it. */
export interface CallContext {
  /** Aborted when no caller waits for the response any more. */
  readonly signal: AbortSignal;
  /** When the caller stops waiting; undefined: never. */
  readonly deadlineAt: number | undefined;
  readonly log: Logger;
}

/** Takes the calls of one version of one group. */
export interface GrpcServer {
  handle<Request extends object, Response extends object>(
    method: Method<Request, Response>,
    handler: (context: CallContext, request: Request) => Promise<Response>,
  ): void;
}

/** The server of one version of a group: it converts, and asks the server of the group. */
export interface VersionedAPI {
  register(grpcServer: GrpcServer): void;
}

/** A handler for each call of a service. */
export type Handlers<Calls extends Service> = {
  readonly [Name in keyof Calls]: Calls[Name] extends Method<infer Request, infer Response>
    ? (context: CallContext, request: Request) => Promise<Response>
    : never;
};

/**
 * Hands all calls of a service to their handlers.
 *
 * @param groupServer target of the handlers: the compiler requires a method for each call, but a server can start
 *   without the compiler; a call without one ends with `UNIMPLEMENTED`
 */
export function handleAll<Calls extends Service>(
  grpcServer: GrpcServer,
  service: Calls,
  handlers: Handlers<Calls>,
  groupServer: object,
): void {
  for (const [name, method] of Object.entries(service)) {
    // Each handler takes what its method reads and answers what it writes: Handlers says so by name.
    const handler = handlers[name] as Handlers<Service>[string];
    const isAnswered = typeof Reflect.get(groupServer, name) === 'function';
    grpcServer.handle(method, isAnswered ? handler : () => unimplemented(method.name));
  }
}

async function unimplemented(rpc: string): Promise<never> {
  throw new StatusError(Code.Unimplemented, `${rpc} is not implemented`);
}

export interface RegisteredAPI {
  readonly group: string;
  readonly version: string;
  readonly registrant: VersionedAPI;
}

/** A group, and how it is served. */
export interface ApiGroup {
  readonly group: string;
  /** A server of its own, and all its versions from the oldest to the newest. */
  serve(deps: GroupDeps): readonly RegisteredAPI[];
}

/** A group from its hand-written `Server` and the generated `versionedAPIs`. */
export function apiGroup<Server>(
  group: string,
  Server: new (deps: GroupDeps) => Server,
  versionedAPIs: (server: Server) => readonly RegisteredAPI[],
): ApiGroup {
  return { group, serve: (deps) => versionedAPIs(new Server(deps)) };
}
