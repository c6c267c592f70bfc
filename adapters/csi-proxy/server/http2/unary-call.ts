// One call over HTTP/2, from its headers to its trailers, as gRPC has it.
import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { Code } from '../../base/status.ts';
import { ACCEPTED_ENCODINGS, framed } from './request-body.ts';

const RESPONSE = {
  ':status': 200,
  'content-type': 'application/grpc+proto',
  'grpc-accept-encoding': ACCEPTED_ENCODINGS,
} as const;

const UNSUPPORTED_MEDIA_TYPE = 415;
const METHOD_NOT_ALLOWED = 405;

/** At most eight digits and a unit. */
const TIMEOUT = /^(\d{1,8})([HMSmun])$/;
/** Milliseconds. */
const UNITS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 0.001, n: 0.000_001 };

export interface WireStatus {
  readonly code: Code;
  /** Well-formed. */
  readonly details: string;
}

/** @returns milliseconds; undefined: for ever; NaN: it is none */
export function timeoutMs(headers: IncomingHttpHeaders): number | undefined {
  const text = headers['grpc-timeout'];
  if (text === undefined) return undefined;
  const [, digits, unit = ''] = TIMEOUT.exec(String(text)) ?? [];
  return Number(digits) * (UNITS[unit] ?? Number.NaN);
}

/** @returns the status of HTTP if it is no call of gRPC */
export function httpRefusal(headers: IncomingHttpHeaders): number | undefined {
  if (headers['content-type']?.startsWith('application/grpc') !== true) return UNSUPPORTED_MEDIA_TYPE;
  return headers[':method'] === 'POST' ? undefined : METHOD_NOT_ALLOWED;
}

/** Ends a stream that is no call of gRPC. */
export function refuseStream(stream: ServerHttp2Stream, httpStatus: number): void {
  stream.respond({ ':status': httpStatus }, { endStream: true });
  stream.close(constants.NGHTTP2_NO_ERROR);
}

export function sendFailure(stream: ServerHttp2Stream, { code, details }: WireStatus): void {
  if (stream.destroyed || stream.closed) return;
  stream.respond({ ...RESPONSE, 'grpc-status': code, 'grpc-message': encodeURI(details) }, { endStream: true });
}

export function sendResponse(stream: ServerHttp2Stream, message: Uint8Array): void {
  if (stream.destroyed || stream.closed) return;
  stream.respond(RESPONSE, { waitForTrailers: true });
  stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': 0 }));
  stream.end(framed(message));
}
