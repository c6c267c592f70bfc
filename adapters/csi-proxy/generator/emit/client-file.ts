// `client_generated.ts` of a version.
import { methodName, typeName, type VersionApi } from '../api.ts';
import { GENERATED_HEADER, RUNTIME, specifier, type VersionPaths } from '../layout.ts';
import { docText, importText, quoted, sortedImports, wrapped } from './text.ts';

export function clientFile({ group, version, service, deprecation }: VersionApi, paths: VersionPaths): string {
  const path = paths.client;
  const doc = docText({ deprecation });
  const methods = service.rpcs.map((rpc) => {
    const parameters = [`request: Partial<pb.${typeName(rpc.request)}>`, 'options?: CallOptions'];
    const result = `): Promise<pb.${typeName(rpc.response)}> {`;
    const method = methodName(rpc.name);
    return [
      docText({ comment: rpc.comment, deprecation: rpc.deprecated ? '' : undefined }, '  '),
      `${wrapped(`  ${method}(`, parameters, result, '  ')}\n`,
      `    return this.#connection.call(pb.${service.name}.${method}, request, options);\n  }\n`,
    ].join('');
  });
  return [
    `${GENERATED_HEADER}\n`,
    sortedImports([
      `import * as pb from '${specifier(path, paths.messages)}';\n`,
      importText(['pipePath'], specifier(path, RUNTIME.pipes)),
      importText(['type CallOptions', 'type Connection'], specifier(path, RUNTIME.connection)),
      importText(['type ConnectionDeps', 'openConnection'], specifier(path, RUNTIME.openConnection)),
    ]),
    `\n${doc}export const groupName = ${quoted(group)};\n${doc}export const version = ${quoted(version)};\n\n`,
    `${docText({ comment: service.comment, deprecation })}export class Client {\n`,
    '  readonly #connection: Connection;\n\n',
    '  constructor(connection: Connection) {\n    this.#connection = connection;\n  }\n\n',
    '  close(): void {\n    this.#connection.close();\n  }\n\n',
    `${methods.join('\n')}}\n\n`,
    docText({ comment: 'A client on the default pipe. Fails when no server listens there.', deprecation }),
    'export function newClient(deps: ConnectionDeps): Promise<Client> {\n',
    '  return newClientWithPipePath(pipePath(groupName, version), deps);\n}\n\n',
    docText({ comment: 'A client on the pipe at `path`. Fails when no server listens there.', deprecation }),
    'export async function newClientWithPipePath(path: string, deps: ConnectionDeps): Promise<Client> {\n',
    '  return new Client(await openConnection(path, deps));\n}\n',
  ].join('');
}
