// C31 and C32: calls that were recorded with a release, in `recorded.json` beside its `api.proto`, are made again.
import { isDeepStrictEqual } from 'node:util';
import { TerminalError } from '../../../bus/errors.ts';
import type { Field, ProtoFile, TypeRef } from '../protos/mod.ts';
import { type Finding, Severity } from './finding.ts';
import { Findings, messageAt } from './scope.ts';

export interface RecordedCall {
  readonly rpc: string;
  /** In proto3's JSON, as all messages here. */
  readonly request: unknown;
  readonly outcome: Outcome;
}

export type Outcome =
  | { readonly kind: 'response'; readonly message: unknown }
  /** `code` is the name of a gRPC status. */
  | { readonly kind: 'refusal'; readonly code: string; readonly text: string };

/** A server of one version on a host whose state is always the same at the start. */
export interface ReplayServer {
  call(rpc: string, request: unknown): Promise<Outcome>;
  close(): Promise<void>;
}

/** undefined: the version is not served any more. */
export type Replay = (group: string, version: string) => Promise<ReplayServer | undefined>;

/** @throws {TerminalError} `text` is no recording */
export function parseRecorded(text: string, file: string): readonly RecordedCall[] {
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
  return content['calls'].map((call: unknown, index) => {
    const { rpc, request, response, refusal } = isObject(call) ? call : {};
    if (typeof rpc !== 'string' || !isObject(request) || isObject(response) === isObject(refusal)) {
      throw new TerminalError(
        `'${file}', call ${index + 1}: expected "rpc", "request", and either "response" or "refusal"`,
      );
    }
    if (!isObject(refusal)) return { rpc, request, outcome: { kind: 'response', message: response } };
    return { rpc, request, outcome: { kind: 'refusal', code: String(refusal['code']), text: String(refusal['text']) } };
  });
}

/** Makes the calls in their order. What the base refused is of no interest: it may be accepted now. */
export async function replayRecorded(
  calls: readonly RecordedCall[],
  { group, version, proto, replay }: { group: string; version: string; proto: ProtoFile; replay: Replay },
): Promise<readonly Finding[]> {
  const findings = new Findings({ group, version });
  const server = await replay(group, version);
  if (server === undefined) return [];
  try {
    for (const [index, { rpc, request, outcome: before }] of calls.entries()) {
      const declared = proto.services.flatMap(({ rpcs }) => rpcs).find(({ name }) => name === rpc);
      if (declared === undefined)
        throw new TerminalError(`call ${index + 1} recorded of ${group}/${version} is of no RPC: '${rpc}'`);
      const now = await server.call(rpc, request);
      if (before.kind === 'refusal') continue;
      const which = `recorded call ${index + 1}, ${JSON.stringify(request)},`;
      if (now.kind === 'refusal') {
        findings.add('C31', Severity.Break, declared, `${which} is refused now: ${now.code}, ${now.text}`);
      } else {
        const [old, recent] = [before.message, now.message].map((one) =>
          known(one, { kind: 'message', name: declared.response }, proto),
        );
        if (isDeepStrictEqual(old, recent)) continue;
        findings.add(
          'C32',
          Severity.Break,
          declared,
          `${which} was answered ${JSON.stringify(old)}, and now ${JSON.stringify(recent)}`,
        );
      }
    }
  } finally {
    await server.close();
  }
  return findings.all;
}

/** What a peer of the base sees of a value: no fields it does not know, and no difference between absent and default. */
function known(value: unknown, type: TypeRef, proto: ProtoFile): unknown {
  const message = type.kind === 'message' ? messageAt(proto, type.name) : undefined;
  if (message === undefined || !isObject(value)) return value;
  const kept: Record<string, unknown> = {};
  for (const field of message.fields) {
    const seen = knownField(value[field.jsonName], field, proto);
    if (!isDefault(seen)) kept[field.jsonName] = seen;
  }
  return kept;
}

function knownField(value: unknown, { cardinality, type }: Field, proto: ProtoFile): unknown {
  if (cardinality === 'repeated' && Array.isArray(value)) return value.map((one: unknown) => known(one, type, proto));
  if (cardinality === 'map' && isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, known(one, type, proto)]));
  }
  // Integers of 64 bits are text in JSON.
  return type.name.endsWith('64') && value === '0' ? 0 : known(value, type, proto);
}

function isDefault(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === undefined || value === null || value === 0 || value === '' || value === false;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
