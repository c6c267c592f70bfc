// Replay of a recording's requests on the current servers.
import { TerminalError } from '../../../bus/errors.ts';
import { WireError } from '../codec/mod.ts';
import type { ProtoFile } from '../protos/mod.ts';
import { parseRequests, type RecordedCall, type ReplayServer, rpcOf, withoutSecrets } from './recorded.ts';

/**
 * Makes the calls of `recorded.json` in their order. Secrets become `***` before they are sent: what is written is what
 * was answered to it.
 *
 * @param text  of the recording; outcomes in it, and calls without one, are both fine
 * @throws {TerminalError} a call is of no RPC of the version, or its request is none of the RPC's
 */
export async function recordCalls(
  text: string,
  { file, proto, server }: { file: string; proto: ProtoFile; server: ReplayServer },
): Promise<readonly RecordedCall[]> {
  const recorded: RecordedCall[] = [];
  for (const [index, { rpc, request: given }] of parseRequests(text, file).entries()) {
    const where = `'${file}', call ${index + 1}`;
    const declared = rpcOf(proto, rpc);
    if (declared === undefined) throw new TerminalError(`${where}: there is no RPC '${rpc}'`);
    const request = withoutSecrets(given, declared.request, proto);
    try {
      recorded.push({ rpc, request, outcome: await server.call(rpc, request) });
    } catch (error) {
      throw error instanceof WireError ? new TerminalError(`${where}: ${error.message}`, { cause: error }) : error;
    }
  }
  return recorded;
}
