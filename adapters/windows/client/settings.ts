// Connection settings of csi-proxy in a WindowsStorageNode.
import { TerminalError } from '../../../bus/errors.ts';
import type { JsonObject } from '../../../bus/json.ts';
import { listOf, mapOf, numberOf, textOf } from '../values.ts';

export interface PipeSettings {
  /** As it was given, for people. */
  readonly endpoint: string;
  /** Prefix of the path of every pipe. */
  readonly prefix: string;
  /** Allowed versions by group, preferred ones first; of a group that is left out the newest is used. */
  readonly preferred: Readonly<Record<string, readonly string[]>>;
  readonly callsInFlight: number;
  /** Timeout of a call in milliseconds; undefined: the default of that call. */
  readonly callMs: number | undefined;
}

/** As the contract has it, for an object that was stored before. */
const CALLS_IN_FLIGHT = 8;

const PIPES = /^\\\\\.\\pipe$/i;

/** @throws {TerminalError} the endpoint leads nowhere from any directory */
export function pipeSettings(spec: JsonObject, platform: NodeJS.Platform = process.platform): PipeSettings {
  const endpoint = textOf(spec['endpoint']);
  const { callsInFlight, callSeconds } = mapOf(spec['limits']);
  const seconds = numberOf(callSeconds);
  const preferences = listOf(spec['apiVersions']).map((each) => {
    const { group, versions } = mapOf(each);
    return [textOf(group), listOf(versions).map(textOf)] as const;
  });
  return {
    endpoint,
    prefix: prefixOf(endpoint, platform),
    preferred: Object.fromEntries(preferences),
    callsInFlight: numberOf(callsInFlight) ?? CALLS_IN_FLIGHT,
    callMs: seconds === undefined ? undefined : seconds * 1_000,
  };
}

/** A directory is used as it is; of pipes the rest is the prefix of their names. */
function prefixOf(endpoint: string, platform: NodeJS.Platform): string {
  if (platform === 'win32') return PIPES.test(endpoint) ? `${endpoint}\\` : endpoint;
  if (!endpoint.startsWith('/')) {
    throw new TerminalError(
      `endpoint '${endpoint}' is no directory, as /run/csi-proxy: there are no named pipes on the node`,
    );
  }
  return `${endpoint.replace(/\/+$/, '')}/`;
}
