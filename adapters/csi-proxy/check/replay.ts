// The servers of now for recorded calls: a fresh machine for each version, and no transport in between.
import type { Logger } from 'pino';
import type { Clock } from '../../../bus/mod.ts';
import { Code, codeName, StatusError } from '../base/status.ts';
import { fromJson, HIDDEN, type MessageType, toJson } from '../codec/mod.ts';
import { allGroups } from '../server/all_groups_generated.ts';
import { groupDeps } from '../server/group-deps.ts';
import type { ApiGroup, CallContext, VersionedAPI } from '../server/runtime.ts';
import type { JsonObject, Outcome, Replay } from './recorded.ts';
import { MACHINE_SECRET, replayMachine } from './replay-machine.ts';

export interface ReplayDeps {
  /** Answers tell no time: any clock gives the same. */
  readonly clock: Clock;
  readonly log: Logger;
  readonly groups?: readonly ApiGroup[];
}

type Call = (request: JsonObject) => Promise<Outcome>;

export function replayOn({ clock, log, groups = allGroups }: ReplayDeps): Replay {
  return async (group, version) => {
    const host = await replayMachine(clock);
    const served = groups.find((one) => one.group === group)?.serve(groupDeps({ clock, host })) ?? [];
    const api = served.find((one) => one.version === version);
    if (api === undefined) {
      await host.close();
      return undefined;
    }
    const calls = callsOf(api.registrant, { signal: new AbortController().signal, deadlineAt: undefined, log });
    return {
      async call(rpc, request) {
        const call = calls.get(rpc);
        if (call !== undefined) return call(request);
        return { kind: 'refusal', code: codeName(Code.Unimplemented), text: `${group} ${version} has no ${rpc}` };
      },
      close: () => host.close(),
    };
  };
}

function callsOf(api: VersionedAPI, context: CallContext): ReadonlyMap<string, Call> {
  const calls = new Map<string, Call>();
  api.register({
    handle({ name, request: requestType, response: responseType }, handler) {
      calls.set(name, async (request) => {
        const input = withMachineSecrets(requestType, fromJson(requestType, request));
        try {
          // A response that cannot be encoded does not reach a client either.
          const bytes = responseType.encode(await handler(context, input));
          return { kind: 'response', message: toJson(responseType, responseType.decode(bytes)) };
        } catch (error) {
          return refusalOf(error);
        }
      });
    },
  });
  return calls;
}

/** A recording has `***` in the place of a secret; the right one is meant. */
function withMachineSecrets<Message extends object>(type: MessageType<Message>, message: Message): Message {
  const hidden = Object.entries(message).filter(([name, value]) => type.fields[name]?.isSecret && value === HIDDEN);
  return { ...message, ...Object.fromEntries(hidden.map(([name]) => [name, MACHINE_SECRET])) };
}

function refusalOf(error: unknown): Outcome {
  const { code, message } =
    error instanceof StatusError
      ? error
      : { code: Code.Unknown, message: error instanceof Error ? error.message : String(error) };
  return { kind: 'refusal', code: codeName(code), text: message };
}
