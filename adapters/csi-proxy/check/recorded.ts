// C31 and C32: calls that were recorded with a release, in `recorded.json` beside its `api.proto`, are made again.
import { isDeepStrictEqual } from 'node:util';
import { TerminalError } from '../../../bus/errors.ts';
import { Code, codeName } from '../base/status.ts';
import { HIDDEN, WireError } from '../codec/mod.ts';
import type { Field, ProtoFile, Rpc } from '../protos/mod.ts';
import { type Finding, Severity } from './finding.ts';
import { Findings, messageAt } from './scope.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export interface RecordedRequest {
  readonly rpc: string;
  /** Message in proto3's JSON, as everywhere here; `***` replaces a secret. */
  readonly request: JsonObject;
}

export interface RecordedCall extends RecordedRequest {
  readonly outcome: Outcome;
}

export type Outcome =
  | { readonly kind: 'response'; readonly message: JsonObject }
  /** `code` is the name of a gRPC status. */
  | { readonly kind: 'refusal'; readonly code: string; readonly text: string };

/** A server of one version on a host whose state is always the same at the start. */
export interface ReplayServer {
  /** @throws {WireError} `request` is none of the RPC's */
  call(rpc: string, request: JsonObject): Promise<Outcome>;
  close(): Promise<void>;
}

/** undefined: the version is not served. */
export type Replay = (group: string, version: string) => Promise<ReplayServer | undefined>;

/** Part of a call that a person writes. @throws {TerminalError} `text` is no recording */
export function parseRequests(text: string, file: string): readonly RecordedRequest[] {
  return callsOf(text, file).map((call, index) => {
    const { rpc, request } = isObject(call) ? call : {};
    if (typeof rpc === 'string' && isObject(request)) return { rpc, request };
    throw new TerminalError(`'${file}', call ${index + 1}: expected "rpc" and "request"`);
  });
}

/** @throws {TerminalError} `text` is no recording */
export function parseRecorded(text: string, file: string): readonly RecordedCall[] {
  return callsOf(text, file).map((call, index) => {
    const { rpc, request, response, refusal } = isObject(call) ? call : {};
    const outcome = outcomeOf(response, refusal);
    if (typeof rpc === 'string' && isObject(request) && outcome !== undefined) return { rpc, request, outcome };
    throw new TerminalError(
      `'${file}', call ${index + 1}: expected "rpc", "request", and either "response" or "refusal"`,
    );
  });
}

function outcomeOf(response: unknown, refusal: unknown): Outcome | undefined {
  if (isObject(response)) return isObject(refusal) ? undefined : { kind: 'response', message: response };
  if (!isObject(refusal)) return undefined;
  return { kind: 'refusal', code: String(refusal['code']), text: String(refusal['text']) };
}

function callsOf(text: string, file: string): readonly unknown[] {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw new TerminalError(`'${file}' is not JSON: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  }
  if (!isObject(content) || !Array.isArray(content['calls']))
    throw new TerminalError(`'${file}' must be {"calls": [...]}`);
  return content['calls'];
}

/** One line per call, so that a change of one call changes one line. */
export function recordedText(calls: readonly RecordedCall[]): string {
  const lines = calls.map(({ rpc, request, outcome }) => {
    if (outcome.kind === 'response') return JSON.stringify({ rpc, request, response: outcome.message });
    return JSON.stringify({ rpc, request, refusal: { code: outcome.code, text: outcome.text } });
  });
  return `{"calls": [\n${lines.join(',\n')}\n]}\n`;
}

export interface ReplayInput {
  readonly group: string;
  readonly version: string;
  readonly base: ProtoFile;
  readonly current: ProtoFile;
  readonly server: ReplayServer;
}

/**
 * Replays the calls in their order. Calls that the base rejected are ignored: they may be accepted now. Calls that the
 * current version does not have are ignored too: other rules decide whether they may be removed.
 */
export async function replayRecorded(
  calls: readonly RecordedCall[],
  { group, version, base, current, server }: ReplayInput,
): Promise<readonly Finding[]> {
  const findings = new Findings({ group, version });
  for (const [index, { rpc, request, outcome: before }] of calls.entries()) {
    const declared = rpcOf(base, rpc);
    if (declared === undefined)
      throw new TerminalError(`call ${index + 1} recorded of ${group}/${version} is of no RPC: '${rpc}'`);
    const served = rpcOf(current, rpc);
    if (served === undefined) continue;
    const now = await answered(server, rpc, known(request, served.request, current));
    if (before.kind === 'refusal') continue;
    const which = `recorded call ${index + 1}, ${JSON.stringify(withoutSecrets(request, declared.request, base))},`;
    if (now.kind === 'refusal') {
      findings.add('C31', Severity.Break, declared, `${which} is refused now: ${now.code}, ${now.text}`);
      continue;
    }
    const [old, recent] = [before.message, now.message].map((one) => known(one, declared.response, base));
    if (isDeepStrictEqual(old, recent)) continue;
    const answers = `was answered ${JSON.stringify(old)}, and now ${JSON.stringify(recent)}`;
    findings.add('C32', Severity.Break, declared, `${which} ${answers}`);
  }
  return findings.all;
}

async function answered(server: ReplayServer, rpc: string, request: JsonObject): Promise<Outcome> {
  try {
    return await server.call(rpc, request);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return { kind: 'refusal', code: codeName(Code.InvalidArgument), text: error.message };
  }
}

export function rpcOf(proto: ProtoFile, rpc: string): Rpc | undefined {
  return proto.services.flatMap(({ rpcs }) => rpcs).find(({ name }) => name === rpc);
}

/** Message as a peer with `proto` reads it: without unknown fields, and with absent equal to default. */
function known(value: JsonObject, path: string, proto: ProtoFile): JsonObject {
  const kept: Record<string, unknown> = {};
  for (const field of messageAt(proto, path)?.fields ?? []) {
    const given = value[field.jsonName] ?? value[field.name];
    // Integers of 64 bits are text in JSON.
    const isZero = field.type.name.endsWith('64') && given === '0';
    const seen = isZero ? 0 : eachMessage(given, field, (one) => known(one, field.type.name, proto));
    if (!isDefault(seen)) kept[field.jsonName] = seen;
  }
  return kept;
}

/** As it may be written down and shown. */
export function withoutSecrets(value: JsonObject, path: string, proto: ProtoFile): JsonObject {
  const fields = messageAt(proto, path)?.fields ?? [];
  const shown = Object.entries(value).map(([name, one]) => {
    const field = fields.find(({ name: own, jsonName }) => name === own || name === jsonName);
    if (field === undefined) return [name, one];
    if (field.marks.includes('secret')) return [name, isDefault(one) ? one : HIDDEN];
    return [name, eachMessage(one, field, (inner) => withoutSecrets(inner, field.type.name, proto))];
  });
  return Object.fromEntries(shown);
}

/** The value of a field, with what `change` makes of each message in it. */
function eachMessage(
  value: unknown,
  { cardinality, type }: Field,
  change: (message: JsonObject) => JsonObject,
): unknown {
  const changed = (one: unknown): unknown => (type.kind === 'message' && isObject(one) ? change(one) : one);
  if (cardinality === 'repeated' && Array.isArray(value)) return value.map(changed);
  if (cardinality === 'map' && isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, changed(one)]));
  }
  return changed(value);
}

function isDefault(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === undefined || value === null || value === 0 || value === '' || value === false;
}

function isObject(value: unknown): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
